"""Votes, one by one. What a vote says shows where it would to any judge who did as this operator did."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin
from django.http import HttpRequest

from governance.actors import shown_actors
from governance.admin_base import Act, Fact, OperatorAdmin, Panel
from governance.operator_acts import Preview
from governance.operators import Ability, actor_of
from judging.admin.battles import battle_link
from judging.admin.viewing import HIDDEN, left_out_panel, said, seen_by
from judging.exclusions import effect_of, exclude_vote, is_left_out, readmit_vote
from judging.models import Completion, HeldLabel, Vote, VoteRevision
from judging.trust import hold_label


def _preview_leaving_out(*, rows: Sequence[Vote], request: HttpRequest) -> Preview:
    effect = effect_of(votes=rows, actor=actor_of(request.user))
    names = all(seen_by(request, vote.battle).names for vote in rows)
    return Preview("admin/judging/effect.html", {"effect": effect, "names": names}, effect.seal)


@admin.register(Vote)
class VoteAdmin(OperatorAdmin):
    introduction = "Every vote, the newest first. No vote is changed here; you can put one aside, or leave it out."
    list_display = ("id", "cast_at", "battle_id", "judge_id", "by_submitter", "locked_at", "withdrawn_at")
    search_by = ("pk", "battle", "judge")
    search_help_text = "The whole identifier of a vote, a battle or a judge."
    list_select_related = ()
    acts = (
        Act(
            name="hold",
            words="Put aside",
            ability=Ability.MODERATE,
            meaning="It rates nobody until it is released or excluded, which is due within a week.",
            do=lambda *, row, actor, reason: hold_label(vote=row, actor=actor, reason=reason),
            # While it is put aside it rates as one that is left out does: not at all.
            preview=_preview_leaving_out,
        ),
        Act(
            name="exclude",
            words="Leave out of the ratings",
            ability=Ability.MODERATE,
            meaning="It counts as not admissible from the next fit on. Nothing of it is deleted.",
            do=lambda *, row, actor, reason: exclude_vote(vote=row, actor=actor, reason=reason),
            fits=lambda row: not is_left_out(row),
            preview=_preview_leaving_out,
        ),
        Act(
            name="readmit",
            words="Let in again",
            ability=Ability.MODERATE,
            meaning="It rates again from the next fit on, where no other rule keeps it out.",
            do=lambda *, row, actor, reason: readmit_vote(vote=row, actor=actor, reason=reason),
            fits=is_left_out,
        ),
    )

    def facts_of(self, request: HttpRequest, row: Vote) -> list[Fact]:
        names = seen_by(request, row.battle).names
        winner = f"lane {row.winner.slot} is better" if row.winner else row.get_choice_display()
        says = winner if names else HIDDEN
        note = said(row.note, names=names) if names else HIDDEN
        return [
            Fact("Battle", battle_link(self.admin_site, row.battle_id)),
            Fact("Judge", row.judge_id),
            Fact("Says", says),
            Fact("Note", note or "none"),
            Fact("By whoever posted the task", "yes" if row.by_submitter else "no"),
            Fact("Cast", row.cast_at),
            Fact("Final since", row.locked_at or "not yet"),
            Fact("Taken back", row.withdrawn_at or "no"),
            Fact("Looked at it, in seconds", "not known" if row.focus_ms is None else round(row.focus_ms / 1000)),
        ]

    def panels(self, request: HttpRequest, row: Vote) -> list[Panel]:
        names = seen_by(request, row.battle).names
        holds = HeldLabel.objects.filter(vote=row).order_by("-pk")
        who = shown_actors(actor for hold in holds for actor in (hold.held_by, hold.decided_by))
        held = [
            (
                hold.held_at,
                who[hold.held_by],
                said(hold.reason, names=names),
                hold.decision or "waits",
                who[hold.decided_by],
            )
            for hold in holds
        ]
        panels = [
            Panel("Put aside", ("when", "by", "why", "decision", "decided by"), held, "Never."),
            left_out_panel(row.exclusions.order_by("-id"), names=names),
        ]
        if names:
            found = Completion.objects.filter(vote=row).select_related("lane").order_by("lane__slot")
            verdicts = [(completion.lane.slot, completion.get_verdict_display()) for completion in found]
            before = VoteRevision.objects.filter(vote=row).order_by("number")
            revisions = [(revision.at, revision.get_choice_display()) for revision in before]
            panels.append(Panel("Whether each lane did the task", ("lane", "verdict"), verdicts, "Not said."))
            panels.append(Panel("What it said before", ("when", "choice"), revisions, "It was never revised."))
        return panels
