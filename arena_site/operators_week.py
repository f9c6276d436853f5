"""What waits for the operators of a small arena in one week: made through use cases, for pictures of their pages."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from arena_site.showcase import consenting_judge, handed_over, raced, signed_in_operator
from battles.models import Agent, Battle
from battles.practice import create_practice_battle
from battles.roster import retire_agent, roster_agent
from governance.dataset.building import build_snapshot
from governance.dataset.replacing import replace_snapshots
from governance.dataset_models import Snapshot, WithdrawalNotice
from governance.licensing import deliver_snapshot, register_licensee
from governance.models import Withdrawal
from governance.withdrawals import act_on, request_withdrawal
from judging.models import Report, Vote
from judging.objections import report_problem
from judging.trust import hold_label
from judging.votes import Ballot, cast_vote, lock_vote
from ratings.models import Board, latest_publication
from ratings.refit import refit

#: To whom people of this arena give what they give; without a name nothing may leave.
LEGAL_NAME = "Harbour Arena Cooperative"
ACTOR = "system:showcase"
#: Votes that a test put aside.
HELD = 3
HASTY = "Faster than anybody reads what both lanes did."
REPORTED = "At the second step a page shows somebody's telephone number."
#: How long ago the letters came: of one the first clock runs, of the other the second.
FIRST_LETTER, SECOND_LETTER = timedelta(days=5), timedelta(days=21)


@dataclass(frozen=True, slots=True)
class Week:
    """The cookies of an administrator and of an operator who has no second factor yet, and what their pages are about.

    Attributes:
        held: labels that wait for a decision.
        leaked: a battle in which the scan found a name.
        rated: battles that rate.
        judge: whose labels those are that wait.
        letter: a withdrawal that came by mail, on which nobody acted.
        notice: of a licensee who is to be told.
        snapshot: what was made instead of the one that was withdrawn from.
        publication: the newest one of the demonstration board.
        joined: an agent of the roster.
    """

    cookie: tuple[str, str]
    newcomer: tuple[str, str]
    report: uuid.UUID
    held: tuple[int, ...]
    leaked: uuid.UUID
    rated: tuple[uuid.UUID, ...]
    judge: str
    letter: uuid.UUID
    notice: uuid.UUID
    licensee: uuid.UUID
    snapshot: uuid.UUID
    publication: str
    joined: str


def make_week(say: Callable[[str], None]) -> Week:
    """Fill every queue, on a board that has standings. Races four battles."""
    say("Making a week's work for operators.")
    rated = Vote.objects.filter(locked_at__isnull=False).order_by("pk")
    held = [hold_label(vote=vote, actor="system:haste", reason=HASTY) for vote in rated.reverse()[:HELD]]
    notice, replacement = _withdrawn_from()
    leaked, report = _leaked(), _reported()
    letter = _letter(rated[0])
    joined = _roster()
    for board in Board:
        refit(board=board, actor=ACTOR)
    publication = latest_publication(Board.DEMO)
    return Week(
        cookie=signed_in_operator("operator", reason="Runs this arena."),
        newcomer=signed_in_operator("newcomer", reason="Looks after reports.", proved=False),
        report=report.pk,
        held=tuple(each.pk for each in held),
        leaked=leaked.pk,
        rated=tuple(rated.order_by("battle").values_list("battle", flat=True).distinct()[:2]),
        judge=held[0].vote.judge_id,
        letter=letter.pk,
        notice=notice.pk,
        licensee=notice.licensee_id,
        snapshot=replacement.pk,
        publication=publication.pk if publication else "",
        joined=joined,
    )


def _reported() -> Report:
    battle = handed_over(consenting_judge(), judge := consenting_judge())
    broken = raced(create_practice_battle(key="shop-picnic-basket", actor=ACTOR))
    report_problem(battle=broken, judge=consenting_judge(), kind="broken", note="Lane B stops in the middle.")
    return report_problem(battle=battle, judge=judge, kind="private", note=REPORTED)


def _leaked() -> Battle:
    """A battle that stands as if an agent had named itself; the reference agents never do."""
    battle = raced(create_practice_battle(key="shop-picnic-basket", actor=ACTOR))
    with transaction.atomic():
        Battle.objects.filter(pk=battle.pk).update(leak_scan=Battle.Leak.LEAKED)
    return battle


def _letter(vote: Vote) -> Withdrawal:
    """Nobody has acted on it yet."""
    return request_withdrawal(
        judge=vote.judge,
        actor=ACTOR,
        channel=Withdrawal.Channel.MAIL,
        received_at=timezone.now() - FIRST_LETTER,
        reason="A letter with a recovery code.",
    )


def _withdrawn_from() -> tuple[WithdrawalNotice, Snapshot]:
    """A snapshot that two licensees had, a withdrawal from it, and what was made instead."""
    judge = consenting_judge()
    battle = raced(_with_one_seat())
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice=Vote.Choice.TIE))
    lock_vote(battle=battle, judge=judge)
    snapshot = build_snapshot(actor=ACTOR, reason="The first one.")
    for name in ("Quayside Institute", "Lighthouse Lab"):
        registered = register_licensee(name=name, terms="For research.", actor=ACTOR, reason="They signed.")
        deliver_snapshot(snapshot=snapshot, licensee=registered.licensee, actor=ACTOR, reason="As agreed.")
    taken_back = request_withdrawal(
        judge=judge,
        actor=ACTOR,
        channel=Withdrawal.Channel.MAIL,
        received_at=timezone.now() - SECOND_LETTER,
        reason="A letter with a recovery code.",
    )
    act_on(withdrawal=taken_back, actor=ACTOR, reason="As the letter asks.")
    (replacement,) = replace_snapshots(actor=ACTOR)
    return WithdrawalNotice.objects.filter(sent_at=None).earliest("pk"), replacement


def _with_one_seat() -> Battle:
    """A practice battle that its first final vote closes: what is open does not leave."""
    while (battle := create_practice_battle(key="timetable-lift", actor=ACTOR)).judges_needed != 1:
        pass
    return battle


def _roster() -> str:
    """Two versions of one agent, of which the first gets its notice; gives the key of the second."""
    for number in (1, 2):
        roster_agent(
            key=f"harbour-pilot-{number}",
            name=f"Harbour Pilot {number}",
            provider="Harbour Works",
            adapter="reference-random",
            model_version=f"harbour-pilot-{number}-20260901",
            kind=Agent.Kind.MODEL,
            actor=ACTOR,
            reason="Its maker published it.",
        )
    retire_agent(key="harbour-pilot-1", cause=Agent.Cause.SUPERSEDED, actor=ACTOR, reason="Its successor races now.")
    return "harbour-pilot-2"
