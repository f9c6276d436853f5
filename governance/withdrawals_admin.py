"""Operators' page of withdrawals: the queue with its two clocks, and what can be done about a request."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Case, F, When
from django.db.models.expressions import Combinable
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from governance.actors import shown_actors
from governance.admin_base import Act, OperatorAdmin, Panel, ReasonForm
from governance.due import Due, DueItem, DueQueue, due_of, register_due
from governance.models import JournalEntry, Judge, Withdrawal
from governance.operators import Ability
from governance.recovery_codes import judge_of_code
from governance.waiting import Waiting
from governance.withdrawal_clocks import ACTS_BEFORE, CORPUS, LICENSEES, Clock, instant_words
from governance.withdrawal_sweep import running_clocks
from governance.withdrawals import WithdrawalRefused, act_on, call_off, held_labels, read_wanted, request_withdrawal


class LetterForm(ReasonForm):
    """What a letter says."""

    who = forms.CharField(
        max_length=64,
        label="Whose labels",
        help_text="The recovery code that the letter gives, or the identifier of a judge.",
    )
    what = forms.CharField(
        max_length=64,
        initial="everything",
        help_text="everything, identity (labels stay), kind:vote, task:<identifier> or battle:<identifier>",
    )
    received_at = forms.DateTimeField(label="Received (UTC)", initial=timezone.now, help_text="When the letter came.")


def _enter(*, actor: str, reason: str, who: str, what: str, received_at: datetime) -> None:
    judge = judge_of_code(who) or Judge.objects.filter(pk=who.strip()).first()
    if judge is None:
        raise WithdrawalRefused("Nobody has this code or identifier.", code="no_such_judge", field="who")
    request_withdrawal(
        judge=judge,
        actor=actor,
        wanted=read_wanted(what.strip()),
        channel=Withdrawal.Channel.MAIL,
        received_at=received_at,
        reason=reason,
    )


def _waits(row: Withdrawal) -> bool:
    return row.corpus_done_at is None and row.called_off_at is None


def _can_be_called_off(row: Withdrawal) -> bool:
    return _waits(row) and row.channel == Withdrawal.Channel.MAIL


class WaitingWithdrawals(Waiting):
    """Those of which one of the clocks runs."""

    title = "clocks"
    waiting = {"licensees_done_at__isnull": True, "called_off_at__isnull": True}


#: When the clock that runs must have stopped. An index has those that wait, who are as few as the sweep looks through.
DUE_AT = Case(
    When(corpus_done_at=None, then=F("received_at") + CORPUS.within), default=F("received_at") + LICENSEES.within
)


@admin.register(Withdrawal)
class WithdrawalAdmin(OperatorAdmin):
    introduction = (
        f"What people take back. Out of the corpus within {CORPUS.within.days} days, holders of licensed copies told "
        f"within {LICENSEES.within.days}. What nobody acts on is acted on by itself {ACTS_BEFORE.days} day before it "
        "is due."
    )
    list_display = ("received_at", "scope", "channel", "corpus_clock", "licensees_clock")
    list_filter = (WaitingWithdrawals,)
    search_by = ("pk", "judge")
    search_help_text = "An identifier of a withdrawal or of a judge."
    facts = (
        "id",
        "judge_id",
        "scope",
        "kind",
        "subject",
        "channel",
        "received_at",
        "corpus_clock",
        "licensees_clock",
        "called_off_at",
        "called_off_reason",
        "their_page",
    )
    acts = (
        Act(
            name="enter",
            words="Enter a letter",
            ability=Ability.STEWARD,
            of_rows=False,
            form=LetterForm,
            do=_enter,
            meaning="Both clocks run from when the letter came. Nothing is taken out before somebody acts on it, or "
            "the sweep does.",
        ),
        Act(
            name="act",
            words="Act on it now",
            ability=Ability.STEWARD,
            do=lambda *, row, actor, reason: act_on(withdrawal=row, actor=actor, reason=reason),
            fits=_waits,
            meaning="The labels leave the standings at the next fit, and what they say is erased. It cannot be undone.",
        ),
        Act(
            name="call-off",
            words="Call it off",
            ability=Ability.STEWARD,
            do=lambda *, row, actor, reason: call_off(withdrawal=row, actor=actor, reason=reason),
            fits=_can_be_called_off,
            meaning="For a letter entered for the wrong judge, or one that its author took back. Its page says why.",
        ),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str | Combinable, ...]:
        return (DUE_AT, "pk") if Waiting.shows_waiting(request) else ("-pk",)

    @admin.display(description="out of the corpus")
    def corpus_clock(self, row: Withdrawal) -> str:
        return _clock_words(row, CORPUS, row.corpus_done_at)

    @admin.display(description="licensees told")
    def licensees_clock(self, row: Withdrawal) -> str:
        return _clock_words(row, LICENSEES, row.licensees_done_at)

    @admin.display(description="page of whoever asked")
    def their_page(self, row: Withdrawal) -> str:
        return reverse("withdrawal", args=[row.pk])

    def panels(self, request: HttpRequest, row: Withdrawal) -> list[Panel]:
        would = sorted((held_labels(row) if _waits(row) else row.removed).items())
        history = JournalEntry.objects.filter(subject=str(row.pk)).order_by("at")[:50]
        title = "Would be taken out" if _waits(row) else "Taken out"
        who = shown_actors(entry.actor for entry in history)
        rows = [(entry.at, entry.action, who[entry.actor], entry.reason) for entry in history]
        return [
            Panel(title, ("kind", "labels"), would, "No label: it is about who somebody is."),
            Panel("History", ("when", "what", "who", "why"), rows),
        ]


def _clock_words(row: Withdrawal, clock: Clock, done_at: datetime | None) -> str:
    if done_at is not None:
        return f"done {instant_words(done_at)}"
    if row.called_off_at is not None:
        return "called off"
    late = "OVERDUE since" if clock.overdue(row.received_at, None, timezone.now()) else "due"
    return f"{late} {instant_words(clock.due_at(row.received_at))}"


def waiting_withdrawals(now: datetime) -> Due:
    """Requests whose clocks run, each with the next deadline."""
    stages: dict[str, str] = {CORPUS.name: "to be taken out", LICENSEES.name: "licensees to be told"}
    items: list[Any] = [
        DueItem(
            words=f"{running.withdrawal.get_scope_display()}: {stages[running.clock.name]}",
            due_at=running.due_at,
            href=reverse("admin:governance_withdrawal_change", args=[running.withdrawal.pk]),
        )
        for running in running_clocks(now)
    ]
    return due_of(items, now=now, href=reverse("admin:governance_withdrawal_changelist"))


register_due(
    DueQueue(
        "withdrawals",
        "Withdrawals",
        waiting_withdrawals,
        "those labels rate; what nobody acts on is taken out by itself a day before it is due",
    )
)
