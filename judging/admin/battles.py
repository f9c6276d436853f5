"""Battles with both recordings, under the rule that holds for everybody."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, resolve, reverse

from battles.imagery.masks import shown_image
from battles.lanes.ending_words import plain_void_reason
from battles.models import Battle, Frame
from battles.presentation import STATE_WORDS, LaneView, lane_views, shown_lanes
from battles.shown_words import shown_remark, shown_task
from governance.actors import shown_actors
from governance.admin_base import Act, Fact, Link, OperatorAdmin, Panel
from governance.models import JournalEntry
from governance.operator_acts import Preview
from governance.operators import Ability, actor_of
from judging.admin.leak_places import leak_places
from judging.admin.viewing import HIDDEN, PRIVATE, REASON_WORDS, is_private, left_out_panel, said, seen_by
from judging.exclusions import effect_of, exclude_battle, is_left_out, readmit_battle
from judging.leak_reviews import LEAKS, review_leak
from judging.models import Exclusion, Report, Vote
from judging.pool import shown_kind

#: The page of a battle shows so many rows of its journal and of each of its tables.
SHOWN = 30


class InState(admin.SimpleListFilter):
    """By state, for which there is an index with the time."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(Battle.State.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Battle]) -> QuerySet[Battle]:
        return queryset.filter(state=self.value()) if self.value() in Battle.State.values else queryset


def _preview_exclusion(*, rows: Sequence[Battle], request: HttpRequest) -> Preview:
    effect = effect_of(battles=rows, actor=actor_of(request.user))
    names = all(seen_by(request, battle).names for battle in rows)
    return Preview("admin/judging/effect.html", {"effect": effect, "names": names}, effect.seal)


