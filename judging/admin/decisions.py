"""What waits for an operator's decision: reports, and labels put aside."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from governance.actors import actor_words, shown_actor, with_erased_actors
from governance.admin_base import Act, Fact, Link, OperatorAdmin
from governance.operator_acts import Preview
from governance.operators import Ability, actor_of
from governance.waiting import Waiting
from governance.withheld import without_names
from judging.admin.battles import battle_link
from judging.admin.viewing import said, seen_by
from judging.exclusions import effect_of, effect_of_release
from judging.models import HeldLabel, Report
from judging.objections import REPORT_KINDS, resolve_report
from judging.trust import decide_hold


class WaitingReports(Waiting):
    waiting = {"resolved_at__isnull": True}


class WaitingHolds(Waiting):
    waiting = {"decision": "", "vote__withdrawn_at__isnull": True}


def _by_deadline(request: HttpRequest) -> tuple[str, ...]:
    return ("due_at", "pk") if Waiting.shows_waiting(request) else ("-pk",)


def _preview_void(*, rows: Sequence[Report], request: HttpRequest) -> Preview:
    # A void battle rates as one that is left out does: not at all.
    battles = {report.battle_id: report.battle for report in rows}.values()
    effect = effect_of(battles=battles, actor=actor_of(request.user))
    names = all(seen_by(request, battle).names for battle in battles)
    return Preview("admin/judging/effect.html", {"effect": effect, "names": names}, effect.seal)


@admin.register(Report)
class ReportAdmin(OperatorAdmin):
    introduction = "A reported battle is hidden until somebody decides, also after the deadline."
    list_display = ("id", "about", "due_at", "battle_id", "shown_note", "resolution")
    list_filter = (WaitingReports,)
    search_by = ("pk", "battle")
    search_help_text = "The whole identifier of a report or of its battle."
    acts = (
        Act(
            name="restore",
            words="Bring the battle back",
            ability=Ability.MODERATE,
            meaning="It is handed to judges again, unless another report still hides it.",
            do=lambda *, row, actor, reason: resolve_report(
                report_id=row.pk, resolution=Report.Resolution.RESTORED, actor=actor, reason=reason
            ),
            fits=lambda row: row.resolved_at is None,
        ),
        Act(
            name="void",
            words="Void the battle",
            ability=Ability.MODERATE,
            meaning="It rates nobody, for good, and shows your reason. This decides every report on it.",
            do=lambda *, row, actor, reason: resolve_report(
                report_id=row.pk, resolution=Report.Resolution.VOIDED, actor=actor, reason=reason
            ),
            fits=lambda row: row.resolved_at is None,
            preview=_preview_void,
        ),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return _by_deadline(request)

    @admin.display(description="about")
    def about(self, row: Report) -> str:
        return REPORT_KINDS.get(row.kind, row.kind)

    @admin.display(description="note")
    def shown_note(self, row: Report) -> str:
        return without_names(row.note)

    def facts_of(self, request: HttpRequest, row: Report) -> list[Fact]:
        names = seen_by(request, row.battle).names
        return [
            Fact("About", self.about(row)),
            Fact("Note", said(row.note, names=names) or "none"),
            Fact("Battle", battle_link(self.admin_site, row.battle_id)),
            Fact("Judge", row.judge_id),
            Fact("Reported", row.opened_at),
            Fact("Due", row.due_at),
            Fact("Decision", row.resolution or "waits"),
            Fact("Decided", row.resolved_at or "not yet"),
            Fact("Decided by", shown_actor(row.resolved_by) or "nobody yet"),
            Fact("Why", said(row.resolved_reason, names=names) or "not decided"),
        ]


def _preview_release(*, rows: Sequence[HeldLabel], request: HttpRequest, instead: bool = False) -> Preview:
    effect = effect_of_release(held=rows, actor=actor_of(request.user))
    names = all(seen_by(request, held.vote.battle).names for held in rows)
    context = {"effect": effect, "names": names, "released": True, "instead": instead}
    return Preview("admin/judging/effect.html", context, effect.seal)


def _preview_for_good(*, rows: Sequence[HeldLabel], request: HttpRequest) -> Preview:
    # They rate nobody as it is: what is decided is that they will not do what a release would.
    return _preview_release(rows=rows, request=request, instead=True)


@admin.register(HeldLabel)
class HeldLabelAdmin(OperatorAdmin):
    introduction = "Votes that were put aside. They rate nobody until somebody decides, which is due within a week."
    list_display = ("id", "due_at", "put_aside_by", "shown_reason", "vote_id", "decision")
    list_filter = (WaitingHolds,)
    list_select_related = ("vote",)
    search_by = ("vote",)
    search_help_text = "The whole identifier of a vote."
    acts = (
        Act(
            name="release",
            words="Release",
            ability=Ability.MODERATE,
            meaning="The vote rates again from the next fit on. For the test that held it, it is evidence of nothing.",
            do=lambda *, row, actor, reason: decide_hold(
                held=row, decision=HeldLabel.Decision.RELEASED, actor=actor, reason=reason
            ),
            fits=lambda row: not row.decision,
            preview=_preview_release,
        ),
        Act(
            name="exclude",
            words="Exclude",
            ability=Ability.MODERATE,
            meaning="The vote rates nobody, for good.",
            do=lambda *, row, actor, reason: decide_hold(
                held=row, decision=HeldLabel.Decision.EXCLUDED, actor=actor, reason=reason
            ),
            fits=lambda row: not row.decision,
            preview=_preview_for_good,
        ),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return _by_deadline(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[HeldLabel]:
        return with_erased_actors(super().get_queryset(request), "held_by")

    @admin.display(description="put aside by")
    def put_aside_by(self, row: HeldLabel) -> str:
        return actor_words(row.held_by, row.held_by_erased_at)  # type: ignore[attr-defined]  # annotated above

    @admin.display(description="why")
    def shown_reason(self, row: HeldLabel) -> str:
        return without_names(row.reason)

    def facts_of(self, request: HttpRequest, row: HeldLabel) -> list[Fact]:
        names = seen_by(request, row.vote.battle).names
        page = self.admin_site._registry[type(row.vote)]
        return [
            Fact("Vote", Link(str(row.vote_id), page.row_url(row.vote))),  # type: ignore[attr-defined]  # ours
            Fact("Battle", battle_link(self.admin_site, row.vote.battle_id)),
            Fact("Judge", row.vote.judge_id),
            Fact("Why", said(row.reason, names=names)),
            Fact("Put aside by", self.put_aside_by(row)),
            Fact("Put aside", row.held_at),
            Fact("Due", row.due_at),
            Fact("Decision", row.decision or "waits"),
            Fact("Decided by", shown_actor(row.decided_by) or "nobody yet"),
            Fact("Because", said(row.decided_reason, names=names) or "not decided"),
        ]
