"""Operators' pages of names that moved and of what was promised."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin

from battles.aliases import LONGEST_SOURCE, enter_alias
from battles.models import AgentAlias, Preregistration
from battles.preregistrations import LONGEST_ANALYSIS, preregister, promised_metrics
from battles.roster import LONGEST
from battles.screening.category import CATEGORIES
from governance.admin_base import Act, OperatorAdmin, ReasonForm
from governance.operators import Ability


class AliasForm(ReasonForm):
    """Which agent a name stands for."""

    alias = forms.CharField(max_length=LONGEST["name"], help_text="The name under which the provider serves it.")
    agent_key = forms.SlugField(max_length=LONGEST["key"], label="Stands for", help_text="The key of an agent.")
    effective_from = forms.DateTimeField(
        required=False, label="From (UTC, inclusive)", help_text="Nothing: since ever, until the first instant named."
    )
    source = forms.CharField(max_length=LONGEST_SOURCE, help_text="Where it is announced, and when that was read.")


def _enter(**fields: Any) -> None:
    enter_alias(**fields)


@admin.register(AgentAlias)
class AgentAliasAdmin(OperatorAdmin):
    introduction = "Names that stand for one version after the other. A changed model is an agent of its own."
    list_display = ("alias", "effective_from", "agent_id", "source")
    search_by = ("alias",)
    search_help_text = "The whole name."
    facts = ("alias", "effective_from", "agent_id", "source", "entered_at")
    acts = (
        Act(
            name="enter",
            words="Enter which agent a name stands for",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=AliasForm,
            do=_enter,
            meaning="It is public and in the ledger, and cannot be changed; a later instant can be entered.",
        ),
    )


class PromiseForm(ReasonForm):
    """What will be looked at."""

    agents = forms.CharField(max_length=900, help_text="Keys, with spaces; the first is compared with the others.")
    category = forms.ChoiceField(
        required=False, choices=[("", "all tasks"), *((category, category) for category in CATEGORIES)]
    )
    metric = forms.ChoiceField(
        choices=lambda: [(key, f"{key}: {metric.words}") for key, metric in promised_metrics().items()]
    )
    size = forms.IntegerField(label="Rated battles", help_text="The result is read once, over so many.")
    analysis = forms.CharField(
        max_length=LONGEST_ANALYSIS,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="What is expected, and what would count as which answer. Public, verbatim.",
    )
    starts_at = forms.DateTimeField(required=False, label="Battles from (UTC)", help_text="Nothing: from now on.")


def _promise(*, agents: str, starts_at: datetime | None, **fields: Any) -> None:
    preregister(agents=agents.split(), starts_at=starts_at, **fields)


@admin.register(Preregistration)
class PreregistrationAdmin(OperatorAdmin):
    introduction = "What was promised before the first battle of it was drawn. Nothing here can be changed."
    list_display = ("entered_at", "agents", "category", "metric", "size", "came_out")
    list_select_related = ("result",)
    facts = ("id", "entered_at", "starts_at", "agents", "category", "metric", "size", "analysis", "came_out")
    acts = (
        Act(
            name="enter",
            words="Promise a comparison",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=PromiseForm,
            do=_promise,
            meaning="It is public and in the ledger, and cannot be changed. What comes out is shown beside it.",
        ),
    )

    @admin.display(description="what came out")
    def came_out(self, row: Preregistration) -> str:
        result = getattr(row, "result", None)
        return result.words if result else "not there yet"
