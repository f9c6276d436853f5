"""What is disclosed of who races: shares of the draw, names that moved, promises and what came of them."""

from battles.draw_shares import ALARM_BELOW, HELD_BACK, LEAST_EXPECTED, LOOKED_BACK, DrawShare, public_shares
from battles.models import Agent, AgentAlias, Preregistration
from battles.preregistrations import promised_metrics
from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure


def shares_of_draws() -> Sheet:
    """Each agent's share of the draws it could have been in, against what the rule gives."""
    names = dict(Agent.objects.values_list("key", "name"))
    found = public_shares()
    return Sheet(
        says=(
            "No agent is put aside silently. What is expected is worked out from the rule of the draw; below "
            f"{ALARM_BELOW:.0%} of it an operator must look. Ratings are those of today, so that small differences say "
            "nothing.",
            f"The last {HELD_BACK.days} days are left out, since their battles may still be judged blind.",
        ),
        columns=("Agent", f"Share of draws in {LOOKED_BACK.days} days", "Expected", "Alarm"),
        rows=tuple(
            (Cell(names[share.agent], href=f"/standings/{share.agent}"), *_share_cells(share))
            for share in (found.shares if found else ())
        ),
        none=f"Nothing was drawn in the {LOOKED_BACK.days} days before."
        if found
        else "They are worked out every night, and no night has passed yet.",
        more=(f"Worked out on {found.at:%Y-%m-%d}.",) if found else (),
    )


def _share_cells(share: DrawShare) -> tuple[Cell, Cell, Cell]:
    """Shares of few draws would give away how many there were, and say nothing."""
    if share.expected < LEAST_EXPECTED:
        return Cell("too few draws"), Cell(""), Cell("no")
    return Cell(f"{share.share:.0%}"), Cell(f"{share.expected_share:.0%}"), Cell("yes" if share.alarming else "no")


def aliases() -> Sheet:
    """Moving names, and from when each stands for which version."""
    rows = AgentAlias.objects.select_related("agent")
    return Sheet(
        says=("A provider may serve another model under the same name. Each version is an agent of its own here.",),
        columns=("Name", "From", "Stands for", "Source"),
        rows=tuple(
            (
                Cell(row.alias),
                Cell(f"{row.effective_from:%Y-%m-%d %H:%M} UTC" if row.effective_from else "since ever"),
                Cell(row.agent.name),
                Cell(row.source),
            )
            for row in rows
        ),
        none="No moving name is known.",
    )


def promises() -> Sheet:
    """What was promised before its first battle, and what came out beside it."""
    words = {key: metric.words for key, metric in promised_metrics().items()}
    rows = []
    for promise in Preregistration.objects.select_related("result"):
        result = getattr(promise, "result", None)
        rows.append(
            (
                Cell(f"{promise.entered_at:%Y-%m-%d}"),
                Cell(", ".join(promise.agents) + (f"; {promise.category} tasks" if promise.category else "")),
                Cell(f"{words.get(promise.metric, promise.metric)} Over {promise.size} battles."),
                Cell(promise.analysis),
                Cell(f"{result.words} (read on {result.read_at:%Y-%m-%d})" if result else "not there yet"),
            )
        )
    return Sheet(
        says=("Each of these is in the ledger, entered before the first battle it speaks of was drawn.",),
        columns=("Promised on", "Of", "Measure", "Analysis", "What came out"),
        rows=tuple(rows),
        none="Nothing was promised.",
    )


register_disclosure(Disclosure("draw-shares", "Shares of the draw", place=55, read=shares_of_draws))
register_disclosure(Disclosure("aliases", "Names that moved", place=52, read=aliases))
register_disclosure(Disclosure("preregistrations", "Preregistrations", place=70, read=promises))
