"""An arena in which there is something of every kind, for tests that go through all of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.core import signing
from django.test import Client
from django.utils import timezone

from arena_site.accounts.devices import account_key
from arena_site.accounts.models import Account
from arena_site.seed import seed
from battles.aliases import enter_alias
from battles.costs import TokenPrices
from battles.lanes.events import Action, ActionResult
from battles.models import Agent, Battle, Frame, Step
from battles.preregistrations import preregister
from battles.prices import enter_price
from governance.dataset.building import build_snapshot
from governance.dataset_models import Snapshot
from governance.licensing import deliver_snapshot, register_licensee
from governance.models import Judge, Withdrawal
from governance.operators import ROLES
from governance.recovery_codes import recovery_code
from governance.withdrawals import request_withdrawal
from judging.accounts import bind_device
from judging.exclusions import exclude_vote
from judging.identity import COOKIE, SALT
from judging.labels import annotate, click_next, judge_step
from judging.models import Report, Vote
from judging.objections import report_problem
from judging.panels import admit_judge, open_panel
from judging.rounds import start_round
from judging.trust import hold_label, suspend_judge
from judging.votes import cast_vote, lock_vote
from metrics.publishing import publish_measures
from ratings.models import Board as BoardName
from ratings.models import Publication
from tests.arena_site.accounts.people import make_account
from tests.arena_site.operators import make_operator, sign_in_operator, with_second_factor
from tests.battles.factories import ended, make_agent, make_battle, make_judge, make_votable, race, started, step
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer
from tests.ratings.published import make_pair, published

ACTOR = "operator:test"


@dataclass(frozen=True)
class Arena:
    """Rows that tests name; everything else of the arena is found by its address."""

    agents: tuple[Agent, Agent]
    poster: Judge
    judge: Judge
    stranger: Judge
    account: Account
    own: Battle
    in_hand: Battle
    revealed: Battle
    vote: Vote
    withdrawal: Withdrawal
    publication: Publication
    snapshot: Snapshot
    token: str
    operators: dict[str, Account]

    def frame(self, battle: Battle) -> Frame:
        return Frame.objects.filter(lane__attempt__battle=battle).order_by("pk")[0]


def build() -> Arena:
    """By the use cases wherever one exists. An operator's legal name must be set."""
    seed()
    demo = make_pair("ada", "bob")
    publication = published(demo)
    publish_measures(board=BoardName.DEMO, actor=ACTOR)
    agents = (make_agent("quillon"), make_agent("verbena"))
    operators = {role.name: with_second_factor(make_operator(role.name)) for role in ROLES}
    account = make_account("margot")
    poster, judge, stranger = make_judge(), make_signed_in(practised=3), make_signed_in(practised=3)
    bind_device(device=poster, account=account_key(account), actor=ACTOR)
    recovery_code(poster)
    own = _raced(agents, poster)
    in_hand, revealed = (offer(_raced(agents, make_judge())) for _ in range(2))
    for battle in (in_hand, revealed):
        hand_to(battle, judge)
        vote = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A", note="The left one found it."))
        _mark(battle, judge)
    lock_vote(battle=revealed, judge=judge)
    vote.refresh_from_db()
    _decisions(vote, agents)
    withdrawal = request_withdrawal(judge=poster, actor=ACTOR, reason="By letter.")
    snapshot, token = _handed_over()
    return Arena(
        agents=agents,
        poster=poster,
        judge=judge,
        stranger=stranger,
        account=account,
        own=own,
        in_hand=in_hand,
        revealed=revealed,
        vote=vote,
        withdrawal=withdrawal,
        publication=publication,
        snapshot=snapshot,
        token=token,
        operators=operators,
    )


def _raced(agents: tuple[Agent, Agent], poster: Judge) -> Battle:
    read = ActionResult(ok=True, message="Typed.", text="Open until 4 pm.", changes=({"kind": "navigated"},))
    refused = ({"host": "tracker.example", "port": 443, "reason": "loopback"},)
    said = {"reasoning": "I read the table.", "result": read, "refusals": refused}
    events: list[Any] = []
    for slot in "AB":
        typed = step(slot, 2, verb="type", action=_typed(), **said)
        events += [started(slot), step(slot), typed, ended(slot, steps=2, answer="It closes at 4 pm.")]
    battle = make_battle(agents=agents, judges_needed=3)
    type(battle.task).objects.filter(pk=battle.task_id).update(judge=poster, receipt=poster.receipts.first())
    battle = race(battle, events=events)
    return Battle.objects.select_related("task").get(pk=battle.pk)


def _typed() -> Action:
    return Action("type", {"x": 10, "y": 20, "text": "opening hours"})


def _mark(battle: Battle, judge: Judge) -> None:
    shown = Step.objects.select_related("frame").filter(lane__attempt__battle=battle, number=1)
    for one in shown:
        judge_step(battle=battle, judge=judge, step_id=one.pk, verdict="helpful")
        annotate(
            battle=battle,
            judge=judge,
            frame_id=one.frame_id,
            box=(0.1, 0.1, 0.2, 0.2),
            tag="wrong_target",
            note="Here.",
        )
    click_next(battle=battle, judge=judge, frame_id=shown[0].frame_id, point=(0.5, 0.5), milliseconds=900)


def _decisions(vote: Vote, agents: tuple[Agent, Agent]) -> None:
    """What operators decide about, and have decided."""
    hold_label(vote=vote, actor="system:sequence", reason="Faster than anybody reads.")
    exclude_vote(vote=vote, actor=ACTOR, reason="It was staged.")
    suspend_judge(judge=make_signed_in(), actor=ACTOR, reason="They vote as one.")
    reported = make_votable(kind=Battle.Kind.PRACTICE)
    report_problem(battle=reported, judge=make_signed_in(), kind="other", note="Something is odd.")
    assert Report.objects.exists()
    rounds = make_votable(kind=Battle.Kind.PRACTICE)
    group = [make_judge(), make_judge()]
    started_round = start_round(name="First", battles=[rounds], judges=group, actor=ACTOR)
    task = make_battle(kind=Battle.Kind.PRACTICE).task
    panel = open_panel(
        name="Librarians", qualification="A degree.", tasks=[task], actor=ACTOR, calibration_round=started_round
    )
    admit_judge(panel=panel, judge=group[0], actor=ACTOR)
    enter_alias(alias="quillon-latest", agent_key="quillon", effective_from=None, source="The maker.", actor=ACTOR)
    enter_price(
        model_version="quillon-1", tokens=TokenPrices(Decimal(3), Decimal(15)), source="The price page.", actor=ACTOR
    )
    preregister(
        agents=[agent.key for agent in agents],
        metric="preference",
        size=400,
        analysis="The first wins.",
        actor=ACTOR,
        starts_at=timezone.now() + timedelta(hours=1),
    )


def _handed_over() -> tuple[Snapshot, str]:
    snapshot = build_snapshot(actor=ACTOR)
    registered = register_licensee(name="Lab", terms="For research.", provider="maker", actor=ACTOR)
    deliver_snapshot(snapshot=snapshot, licensee=registered.licensee, actor=ACTOR)
    return snapshot, registered.token


def browser_of(judge: Judge) -> Client:
    """A browser with the cookie of a judge who has no account of this site."""
    client = Client()
    client.cookies[COOKIE] = signing.Signer(salt=SALT).sign(judge.pk)
    return client


def browser_of_account(account: Account) -> Client:
    client = Client()
    client.force_login(account)
    return client


def browser_of_operator(account: Account) -> Client:
    client = Client()
    sign_in_operator(client, account=account)
    return client