@admin.register(Battle)
class BattleAdmin(OperatorAdmin):
    introduction = "Every battle, the newest first. Who raced shows to you when it would to a judge who did as you did."
    list_display = ("id", "created_at", "shown_state", "kind_shown", "category", "leak_scan")
    list_filter = (InState,)
    list_select_related = ("task",)
    search_by = ("pk",)
    search_help_text = "The whole identifier of a battle."
    acts = (
        Act(
            name="exclude",
            words="Leave out of the ratings",
            ability=Ability.MODERATE,
            meaning="It counts among the battles that never ran from the next fit on. Nothing of it is deleted.",
            do=lambda *, row, actor, reason: exclude_battle(battle=row, actor=actor, reason=reason),
            fits=lambda row: not is_left_out(row),
            preview=_preview_exclusion,
        ),
        Act(
            name="readmit",
            words="Let in again",
            ability=Ability.MODERATE,
            meaning="What an operator left out rates again from the next fit on, where no other rule keeps it out.",
            do=lambda *, row, actor, reason: readmit_battle(battle=row, actor=actor, reason=reason),
            fits=is_left_out,
        ),
        Act(
            name="review-leak",
            words="The leak was looked at",
            ability=Ability.MODERATE,
            meaning="Takes it off the list of leaks. The battle goes on rating nobody.",
            do=lambda *, row, actor, reason: review_leak(battle=row, actor=actor, reason=reason),
            fits=lambda row: row.leak_scan in LEAKS,
        ),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        # By state there is an index with the time; without one the identifiers are in order of time.
        return ("-created_at",) if request.GET.get(InState.parameter_name) else ("-pk",)

    def get_urls(self) -> list[URLPattern]:
        frame = path(
            "<uuid:battle_id>/frames/<uuid:frame_id>",
            self.admin_site.admin_view(self.frame_view),
            name="battles_battle_frame",
        )
        return [frame, *super().get_urls()]

    @admin.display(description="state")
    def shown_state(self, row: Battle) -> str:
        return STATE_WORDS[Battle.State(row.state)]

    @admin.display(description="kind")
    def kind_shown(self, row: Battle) -> str:
        # Which battles have a known outcome is no more an operator's to know than a judge's, who they may be.
        return shown_kind(row)

    @admin.display(description="category")
    def category(self, row: Battle) -> str:
        return row.task.category

    # ---- the page of one battle ----

    def facts_of(self, request: HttpRequest, row: Battle) -> list[Fact]:
        seen = seen_by(request, row)
        why = f"{HIDDEN}: {REASON_WORDS.get(seen.reason, seen.reason)}"
        task = PRIVATE if is_private(row) else shown_task(row.task, original=False)["instruction"]
        # What a browser or a provider said of it may quote the task.
        why_void = plain_void_reason(row.void_reason) if is_private(row) else row.void_reason
        known = [
            ("Lane A", f"{row.agent_a.name}, {row.agent_a.model_version}"),
            ("Lane B", f"{row.agent_b.name}, {row.agent_b.model_version}"),
            ("Kind", row.get_kind_display()),
            ("Judges needed", row.judges_needed),
            ("Probability of the pair", row.pair_probability),
        ]
        hidden = [("Who raced", why), ("Kind", shown_kind(row))]
        return [
            Fact("Task", task),
            Fact("State", self.shown_state(row)),
            Fact("Made", row.created_at),
            Fact("Open to votes since", row.votable_at or "not yet"),
            Fact("Closed", row.closed_at or "not yet"),
            Fact("Leak scan", row.leak_scan or "not yet"),
            Fact("Lanes began from different pages", {True: "yes", False: "no", None: "not known"}[row.starts_differ]),
            Fact("Void because", shown_remark(row.task, why_void, original=False) or "it is not void"),
            *(Fact(label, value) for label, value in (known if seen.names else hidden)),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Battle]:
        return super().get_queryset(request).select_related("task")

    def panels(self, request: HttpRequest, row: Battle) -> list[Panel]:
        names = seen_by(request, row).names
        return [
            *leak_places(request, row, names=names),
            self._recordings(row),
            self._votes(row, names=names),
            self._reports(row, names=names),
            self._exclusions(row, names=names),
            self._history(row, names=names),
        ]

    def _recordings(self, battle: Battle) -> Panel:
        if is_private(battle):
            return Panel("Recordings", empty=PRIVATE)
        lanes = [_with_own_frames(lane) for lane in lane_views(battle, shown_lanes(battle), {})]
        return Panel("Recordings", template="admin/judging/recordings.html", context={"lanes": lanes})

    def _votes(self, battle: Battle, *, names: bool) -> Panel:
        if not names:
            return Panel("Votes", empty=f"What others said is {HIDDEN}.")
        votes = Vote.objects.filter(battle=battle).select_related("winner").order_by("cast_at")[:SHOWN]
        page = self.admin_site._registry[Vote]
        rows = [
            (
                Link(str(vote.pk), page.row_url(vote)),  # type: ignore[attr-defined]  # ours
                vote.cast_at,
                vote.winner.slot if vote.winner else vote.get_choice_display(),
                vote.judge_id,
                "yes" if vote.by_submitter else "no",
                vote.locked_at or "not yet",
            )
            for vote in votes
        ]
        return Panel("Votes", ("vote", "cast", "says", "judge", "the poster's", "final since"), rows, "Nobody voted.")

    def _reports(self, battle: Battle, *, names: bool) -> Panel:
        reports = Report.objects.filter(battle=battle).order_by("opened_at")[:SHOWN]
        page = self.admin_site._registry[Report]
        rows = [
            (
                Link(str(report.pk), page.row_url(report)),  # type: ignore[attr-defined]  # ours
                report.kind,
                said(report.note, names=names),
                report.due_at,
                report.resolution or "waits",
            )
            for report in reports
        ]
        return Panel("Reports", ("report", "about", "said", "due", "decision"), rows, "Nobody reported it.")

    def _exclusions(self, battle: Battle, *, names: bool) -> Panel:
        return left_out_panel(Exclusion.objects.filter(battle=battle).order_by("-id")[:SHOWN], names=names)

    def _history(self, battle: Battle, *, names: bool) -> Panel:
        entries = JournalEntry.objects.filter(subject=str(battle.pk)).order_by("-at")[:SHOWN]
        who = shown_actors(entry.actor for entry in entries)
        rows = [(entry.at, entry.action, who[entry.actor], said(entry.reason, names=names)) for entry in entries]
        return Panel("History", ("when", "what", "who", "why"), rows, "Nothing is recorded.")

    def frame_view(self, request: HttpRequest, battle_id: uuid.UUID, frame_id: uuid.UUID) -> HttpResponse:
        """A picture of a recording that operators may see.

        Raises:
            Http404: it is not there, or stays its poster's.
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = Frame.objects.filter(pk=frame_id, lane__attempt__battle=battle_id).first()
        battle = Battle.objects.filter(pk=battle_id).first()
        if battle is None or found is None or not found.sha256 or is_private(battle):
            raise Http404
        try:
            image = shown_image(found, original=False)
        except (FileNotFoundError, ValueError):
            raise Http404 from None
        return HttpResponse(image, content_type=found.mime)


def _with_own_frames(lane: LaneView) -> LaneView:
    """The same with the operators' addresses of its frames: the others ask whether one judges the battle."""
    steps = [replace(step, frame_url=_own_address(step.frame_url)) for step in lane.steps]
    start, newest = _own_address(lane.start_frame_url), _own_address(lane.frame_url)
    return replace(lane, steps=steps, start_frame_url=start, frame_url=newest)


def _own_address(frame_url: str | None) -> str | None:
    if frame_url is None:
        return None
    return reverse("admin:battles_battle_frame", kwargs=dict(resolve(frame_url).kwargs))


def battle_link(site: admin.AdminSite, battle_id: uuid.UUID) -> Link:
    """Where a battle's page is, for tables on other pages."""
    return Link(str(battle_id), reverse(f"{site.name}:battles_battle_change", args=[battle_id]))


__all__ = ["BattleAdmin", "battle_link"]
