"""Judges with the history of their trust and their calibration, and every change of trust."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from battles.models import Battle
from governance.actors import actor_words, shown_actors, with_erased_actors
from governance.admin_base import Act, Fact, OperatorAdmin, Panel
from governance.models import Judge
from governance.operator_acts import Preview
from governance.operators import Ability, actor_of
from governance.withheld import without_names
from judging.admin.battles import battle_link
from judging.admin.viewing import all_seen_by
from judging.calibration import calibration
from judging.models import HeldLabel, JudgeAccount, TrustChange
from judging.trust import INADMISSIBLE, State, reinstate_judge, suspend_judge, trust_state
from judging.trust_effects import effect_of_trust
from judging.trust_rule import wrong_mark_words

#: The page of a judge shows so many scored calls, changes of trust and held votes, the newest ones.
SHOWN = 40
#: Their votes are counted up to this.
COUNTED = 1_000


def _preview(state: State) -> Callable[..., Preview]:
    def preview(*, rows: Sequence[Judge], request: HttpRequest) -> Preview:
        effect = effect_of_trust(judges=rows, state=state, actor=actor_of(request.user))
        voted = Battle.objects.filter(votes__judge__in=rows, votes__withdrawn_at__isnull=True)
        names = all_seen_by(request, voted)
        return Preview("admin/judging/effect.html", {"effect": effect, "names": names}, effect.seal)

    return preview


@admin.register(Judge)
class JudgeAdmin(OperatorAdmin):
    introduction = "A judge is a random identifier. Whose it is nobody can see here."
    list_display = ("id", "created_at", "erased_at", "state")
    search_by = ("pk",)
    search_help_text = "The whole identifier of a judge."
    acts = (
        Act(
            name="suspend",
            words="Suspend",
            ability=Ability.MODERATE,
            meaning="Their labels leave every fit from the next one on, and the pool is closed to them. They read why.",
            do=lambda *, row, actor, reason: suspend_judge(judge=row, actor=actor, reason=reason),
            fits=lambda row: trust_state(row) != State.SUSPENDED,
            preview=_preview(State.SUSPENDED),
        ),
        Act(
            name="reinstate",
            words="Reinstate",
            ability=Ability.MODERATE,
            meaning="Their labels rate again from the next fit on, and the rule starts anew.",
            do=lambda *, row, actor, reason: reinstate_judge(judge=row, actor=actor, reason=reason),
            fits=lambda row: trust_state(row) in INADMISSIBLE,
            preview=_preview(State.NEW),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Judge]:
        latest = TrustChange.objects.filter(judge=OuterRef("pk")).order_by("-id").values("state")[:1]
        judges: QuerySet[Judge] = super().get_queryset(request)
        return judges.annotate(trust=Coalesce(Subquery(latest), Value(State.NEW.value)))

    @admin.display(description="trust")
    def state(self, row: Judge) -> str:
        return str(row.trust)  # type: ignore[attr-defined]  # annotated above

    def facts_of(self, request: HttpRequest, row: Judge) -> list[Fact]:
        cast = len(row.votes.filter(withdrawn_at__isnull=True).values_list("pk")[: COUNTED + 1])
        account = JudgeAccount.objects.filter(judge=row).exists()
        return [
            Fact("Identifier", row.pk),
            Fact("Trust", self.state(row)),
            Fact("Since", row.created_at),
            Fact("Erased", row.erased_at or "no"),
            Fact("Votes", f"more than {COUNTED:,}" if cast > COUNTED else cast),
            Fact("Has an account", "yes" if account else "no"),
            Fact("The rule", wrong_mark_words()),
        ]

    def panels(self, request: HttpRequest, row: Judge) -> list[Panel]:
        changes = row.trust_changes.order_by("-id")[:SHOWN]
        who = shown_actors(change.actor for change in changes)
        trust = [
            (change.at, f"{change.before} to {change.state}", who[change.actor], without_names(change.reason))
            for change in changes
        ]
        holds = HeldLabel.objects.filter(vote__judge=row).order_by("-pk")[:SHOWN]
        held = [(hold.held_at, without_names(hold.reason), hold.decision or "waits") for hold in holds]
        return [
            Panel("History of trust", ("when", "change", "who", "why"), trust, "It never changed."),
            self._calibration(request, row),
            Panel("Votes put aside", ("when", "why", "decision"), held, "None."),
        ]

    def _calibration(self, request: HttpRequest, judge: Judge) -> Panel:
        if "calls" not in request.GET:
            ask = {"ask": "calls", "words": "Work out their scored calls"}
            return Panel("Calibration", template="admin/judging/ask.html", context=ask)
        found = calibration(judge)
        if found.accuracy is None:
            return Panel("Calibration", empty="No call of theirs is settled.")
        rows = [
            (call.settled_at, battle_link(self.admin_site, call.battle), "right" if call.right else "wrong")
            for call in reversed(found.calls[-SHOWN:])
        ]
        note = (
            f"{found.right} of {len(found.calls)} scored calls were right: {found.accuracy:.0%}, 95% interval "
            f"{found.lower:.0%} to {found.upper:.0%}."
        )
        return Panel("Calibration", ("settled", "battle", "call"), rows, note=note)


@admin.register(TrustChange)
class TrustChangeAdmin(OperatorAdmin):
    introduction = "Every change of trust, the newest first. Nothing here can be changed."
    list_display = ("at", "judge_id", "before", "state", "who", "shown_reason")
    search_by = ("judge",)
    search_help_text = "The whole identifier of a judge."
    facts = ("at", "judge_id", "before", "state", "who", "shown_reason", "calls", "right")

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrustChange]:
        return with_erased_actors(super().get_queryset(request))

    @admin.display(description="actor")
    def who(self, row: TrustChange) -> str:
        return actor_words(row.actor, row.actor_erased_at)  # type: ignore[attr-defined]  # annotated above

    @admin.display(description="why")
    def shown_reason(self, row: TrustChange) -> str:
        return without_names(row.reason)
