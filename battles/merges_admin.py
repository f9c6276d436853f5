"""Operators' pages of versions that count in one row of the board."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from battles.merges import effect_of_merging, merge_agents, merges_in_force, unmerge_agents
from battles.models import AgentMerge
from battles.roster import LONGEST, LONGEST_REASON
from governance.admin_base import Act, OperatorAdmin, ReasonForm
from governance.operator_acts import Preview
from governance.operators import Ability, actor_of


class PublicReasonForm(ReasonForm):
    """The reason is public here."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["reason"] = forms.CharField(
            label="Reason", max_length=LONGEST_REASON, help_text="Published beside the row, with the date."
        )


class MergeForm(PublicReasonForm):
    """Which versions count in one row."""

    agent_key = forms.SlugField(
        max_length=LONGEST["key"], label="Version", help_text="The key of the one that gets no row of its own."
    )
    into_key = forms.SlugField(
        max_length=LONGEST["key"], label="Counts in the row of", help_text="The key of the one whose row stays."
    )


def _merge(**fields: Any) -> None:
    merge_agents(**fields)


def _preview(*, request: HttpRequest, agent_key: str, into_key: str) -> Preview:
    effect = effect_of_merging(agent_key=agent_key, into_key=into_key, actor=actor_of(request.user))
    return Preview("admin/judging/effect.html", {"effect": effect, "names": True}, seal=effect.seal)


def _holds(row: AgentMerge) -> bool:
    held = merges_in_force().get(row.agent_id)
    return held is not None and held.pk == row.pk


@admin.register(AgentMerge)
class AgentMergeAdmin(OperatorAdmin):
    introduction = (
        "Versions that fits count in one row of the board, the newest decision first. Nothing here can be changed; a "
        "join ends by another row."
    )
    list_display = ("at", "agent_id", "decision", "into_id", "reason")
    ordering = ("-id",)
    search_by = ("agent_id",)
    search_help_text = "The whole key of the agent that has no row of its own."
    facts = ("at", "agent_id", "decision", "into_id", "reason")
    acts = (
        Act(
            name="merge",
            words="Join two versions",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=MergeForm,
            do=_merge,
            preview=_preview,
            meaning="From the next fit on, what both raced counts in one row, and a battle of one against the other "
            "rates nobody. It is public and in the ledger. Earlier publications stay as they are.",
        ),
        Act(
            name="unmerge",
            words="Part them again",
            ability=Ability.ADMINISTER,
            form=PublicReasonForm,
            do=lambda *, row, actor, reason: unmerge_agents(agent_key=row.agent_id, actor=actor, reason=reason),
            fits=_holds,
            meaning="From the next fit on, each counts in a row of its own. The join stays on record.",
        ),
    )

    @admin.display(description="decision")
    def decision(self, row: AgentMerge) -> str:
        return "counts in the row of" if row.holds else "counts apart from"
