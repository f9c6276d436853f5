"""One probe: a question to a set of votes, the figure that answers it, and where the answer becomes a warning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Probe:
    """The answer of one probe.

    Attributes:
        key: its name, a key of :data:`WORDS`.
        fired: whether it warns; None where the votes cannot answer.
        value: the figure, in the unit that :data:`WORDS` names.
        lower, upper: ends of its interval; None where it is counted and not estimated.
        threshold: what the figure is held against.
        reason: why the votes cannot answer; None where they do.
        about: names of the agents the figure is about.
    """

    key: str
    fired: bool | None
    value: float | None
    lower: float | None
    upper: float | None
    threshold: float
    reason: str | None
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """What a page says of a probe: its title, the unit of its figure, and what it means when it fires."""

    title: str
    unit: str
    meaning: str


#: In the order in which they are shown.
WORDS: Mapping[str, Words] = MappingProxyType(
    {
        "separation": Words(
            "Neighbours told apart",
            "points between the two neighbours that are told apart worst, all gaps at once",
            "The votes do not say which of these two neighbours is better.",
        ),
        "rank_volatility": Words(
            "Ranks that stay",
            "ranks an agent moves on average when other judges of the same kind vote",
            "Other judges would have given another order.",
        ),
        "connectivity": Words(
            "One scale for all",
            "votes that hold the most loosely attached agents to the rest",
            "Some agents are compared with the rest by hardly anything, or by nothing.",
        ),
        "coverage_imbalance": Words(
            "Votes for everybody",
            "votes on the least judged agent for each on the most judged one",
            "Some agents are known far better than others.",
        ),
        "position_bias": Words(
            "Side that does not matter",
            "distance from one half of the share of slot A between equal agents",
            "Judges prefer a side, whoever is on it.",
        ),
        "position_reordering": Words(
            "Order without the side",
            "pairs told apart that change order when the side is accounted for",
            "Who sat on which side decides part of the order.",
        ),
        "tie_convention": Words(
            "Order whatever a tie is worth",
            "pairs told apart that change order when ties are dropped or modelled",
            "The order depends on what a tie is taken for.",
        ),
        "intransitivity": Words(
            "No cycles",
            "weakest share of wins in the strongest cycle of three agents",
            "Three agents beat each other in a circle, which no rating can show.",
        ),
        "judge_clustering": Words(
            "Votes that are independent",
            "standard error by judges for each by single votes",
            "Votes of one judge resemble each other, so that there is less evidence than votes.",
        ),
        "judge_influence": Words(
            "No judge decides",
            "part of the gap of two agents that one judge carries",
            "Without one judge two agents who look well apart change places.",
        ),
        "drop_to_flip": Words(
            "Votes that hold the top",
            "share of votes whose removal gives another first",
            "A handful of votes decides who is first.",
        ),
        "drift": Words(
            "Agents that stay the same",
            "points by which an agent changed over time",
            "An agent, its opponents or its judges changed, so that one rating does not describe it.",
        ),
        "style": Words(
            "Style that does not decide",
            "distance from one half of the share of the side with more of a style, between equal agents",
            "Judges go by style, which may be quality or may be decoration.",
        ),
    }
)
