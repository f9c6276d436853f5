"""What a reader of a fit should know before its numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.votes_file.checking import Votes
from ratings.votes_file.fitting import VoteFit
from ratings.votes_file.names import unseen_characters


@dataclass(frozen=True, slots=True)
class FitWarning:
    """A stable code and a sentence."""

    code: str
    message: str


def warnings_of(fit: VoteFit) -> list[FitWarning]:
    """All warnings of a fit."""
    votes, headline = fit.votes, fit.headline
    found = [FitWarning("looks_like", f"{pair}.") for pair in votes.look_alikes]
    found += [
        FitWarning("unseen_characters", f'"{name}" holds characters that nobody sees: {unseen}.')
        for name in votes.agents
        if (unseen := unseen_characters(name))
    ]
    if votes.rejected:
        found.append(
            FitWarning("partial", f"{len(votes.rejected)} of {votes.read} rows are no votes and were left out.")
        )
    if repeated := _repeated(votes):
        found.append(
            FitWarning(
                "repeated_votes", f"{repeated} rows repeat the vote of a judge on a battle; they share its weight."
            )
        )
    if not votes.judged:
        found.append(
            FitWarning(
                "no_judges",
                "No column says who judged. Errors take every battle as a judge of its own and are too small where a "
                "judge cast several votes: on real votes they were 1.1 to 3.3 times as large.",
            )
        )
    elif fit.clustered_on == "battle":
        found.append(
            FitWarning("judges_ignored", "The judges are known and were ignored: errors are too small if they differ.")
        )
    if fit.left_out:
        found.append(FitWarning("ties_left_out", f"{fit.left_out} ties were left out."))
    if votes.not_numbers:
        names = ", ".join(votes.not_numbers)
        found.append(FitWarning("style_not_numbers", f"Columns that hold no numbers are no style: {names}."))
    if len(headline.components) > 1:
        found.append(
            FitWarning(
                "not_connected",
                f"The agents form {len(headline.components)} groups that never met. Nothing compares across them.",
            )
        )
    if fit.options.anchor is not None and fit.anchored is None:
        found.append(
            FitWarning("anchor_unrated", f"{fit.options.anchor} has no rating to hold the scale at; the mean does.")
        )
    if any(row.reason == "not_identified" for row in fit.rows):
        found.append(
            FitWarning("not_identified", "Where judges do not outnumber what is estimated there is no interval.")
        )
    return found


def _repeated(votes: Votes) -> int:
    """Rows of a judge on a battle beyond the first."""
    columns = votes.comparisons
    if not votes.judged or columns.battle is None:
        return 0
    pairs = columns.judge.astype(np.int64) << 32 | columns.battle
    return len(pairs) - len(np.unique(pairs))
