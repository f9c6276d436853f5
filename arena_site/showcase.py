"""A small arena to take pictures of: real races of the reference agents, simulated votes cast through the use cases.

A simulated judge says what the practice site's own check found of each lane, and now and then something else. That
chance is seeded; the races are as they come.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core import signing
from django.http import HttpRequest
from django.utils import timezone

from arena_site.accounts.models import Account, SessionStore
from arena_site.accounts.operators import appoint
from battles.intake import submit_task
from battles.lanes.race import Listener, run_battle
from battles.models import Battle, Lane, Step
from battles.practice import create_practice_battle
from battles.tasks import worker_name
from governance.consent import current_text, give_consent, receipt_in_force
from governance.models import Judge
from judging.accounts import bind_device
from judging.identity import COOKIE, SALT
from judging.labels import annotate, judge_step
from judging.models import Assignment, Completion, Offer, Vote
from judging.seats import LEASE
from judging.votes import Ballot, cast_vote, lock_vote
from metrics.publishing import publish_measures
from ratings.models import Board
from ratings.refit import refit
from ratings.standings import board_in_force

#: Practice tasks that the crowd judges, some of each site; the publications come between them.
JUDGED_TASKS = (
    "library-author",
    "shop-kettle-price",
    "timetable-lift",
    "library-pages",
    "shop-bread-board",
    "timetable-ticket-office",
    "library-saturday",
    "shop-planter-weight",
    "timetable-single-fare",
    "library-add-to-list",
    "shop-return-days",
    "timetable-platform",
)
#: Judges of the crowd: more than there are ratings to find, so that intervals exist.
CROWD = 12
#: How often somebody of the crowd sees it otherwise than the check did.
CONTRARY = 0.25
#: A refit after so many judged battles makes a history.
REFIT_EVERY = 3
SEED = 20_250_101

#: What is posted in the pictures.
INSTRUCTION = 'Find out until when the Quayside branch is open on Saturdays, and who wrote "The Hedge Almanac".'
START_URL = "http://library.practice.test/"
#: What is drawn in the pictures.
BOX = (0.08, 0.14, 0.3, 0.16)
REMARK = "The way on was here."
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Visit:
    """The page of a battle in somebody's hands, and their cookie."""

    path: str
    cookie: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Showcase:
    """Paths of pages, two battles that wait, and the cookie of the judge whose battles they are."""

    cookie: tuple[str, str]
    practice: str
    queued: uuid.UUID
    live: uuid.UUID
    votable: str
    saved: str
    in_hand: str
    by_keyboard: Visit
    by_phone: Visit
    revealed: str
    agent: str
    agent_keys: tuple[str, str]
    publication: str


def make_showcase(say: Say) -> Showcase:
    """Race and vote on a board that has standings; takes some minutes, most of them races."""
    judge = consenting_judge()
    say("Racing the task that is posted in the pictures.")
    votable, saved, revealed = (raced(_post(judge)) for _ in range(3))
    for battle in (saved, revealed):
        cast_vote(battle=battle, judge=judge, ballot=_ballot(battle, np.random.default_rng(SEED)))
    lock_vote(battle=revealed, judge=judge)
    poster = consenting_judge()
    in_hand = handed_over(poster, judge)
    _mark_a_step(in_hand, judge)
    practice = raced(create_practice_battle(key="shop-picnic-basket", actor="system:showcase"))
    publication = board_in_force()
    return Showcase(
        cookie=_cookie(judge),
        practice=_page(practice),
        queued=_post(judge).pk,
        live=_post(judge).pk,
        votable=_page(votable),
        saved=_page(saved),
        in_hand=_page(in_hand),
        by_keyboard=_visit(poster),
        by_phone=_visit(poster),
        revealed=_page(revealed),
        agent=f"/standings/{revealed.agent_a_id}",
        agent_keys=(revealed.agent_a_id, revealed.agent_b_id),
        publication=f"/publications/{publication.public_digest}" if publication else "/standings",
    )


def race(battle_id: uuid.UUID, listener: Listener | None = None) -> None:
    run_battle(battle_id, worker=worker_name(), listener=listener)


def make_standings(say: Say) -> None:
    """Race, vote and publish on an empty board; takes some minutes, most of them races."""
    chance = np.random.default_rng(SEED)
    crowd = [consenting_judge() for _ in range(CROWD)]
    for number, key in enumerate(JUDGED_TASKS, start=1):
        say(f"Racing {key}, {number} of {len(JUDGED_TASKS)}.")
        _judge(raced(create_practice_battle(key=key, actor="system:showcase")), crowd, chance)
        if number % REFIT_EVERY == 0:
            refit(board=Board.DEMO, actor="system:showcase")
    publish_measures(board=Board.DEMO, actor="system:showcase")


