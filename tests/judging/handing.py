"""Judges with a battle in their hands, for tests that start there."""

import itertools
from datetime import timedelta

from django.utils import timezone

from battles.models import Battle
from governance.consent import current_text, give_consent
from governance.models import Judge
from judging.accounts import bind_device
from judging.models import Assignment, Offer, Vote
from judging.votes import Ballot, cast_vote, lock_vote
from tests.battles.factories import ended, lane_of, make_battle, make_judge, make_votable, race, started, step

_accounts = itertools.count(1)


def sign_in(judge: Judge) -> Judge:
    return bind_device(device=judge, account=f"account-{next(_accounts)}", actor="system:test")


def make_signed_in(*, practised: int = 0, consented: bool = True) -> Judge:
    """A judge with an account, who has voted on so many practice battles."""
    judge = sign_in(make_judge(consented=consented))
    for _ in range(practised):
        practice = make_votable(kind=Battle.Kind.PRACTICE)
        cast_vote(battle=practice, judge=judge, ballot=Ballot(choice="tie"))
    return judge


def offer(battle: Battle) -> Battle:
    """Offer it as its submitter would, on an installation with or without a legal name."""
    submitter = battle.task.judge
    Offer.objects.get_or_create(battle=battle, defaults={"judge": submitter, "receipt": submitter.receipts.first()})
    return battle


def hand_to(battle: Battle, judge: Judge, *, minutes: float = 30, **fields) -> Assignment:
    """A lease that runs for so many more minutes, or ran out so many minutes ago."""
    now = timezone.now()
    return Assignment.objects.create(
        battle=battle,
        judge=judge,
        leased_at=now - timedelta(minutes=60),
        leased_until=now + timedelta(minutes=minutes),
        **fields,
    )


def seated(battle: Battle, *, consented: bool = True) -> Judge:
    """A signed-in judge who was handed this battle."""
    if battle.kind == Battle.Kind.LIVE:
        offer(battle)
    judge = make_signed_in(consented=consented)
    hand_to(battle, judge)
    return judge


def agree(judge: Judge) -> None:
    """Consent to the sentence in force, which may be a new one."""
    text = current_text()
    give_consent(judge=judge, text=text, rendered=text.sentence)


def ballot_for(battle: Battle, slot: str, **fields) -> Ballot:
    return Ballot(choice=str(lane_of(battle, slot).pk), **fields)


def say(battle: Battle, judge: Judge, choice: str, *, lock: bool = True) -> Vote:
    """Vote ``A``, ``B``, ``tie`` or ``both_bad``, and lock."""
    ballot = ballot_for(battle, choice) if choice in {"A", "B"} else Ballot(choice=choice)
    vote = cast_vote(battle=battle, judge=judge, ballot=ballot)
    return lock_vote(battle=battle, judge=judge) if lock else vote


def checked_practice(passed_in: str = "A", *, kind: str = Battle.Kind.PRACTICE) -> Battle:
    """A votable practice-site battle whose check passed in one lane, in both ("AB") or in none ("")."""
    events = [event for slot in "AB" for event in (started(slot), step(slot), ended(slot, passed=slot in passed_in))]
    battle = race(make_battle(kind=Battle.Kind.PRACTICE), events=events)
    if kind != Battle.Kind.PRACTICE:
        Battle.objects.filter(pk=battle.pk).update(kind=kind)
        battle.refresh_from_db()
    return battle
