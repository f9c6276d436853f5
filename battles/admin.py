"""Operators' pages of battles: the roster and the prices. Battles themselves are shown by judging, which knows who may
see names."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

import battles.merges_admin
import battles.promises_admin  # noqa: F401  # pages of their own
from battles.affiliation import affiliate_agent
from battles.agents.registry import ADAPTERS
from battles.blindness.lexicon import current_lexicon
from battles.blindness.scrubbing import scrub_blunt
from battles.merges import merges_in_force
from battles.models import Agent, Price
from battles.roster import LONGEST, LONGEST_REASON, NOTICE, retire_agent, roster_agent
from governance.actors import shown_actors
from governance.admin_base import Act, OperatorAdmin, Panel, ReasonForm
from governance.models import JournalEntry
from governance.operators import Ability
from governance.withheld import register_scrubber


def scrub_for_operators(text: str) -> str:
    """The text without names: operators judge blind like everybody else."""
    return scrub_blunt(text, current_lexicon()).text


register_scrubber(scrub_for_operators)


class RosterForm(ReasonForm):
    """What a new agent is. Its settings are checked by its adapter."""

    key = forms.SlugField(max_length=LONGEST["key"], help_text="Stands in addresses, for example acme-surfer-2.")
    name = forms.CharField(max_length=LONGEST["name"], help_text="Public, and withheld from whoever judges.")
    provider = forms.CharField(max_length=LONGEST["provider"])
    adapter = forms.ChoiceField(choices=[(name, name) for name in ADAPTERS])
    model_version = forms.CharField(
        max_length=LONGEST["model_version"],
        label="Pinned version",
        help_text="Exactly what the provider calls it. A changed model is a new agent.",
    )
    kind = forms.ChoiceField(choices=Agent.Kind.choices)
    base_url = forms.URLField(required=False, label="Address", assume_scheme="https")
    key_variable = forms.CharField(
        max_length=80, required=False, help_text="The environment variable with the key. Never the key itself."
    )
    parameters = forms.JSONField(
        required=False, initial=dict, help_text="As JSON; which there are depends on the adapter."
    )
    operator_affiliated = forms.BooleanField(
        required=False, label="We have a stake in it", help_text="Then it is never drawn and never ranked."
    )
    looks_alike_confirmed = forms.BooleanField(
        required=False, label="I have seen that the name looks like another one", help_text="Only where that was said."
    )


class RetireForm(ReasonForm):
    """The cause and the reason are public here."""

    cause = forms.ChoiceField(
        choices=Agent.Cause.choices,
        help_text="A provider's request counts as withdrawn, and is disclosed.",
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["reason"] = forms.CharField(
            label="Reason", max_length=LONGEST_REASON, help_text="Published beside the agent, with the date."
        )


class StakeForm(ReasonForm):
    """From when on; the reason is public here."""

    affiliated_from = forms.DateTimeField(
        required=False,
        label="From (UTC, inclusive)",
        help_text="Nothing: from now on. An instant that is past is refused, since what was published since counts it.",
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["reason"] = forms.CharField(
            label="What the stake is, and since when", max_length=LONGEST_REASON, help_text="Published."
        )


def _roster(*, actor: str, reason: str, parameters: Any, **fields: Any) -> Agent:
    return roster_agent(actor=actor, reason=reason, parameters=parameters or {}, **fields)


@admin.register(Agent)
class AgentAdmin(OperatorAdmin):
    introduction = "Every agent that is or was drawn, each with its version pinned. A changed model is a new agent."
    list_display = ("key", "name", "provider", "model_version", "kind", "state", "affiliated_from")
    ordering = ("key",)
    search_by = ("pk", "name")
    search_help_text = "The whole key or name of an agent."
    facts = (
        "key",
        "name",
        "provider",
        "adapter",
        "model_version",
        "base_url",
        "key_variable",
        "settings",
        "kind",
        "state",
        "affiliated_from",
        "row_on_the_board",
        "created_at",
        "retirement_noticed_at",
        "retired_at",
        "retirement_cause",
        "retirement_reason",
        "published_rating",
        "published_at",
    )
    acts = (
        Act(
            name="roster",
            words="Put an agent on the roster",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=RosterForm,
            do=_roster,
            meaning="It is drawn from now on, its names are withheld from judges, and the ledger says that it joined.",
        ),
        Act(
            name="retire",
            words="Retire",
            ability=Ability.ADMINISTER,
            form=RetireForm,
            do=lambda *, row, actor, reason, cause: retire_agent(key=row.pk, cause=cause, actor=actor, reason=reason),
            fits=lambda row: row.state == Agent.State.ACTIVE,
            meaning=f"It gets {NOTICE.days} days' notice and is drawn no more then, for good. What it raced stays, "
            "with votes and rating, and so do the date, the cause and the reason.",
        ),
        Act(
            name="affiliate",
            words="We have a stake in it",
            ability=Ability.ADMINISTER,
            form=StakeForm,
            do=lambda *, row, actor, reason, affiliated_from: affiliate_agent(
                key=row.pk, affiliated_from=affiliated_from, actor=actor, reason=reason
            ),
            fits=lambda row: row.affiliated_from is None,
            meaning="From that instant on it is not drawn, no fit ranks it, and its battles rate nobody. Its history "
            "is disclosed, and what was published before stays as it is.",
        ),
    )

    @admin.display(description="row on the board")
    def row_on_the_board(self, row: Agent) -> str:
        merge = merges_in_force().get(row.pk)
        return f"that of {merge.into_id}: {merge.reason}" if merge else "its own"

    @admin.display(description="parameters")
    def settings(self, row: Agent) -> str:
        return json.dumps(row.parameters, ensure_ascii=False, sort_keys=True) if row.parameters else "none"

    def panels(self, request: HttpRequest, row: Agent) -> list[Panel]:
        entries = JournalEntry.objects.filter(subject=row.pk).order_by("-at")[:20]
        who = shown_actors(entry.actor for entry in entries)
        history = [(entry.at, entry.action, who[entry.actor], entry.reason) for entry in entries]
        prices = Price.objects.filter(model_version=row.model_version).order_by("-effective_from")[:5]
        listed = [(price.effective_from, price.input_plain, price.output, price.source) for price in prices]
        return [
            Panel("History", ("when", "what", "who", "why"), history, "Nothing is recorded."),
            Panel("Prices of its version", ("from", "input", "output", "source"), listed, "None is entered."),
        ]


@admin.register(Price)
class PriceAdmin(OperatorAdmin):
    introduction = "List prices of models in USD per million tokens, each from an instant on."
    list_display = ("model_version", "effective_from", "input_plain", "output", "source")
    facts = (
        "model_version",
        "effective_from",
        "input_plain",
        "output",
        "input_cache_read",
        "input_cache_write",
        "source",
        "entered_at",
    )