def _judge(battle: Battle, crowd: Sequence[Judge], chance: np.random.Generator) -> None:
    """Everybody votes before anybody locks: the first lock closes a battle with one seat."""
    if battle.state == Battle.State.VOID:
        return
    for judge in crowd:
        cast_vote(battle=battle, judge=judge, ballot=_ballot(battle, chance))
    for judge in crowd:
        lock_vote(battle=battle, judge=judge)


def _ballot(battle: Battle, chance: np.random.Generator) -> Ballot:
    lanes = list(Lane.objects.filter(attempt__battle=battle, attempt__outcome="finished").order_by("slot"))
    done, failed = [lane for lane in lanes if lane.passed], [lane for lane in lanes if not lane.passed]
    better = str(done[0].pk) if len(done) == 1 else Vote.Choice.TIE if done else Vote.Choice.BOTH_BAD
    if chance.random() < CONTRARY:
        better = str(lanes[chance.integers(len(lanes))].pk)
    verdicts = dict.fromkeys(done, Completion.Verdict.DONE) | dict.fromkeys(failed, Completion.Verdict.NOT_DONE)
    return Ballot(
        choice=better,
        completions={str(lane.pk): verdict for lane, verdict in verdicts.items()},
        confidence=Vote.Confidence.HIGH,
    )


def consenting_judge() -> Judge:
    """A new judge who agreed to what is asked today."""
    judge = Judge.objects.create()
    text = current_text()
    give_consent(judge=judge, text=text, rendered=text.sentence)
    return judge


def _visit(poster: Judge) -> Visit:
    judge = consenting_judge()
    return Visit(_page(handed_over(poster, judge)), _cookie(judge))


def _cookie(judge: Judge) -> tuple[str, str]:
    return COOKIE, signing.Signer(salt=SALT).sign(judge.pk)


def signed_in_operator(name: str, *, reason: str, proved: bool = True) -> tuple[str, str]:
    """The cookie of a new administrator who proved both factors, or who has no second one yet."""
    account = Account.objects.create_user(name, secrets.token_urlsafe())
    appoint(name=account.username, role="administrator", actor="system:showcase", reason=reason)
    session = SessionStore()
    session[SESSION_KEY] = str(account.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = account.get_session_auth_hash()
    request = HttpRequest()
    request.session = session
    record_authentication(request, account, "password", reauthenticated=True)
    if proved:
        TOTP.activate(account, generate_totp_secret())
        record_authentication(request, account, "mfa", type="totp")
    session.create()
    return settings.SESSION_COOKIE_NAME, str(session.session_key)


def handed_over(poster: Judge, judge: Judge) -> Battle:
    """A battle of the poster's, in the judge's hands."""
    bind_device(device=judge, account=f"showcase-{judge.pk}", actor="system:showcase")
    battle = raced(_post(poster))
    # The pool is closed to private installations; this one only takes pictures, and nothing leaves it.
    Offer.objects.create(battle=battle, judge=poster, receipt=receipt_in_force(poster))
    now = timezone.now()
    Assignment.objects.create(battle=battle, judge=judge, leased_at=now, leased_until=now + LEASE)
    return battle


def _mark_a_step(battle: Battle, judge: Judge) -> None:
    """Mark the first step and draw a box on its page, in each lane."""
    for step in Step.objects.select_related("frame").filter(lane__attempt__battle=battle, number=1):
        judge_step(battle=battle, judge=judge, step_id=step.pk, verdict="helpful")
        if step.frame is not None:
            annotate(battle=battle, judge=judge, frame_id=step.frame.pk, box=BOX, tag="missed_element", note=REMARK)


def _post(judge: Judge) -> Battle:
    return submit_task(judge=judge, instruction=INSTRUCTION, start_url=START_URL, doorbell=_nobody_comes)


def _nobody_comes(battle_id: uuid.UUID) -> None:
    """There are no workers; the battle is raced here, or waits on purpose."""


def raced(battle: Battle) -> Battle:
    race(battle.pk)
    battle.refresh_from_db()
    return battle


def _page(battle: Battle) -> str:
    return f"/battles/{battle.pk}"
