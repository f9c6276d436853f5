"""The table of methods: what each aims at, and when it is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.methods.facts import Facts

COLUMNS = ("Method", "What it aims at", "Order of the votes", "Ties", "Interval", "When it is wrong")


@dataclass(frozen=True, slots=True)
class Method:
    """One row.

    Attributes:
        key: of its section on the page.
        name: of the method.
        cells: what stands in the other columns of :data:`COLUMNS`, in order.
        used: what it is used for here.
    """

    key: str
    name: str
    cells: tuple[str, str, str, str, str]
    used: str

    @property
    def labelled(self) -> list[tuple[str, str]]:
        """The cells with the names of their columns."""
        return list(zip(COLUMNS[1:], self.cells, strict=True))


def methods_table(numbers: Facts) -> tuple[Method, ...]:
    """All methods, from the one that is easiest to run to the one that assumes most."""
    last_k, rest = numbers.resting[-1]
    return (
        Method(
            "method-online-elo",
            "Online Elo",
            (
                "A running guess of the strengths, moved by every vote.",
                "Depends on it.",
                "Half a win for each.",
                "None. A band around it would be a guess.",
                f"Always as a rating: at K = {last_k} the gap of two equals keeps a spread of {rest:.1f} points for "
                "ever, however many votes there are.",
            ),
            "The ticker, marked as one.",
        ),
        Method(
            "method-permuted-elo",
            "Permuted Elo",
            (
                "The average of online Elo over many random orders of the same votes.",
                "Averaged out.",
                "Half a win for each.",
                "The spread over orders, which is not an interval: it says nothing of other votes or other judges.",
                "With few votes and a small K it is still near where all began; with a large K it stretches gaps a "
                "little. It costs many runs for what one fit gives.",
            ),
            "To show what order does.",
        ),
        Method(
            "method-model-errors",
            "Bradley-Terry, model errors",
            (
                "The strengths that make all votes most likely.",
                "Does not matter.",
                "Half a win for each.",
                "From the likelihood: votes are independent, and as likely as the model says.",
                "With ties it is too wide, with judges who vote often too narrow, with intransitive agents beside "
                "the point.",
            ),
            "To compare with.",
        ),
        Method(
            "method-sandwich",
            "Bradley-Terry, sandwich errors",
            (
                "The same strengths.",
                "Does not matter.",
                "Half a win for each; the errors allow for it.",
                "From how votes really scatter around the fit; battles are independent.",
                "When votes of one judge resemble each other: it counts a judge with a taste as many witnesses.",
            ),
            "To compare with.",
        ),
        Method(
            "method-clustered",
            "Bradley-Terry, clustered on the judge",
            (
                "The same strengths.",
                "Does not matter.",
                "Half a win for each; the errors allow for it.",
                "From how judges scatter; the votes of one judge may depend on each other in any way.",
                "With few judges, or one who casts most votes. Then the t quantile grows, and with no more judges than "
                "unknowns there is no interval.",
            ),
            "What is published.",
        ),
        Method(
            "method-bootstrap",
            "Bradley-Terry, bootstrap over judges",
            (
                "The same strengths, fitted again to judges drawn with replacement.",
                "Does not matter.",
                "Half a win for each; the errors allow for it.",
                "From the spread of the refits; it checks the step that the clustered errors take along a straight "
                "line.",
                "With few judges, as above. Draws in which somebody never loses have no fit; many of them mean that "
                "the interval has no end.",
            ),
            "As a check; never for the rating itself.",
        ),
        Method(
            "method-schedule",
            "Schedule-adjusted (inverse probability)",
            (
                "The strengths, had all pairs met equally often.",
                "Does not matter.",
                "Half a win for each.",
                "Clustered on the judge; wider, since few battles stand for many.",
                "When a pair was hardly ever on offer, or the stored probability of its draw is not what it was.",
            ),
            "Beside the rating. A rank is claimed only where both agree.",
        ),
        Method(
            "method-davidson",
            "Davidson",
            (
                "Strengths and how readily judges call a tie.",
                "Does not matter.",
                "A result of their own, likeliest between equals.",
                "Clustered on the judge.",
                "When ties come from elsewhere, as from both runs failing. Gaps are on another scale than above.",
            ),
            "A second look at ties.",
        ),
        Method(
            "method-rao-kupper",
            "Rao-Kupper",
            (
                "Strengths and the smallest difference that judges see.",
                "Does not matter.",
                "What lies below that threshold.",
                "As for Davidson.",
                "When judges differ in how fine they look. Gaps are on a scale of its own.",
            ),
            "For votes from elsewhere, and to compare.",
        ),
        Method(
            "method-style",
            "Style-controlled",
            (
                "The strengths, had answers been equally long and equally formatted.",
                "Does not matter.",
                "Half a win for each.",
                "Clustered on the judge, for the effects of style too.",
                "When length is part of being better: then it takes away too much. It observes; nobody was given a "
                "length by lot.",
            ),
            "Beside the rating.",
        ),
    )
