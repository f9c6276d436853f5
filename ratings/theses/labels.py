"""Beliefs about which labels rate, asked of the statement that reads them, over planted votes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import numpy as np

from battles.models import Agent, Battle, Lane, Task
from governance.theses import Cited, CodeMutation, Section, Thesis, thesis
from judging.models import HeldLabel, TrustChange, Vote
from ratings.corpus import _read
from ratings.eligibility import Reason
from ratings.models import Board
from ratings.planted_votes import World, read_planted
from ratings.rated_corpus import Corpus

LABELS = "ratings/statements/labels.sql"


def _gives(reason: Reason, *changes: Callable[[World], None]) -> Callable[[Callable[..., Corpus]], bool]:
    """Whether planted votes that would rate do not, for this reason, once each change was made."""

    def asked(read: Callable[..., Corpus]) -> bool:
        found = read_planted(read, [lambda world: None, *changes])
        return found == [int(Reason.RATED)] + [int(reason)] * len(changes)

    return asked


def _rates_everything(board: Board, *, at: datetime | None = None) -> SimpleNamespace:
    """A reading that leaves nothing out."""
    assert at is not None
    return SimpleNamespace(reason=np.zeros_like(_read(board, at)[0].reason))


READ = Cited("ratings.corpus", "read_corpus")


def _set(model: type[Any], **fields: Any) -> Callable[[World], None]:
    def change(world: World) -> None:
        world[model][0].update(fields)

    return change


def _add(model: type[Any], **fields: Any) -> Callable[[World], None]:
    def change(world: World) -> None:
        vote = world[Vote][0]
        named = {"judge_id": vote["judge_id"]} if model is TrustChange else {"vote_id": vote["id"]}
        dates = dict.fromkeys(("at", "held_at"), vote["cast_at"])
        world[model].append({"id": 1, **named, **dates, **fields})

    return change


thesis(
    Thesis(
        section=Section.BLINDNESS,
        key="a-leaked-battle-does-not-count",
        belief="A battle whose texts named an agent, or could not be scanned, rates nobody.",
        why="What was judged with a name in sight is a vote on the name.",
        mechanism="The statement that reads the labels leaves them out with a reason, and the reason is counted and "
        "published.",
        cites=READ,
        predicate=_gives(
            Reason.IDENTITY_LEAKED,
            _set(Battle, leak_scan=Battle.Leak.LEAKED),
            _set(Battle, leak_scan=Battle.Leak.UNSCANNABLE),
        ),
        broken=_rates_everything,
        mutations=(
            CodeMutation(
                "the exclusion of leaked battles",
                LABELS,
                "                WHEN battle.leak_scan <> 'clean' THEN 6\n",
                "",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.LIVE_TASKS,
        key="unequal-budgets-do-not-count",
        belief="A battle in which one side was granted more steps or time rates nobody.",
        why="Equal budgets are only worth what happens when they were not equal.",
        mechanism="The statement that reads the labels compares the budgets of both lanes as they were written.",
        cites=READ,
        predicate=_gives(Reason.UNEQUAL_BUDGETS, _set(Lane, budget_steps=31), _set(Lane, budget_seconds=301.0)),
        broken=_rates_everything,
        mutations=(
            CodeMutation(
                "the exclusion of unequal budgets",
                LABELS,
                "unequal, TRUE) THEN 5",
                "unequal, TRUE) AND FALSE THEN 5",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.CONFLICT_OF_INTEREST,
        key="own-agent-not-ranked",
        belief="A battle with an agent in which the operator has a stake rates nobody.",
        why="Its history stays, but no number of ours may rest on it.",
        mechanism="The statement that reads the labels looks at the same mark of the roster as the draw.",
        cites=READ,
        predicate=_gives(Reason.NOT_RANKED, _set(Agent, affiliated_from="2000-01-01T00:00:00Z")),
        broken=_rates_everything,
        mutations=(
            CodeMutation(
                "the exclusion of the operator's own agents",
                LABELS,
                "                WHEN one.affiliated OR other.affiliated THEN 3\n",
                "",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.PEOPLE,
        key="distrust-reaches-the-ranking",
        belief="Labels of a distrusted or suspended judge, and labels put aside, rate nobody from the next fit on.",
        why="Trust that changes no number is a badge.",
        mechanism="The state in force is read at every fit by the statement that reads the labels; nothing about a "
        "judge is accumulated.",
        cites=READ,
        predicate=_gives(
            Reason.JUDGE_NOT_ADMISSIBLE,
            _add(TrustChange, state=TrustChange.State.UNTRUSTED),
            _add(TrustChange, state=TrustChange.State.SUSPENDED),
            _add(HeldLabel, decision=""),
        ),
        broken=_rates_everything,
        mutations=(
            CodeMutation(
                "that trust is looked at",
                LABELS,
                "trust.state IN ('untrusted', 'suspended')",
                "trust.state IN ('nobody')",
            ),
            CodeMutation(
                "that held labels wait",
                LABELS,
                "WHEN held.vote_id IS NOT NULL OR ",
                "WHEN ",
            ),
        ),
    )
)


def _withdrawn(model: type[Any]) -> Callable[[World], None]:
    def change(world: World) -> None:
        world[model][0]["withdrawn_at"] = world[Vote][0]["cast_at"]

    return change


thesis(
    Thesis(
        section=Section.PEOPLE,
        key="withdrawn-labels-leave-the-ratings",
        belief="What a person takes back leaves the ratings at the next fit, with what others said of their task.",
        why="A withdrawal that changes no number was none.",
        mechanism="The statement that reads the labels leaves out those of a withdrawn vote or task, and silences "
        "what they said.",
        cites=READ,
        predicate=_gives(Reason.WITHDRAWN, _withdrawn(Vote), _withdrawn(Task)),
        broken=_rates_everything,
        mutations=(
            CodeMutation(
                "that withdrawn labels leave",
                LABELS,
                "                WHEN vote.withdrawn_at IS NOT NULL OR task.withdrawn_at IS NOT NULL THEN 2\n",
                "",
            ),
        ),
    )
)
