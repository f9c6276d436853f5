"""The quality report: what this record does not entitle anybody to claim, why not, and what would earn it.

Pure rules over a snapshot of figures. A rule that finds nothing wrong says nothing; a figure that is missing is never
taken for a good one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from governance.redaction.imagery_posture import TO_REACH
from ratings.inference.status import SETTLING_BATTLES, items_to_resolve

#: Below this, judges of one battle agree too little to speak of a common standard (Krippendorff 2004, section 11.3).
ALPHA_TENTATIVE = 0.667
#: An interval of alpha wider than this could hold agreement and chance alike.
ALPHA_WIDTH = 0.3
#: So many equally busy judges are needed for intervals that treat judges as clusters.
JUDGES_NEEDED = 40
#: One judge with more of the votes than this carries the result.
JUDGE_MOST = 0.2
#: More of the rated battles than this decided by whoever posted the task make it their arena.
SELF_JUDGED_MOST = 0.5
#: What a screen has to find before anybody says that it finds leaks.
RECALL_LEAST = 0.95
#: What each detector of details in pictures has to find by itself.
PICTURE_RECALL_LEAST = TO_REACH[0] / TO_REACH[1]
#: A measurement of a detector is out of date after so many days.
FRESH_DAYS = 90
#: Fewer of the pairs met than this, and the rest of the order is inference.
COVERAGE_LEAST = 0.8
#: When so small a share of the votes decides place 1, a few people do.
FLIP_LEAST = 0.01
#: More of the lanes void, or of the battles hindered on one side, than this is no even race.
VOID_MOST, ONE_SIDED_MOST = 0.05, 0.1
#: More calls than this without usage, and what was billed is a guess.
USAGE_MISSING_MOST = 0.05
#: The least-offered agent has at least this much of what the most-offered one has.
OFFER_LEAST = 0.5


@dataclass(frozen=True, slots=True)
class Figures:
    """What the rules look at. None is unknown; shares are between 0 and 1.

    Attributes:
        people_judged: whether any vote rates on the headline board.
        alpha, alpha_lower, alpha_upper: agreement of independent judges.
        statuses: agents of the standings by key, with their status.
        refusals: agents without a rating or an interval, with the reason.
        components: groups of agents that never met one another.
        judges_effective, judge_most: how many equally busy judges the votes are worth, and the busiest one's share.
        self_judged: share of rated battles decided by the submitter.
        categories: rated battles by category of task.
        leak_recall, leak_days: recall of the leak scan on its labelled cases, and days since it was measured.
        redaction_recall, redaction_days: the same of the detectors of private data in texts.
        imagery_recall, imagery_days: the same of those in pictures: the page's or the picture's, whichever finds less.
        overlap_current: whether the benchmark screen was measured as it is now.
        withdrawals_overdue, withdrawals_on_time: how many are overdue, and the share done in time.
        style_accuracy, style_chance, style_lower: how well habits tell who raced, against guessing.
        pair_coverage, offer_ratio, drop_to_flip, void, one_sided, usage_missing, leaks: measures of these names.
    """

    people_judged: bool
    alpha: float | None
    alpha_lower: float | None
    alpha_upper: float | None
    statuses: Mapping[str, str]
    refusals: Mapping[str, str]
    components: int
    judges_effective: float | None
    judge_most: float | None
    self_judged: float | None
    categories: Mapping[str, int]
    leak_recall: float | None
    leak_days: float | None
    redaction_recall: float | None
    redaction_days: float | None
    imagery_recall: float | None
    imagery_days: float | None
    overlap_current: bool
    withdrawals_overdue: int | None
    withdrawals_on_time: float | None
    style_accuracy: float | None
    style_chance: float | None
    style_lower: float | None
    pair_coverage: float | None
    offer_ratio: float | None
    drop_to_flip: float | None
    void: float | None
    one_sided: float | None
    usage_missing: float | None
    leaks: float | None


@dataclass(frozen=True, slots=True)
class NotEntitled:
    """One claim that cannot be made."""

    key: str
    claim: str
    why: str
    earned_by: str


Rule = Callable[[Figures], tuple[str, str, str] | None]
RULES: dict[str, Rule] = {}


def rule(found: Rule) -> Rule:
    """Register a rule under its name; it gives the claim, why it cannot be made, and what would earn it."""
    RULES[found.__name__] = found
    return found


def report(figures: Figures) -> list[NotEntitled]:
    """Every claim that these figures do not entitle anybody to, in the order of the rules."""
    found = ((key, each(figures)) for key, each in RULES.items())
    return [NotEntitled(key, *told) for key, told in found if told is not None]


@rule
def headline(figures: Figures) -> tuple[str, str, str] | None:
    if figures.people_judged:
        return None
    return (
        "How models do on tasks of people",
        "No vote on a live battle between two models rates yet; what is shown is the demo board.",
        "Votes on live battles between rostered models, by judges with an account.",
    )


@rule
def agreement(figures: Figures) -> tuple[str, str, str] | None:
    claim = "That judges share a standard of what is better"
    more = "More battles judged by three independent judges, drawn when the battle is made."
    if figures.alpha is None:
        return claim, "Agreement is undefined: too few battles were judged twice, or everybody said the same.", more
    lower, upper = figures.alpha_lower, figures.alpha_upper
    if lower is None or upper is None or upper - lower > ALPHA_WIDTH:
        return claim, "The interval of Krippendorff’s alpha is too wide, or cannot be given.", more
    if lower < ALPHA_TENTATIVE:
        return (
            claim,
            f"Krippendorff’s alpha may be as low as {lower:.2f}; {ALPHA_TENTATIVE} is asked of tentative conclusions.",
            "A clearer rubric, training on calibration rounds, and the same measured again.",
        )
    return None


@rule
def stable_ratings(figures: Figures) -> tuple[str, str, str] | None:
    unstable = sorted(agent for agent, status in figures.statuses.items() if status != "stable")
    if figures.statuses and not unstable:
        return None
    who = f"Not stable: {', '.join(unstable)}." if unstable else "No agent has a rating."
    return (
        "That the ratings have come to rest",
        who,
        f"More rated battles: an agent is provisional below {SETTLING_BATTLES}, and stable with many and no drift.",
    )


@rule
def identified_intervals(figures: Figures) -> tuple[str, str, str] | None:
    if not figures.refusals:
        return None
    told = ", ".join(f"{agent} ({reason})" for agent, reason in sorted(figures.refusals.items()))
    return (
        "How uncertain every rating is",
        f"No finite rating, or no interval: {told}.",
        "More judges than there are ratings to find, and for each agent both won and lost votes.",
    )


@rule
def one_board(figures: Figures) -> tuple[str, str, str] | None:
    if figures.components <= 1:
        return None
    return (
        "An order over all agents",
        "Some agents never met, not even through others.",
        "Battles across the groups; the draw favours them.",
    )


@rule
def many_judges(figures: Figures) -> tuple[str, str, str] | None:
    worth, most = figures.judges_effective, figures.judge_most
    if worth is not None and worth >= JUDGES_NEEDED and most is not None and most <= JUDGE_MOST:
        return None
    return (
        "That the order is what people prefer, and not what a few do",
        "The votes are worth too few equally busy judges, or one judge cast too many of them."
        if worth is not None
        else "No vote rates yet.",
        f"Votes worth {JUDGES_NEEDED} equally busy judges, none with more than {JUDGE_MOST:.0%} of the votes.",
    )


@rule
def independent_judges(figures: Figures) -> tuple[str, str, str] | None:
    share = figures.self_judged
    if share is not None and share <= SELF_JUDGED_MOST:
        return None
    return (
        "That somebody other than the submitter decided",
        "It is not known how many battles only their submitter judged."
        if share is None
        else f"{share:.0%} of the rated battles rest on the submitter’s own blind label.",
        "More battles offered to the pool and judged there.",
    )


@rule
def powered_categories(figures: Figures) -> tuple[str, str, str] | None:
    needed = items_to_resolve()
    weak = sorted(category for category, battles in figures.categories.items() if battles < needed)
    if figures.categories and not weak:
        return None
    where = f"Underpowered: {', '.join(weak)}." if weak else "No battle rates in any category."
    return (
        "Differences of three points within a category",
        where,
        f"{needed} independent rated battles in the category.",
    )


@rule
def leak_scan(figures: Figures) -> tuple[str, str, str] | None:
    return _detector(
        "That no text gave an agent away",
        figures.leak_recall,
        figures.leak_days,
        "manage.py measure_identity",
    )


@rule
def redaction(figures: Figures) -> tuple[str, str, str] | None:
    return _detector(
        "That private data was taken out of texts",
        figures.redaction_recall,
        figures.redaction_days,
        "manage.py measure_redaction",
    )


@rule
def imagery(figures: Figures) -> tuple[str, str, str] | None:
    return _detector(
        "That private data in pictures was masked",
        figures.imagery_recall,
        figures.imagery_days,
        "manage.py measure_imagery",
        least=PICTURE_RECALL_LEAST,
    )


def _detector(
    claim: str, recall: float | None, days: float | None, command: str, *, least: float = RECALL_LEAST
) -> tuple[str, str, str] | None:
    earned = f"A recall of {least:.2f} on the labelled cases, measured within {FRESH_DAYS} days by {command}."
    if recall is None:
        return claim, "How much the detector finds has not been measured, or not as it is now.", earned
    if recall < least:
        return claim, f"The detector found {recall:.2f} of the labelled cases.", earned
    if days is None or days > FRESH_DAYS:
        return claim, "The measurement is out of date.", earned
    return None


@rule
def novel_tasks(figures: Figures) -> tuple[str, str, str] | None:
    if figures.overlap_current:
        return None
    return (
        "That tasks are not from public benchmarks",
        "The screen was not measured with the index and the cases that are shipped now.",
        "manage.py measure_overlap, run after the last change.",
    )


@rule
def kept_withdrawals(figures: Figures) -> tuple[str, str, str] | None:
    overdue, on_time = figures.withdrawals_overdue, figures.withdrawals_on_time
    if overdue == 0 and (on_time is None or on_time >= 1):
        return None
    why = "It is not known whether any is overdue." if overdue is None else "Some were done late, or are overdue now."
    return "That withdrawals are done in time", why, "Every withdrawal done before its deadline."


@rule
def blind_by_style(figures: Figures) -> tuple[str, str, str] | None:
    if figures.style_accuracy is None or figures.style_chance is None or figures.style_lower is None:
        why = "How well habits tell who raced has not been measured yet."
    elif figures.style_lower <= figures.style_chance:
        return None
    else:
        why = (
            f"A program that knows the agents’ habits was right for {figures.style_accuracy:.0%} of the lanes; "
            f"guessing is right for {figures.style_chance:.0%}."
        )
    return (
        "That judges cannot tell who raced",
        why,
        "A reading of the attribution by style whose interval reaches down to guessing.",
    )


@rule
def pairs_met(figures: Figures) -> tuple[str, str, str] | None:
    if figures.pair_coverage is not None and figures.pair_coverage >= COVERAGE_LEAST:
        return None
    return (
        "That most agents were compared with one another directly",
        "Too few pairs of active agents have met in ten rated votes.",
        f"{COVERAGE_LEAST:.0%} of the pairs with ten rated votes and more.",
    )


@rule
def even_offers(figures: Figures) -> tuple[str, str, str] | None:
    if figures.offer_ratio is not None and figures.offer_ratio >= OFFER_LEAST:
        return None
    return (
        "That agents were drawn alike",
        "One active agent was drawn less than half as often as another, or nobody was since all are there.",
        f"A ratio of {OFFER_LEAST} and more between the least and the most drawn.",
    )


@rule
def robust_top(figures: Figures) -> tuple[str, str, str] | None:
    if figures.drop_to_flip is not None and figures.drop_to_flip >= FLIP_LEAST:
        return None
    return (
        "That place 1 does not hang on a few votes",
        "How few votes would change it could not be found."
        if figures.drop_to_flip is None
        else f"Leaving out {figures.drop_to_flip:.1%} of the votes changes it.",
        f"A lead that no {FLIP_LEAST:.0%} of the votes can turn.",
    )


@rule
def even_races(figures: Figures) -> tuple[str, str, str] | None:
    void, one_sided = figures.void, figures.one_sided
    if void is not None and void <= VOID_MOST and one_sided is not None and one_sided <= ONE_SIDED_MOST:
        return None
    return (
        "That both lanes had the same chance",
        "Too few lanes ran to say so."
        if void is None or one_sided is None
        else f"{void:.0%} of the lanes were void, and {one_sided:.0%} of the battles were hindered on one side only.",
        f"At most {VOID_MOST:.0%} void lanes and {ONE_SIDED_MOST:.0%} battles hindered on one side.",
    )


@rule
def known_cost(figures: Figures) -> tuple[str, str, str] | None:
    if figures.usage_missing is not None and figures.usage_missing <= USAGE_MISSING_MOST:
        return None
    return (
        "What agents cost",
        "No model call has reported its usage yet, or too many did not.",
        f"Usage of all but {USAGE_MISSING_MOST:.0%} of the model calls, and a price for each version.",
    )


@rule
def clean_texts(figures: Figures) -> tuple[str, str, str] | None:
    if figures.leaks is not None and figures.leaks < 1 - RECALL_LEAST:
        return None
    return (
        "That leaks are rare enough not to select who is rated",
        "Too few battles were scanned."
        if figures.leaks is None
        else f"{figures.leaks:.0%} of the scanned battles named an agent and rate nobody.",
        "Less than 5% of the battles left out for naming an agent.",
    )
