"""A withdrawal takes the account along; and what a sign-in does to the standings."""

import pytest
from django.apps import apps
from django.test import Client

from arena_site.accounts.models import Account, ProofRecord, SignInSession
from battles.models import Battle
from governance.models import Judge
from judging.models import JudgeAccount, Vote
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from ratings.refit import refit
from tests.arena_site.accounts.people import identifier_in, make_account, sign_in, sign_up
from tests.battles.factories import lane_of, make_agent, make_battle, race

pytestmark = pytest.mark.django_db


def withdraw(client):
    return client.post("/withdraw", {"what": "everything"}, follow=True)


def test_a_withdrawal_erases_account_binding_and_sessions(visitor, post_task):
    sign_up(visitor, "margot-lefevre")
    post_task(visitor)
    other = Client()
    sign_in(other, "margot-lefevre")
    page = withdraw(visitor)
    assert page.status_code == 200
    assert "Done on" in page.content.decode()
    for model in (Account, JudgeAccount, SignInSession, ProofRecord):
        assert model.objects.count() == 0
    rows = "\n".join(repr(row) for model in apps.get_models() for row in model._default_manager.values_list())
    assert "margot-lefevre" not in rows
    for client in (visitor, other):
        assert client.get("/account").status_code == 302


def test_somebody_elses_account_stays(visitor):
    make_account("ottilie")
    sign_up(visitor)
    withdraw(visitor)
    assert [account.username for account in Account.objects.all()] == ["ottilie"]


def test_the_name_is_free_again_and_linked_to_nothing(visitor, post_task):
    sign_up(visitor)
    post_task(visitor)
    before, identifier = Account.objects.get().pk, identifier_in(visitor)
    withdraw(visitor)
    # Even in the same browser, whose cookie still names the judge that took everything back.
    assert sign_up(visitor).status_code == 302
    assert Account.objects.get().pk != before
    assert identifier_in(visitor) != identifier
    assert JudgeAccount.objects.get().judge_id != identifier


def test_a_withdrawal_without_an_account_works_as_before(visitor, post_task):
    post_task(visitor)
    assert withdraw(visitor).status_code == 200
    assert Judge.objects.get().withdrawals.count() == 1


def test_a_vote_without_an_account_counts_in_the_demo_and_rates_in_the_headline_once_signed_in(visitor, post_task):
    """From the form to the publication: nothing but pages, except for the race itself."""
    agents = [make_agent(f"model-{number}", kind="model") for number in (1, 2)]
    posted = post_task(visitor).url
    battle = Battle.objects.get(pk=posted.rsplit("/", 1)[1])
    Battle.objects.filter(pk=battle.pk).update(agent_a=agents[0], agent_b=agents[1])
    race(Battle.objects.get(pk=battle.pk))
    lanes = {slot: str(lane_of(battle, slot).pk) for slot in "AB"}
    answer = visitor.post(
        f"{posted}/lock",
        {
            "choice": lanes["A"],
            f"completion_{lanes['A']}": "done",
            f"completion_{lanes['B']}": "not_done",
            "confidence": "high",
            "idempotency_key": "key-1",
        },
    )
    assert answer.status_code == 303
    assert Vote.objects.get().locked_at is not None

    def rated(board):
        refit(board=board, actor="system:test")
        return [Reason(reason) for reason in read_corpus(board).reason]

    assert rated(Board.DEMO) == [Reason.RATED]
    assert rated(Board.HEADLINE) == [Reason.JUDGE_NOT_ADMISSIBLE]
    sign_up(visitor)
    assert rated(Board.HEADLINE) == [Reason.RATED]
    assert rated(Board.DEMO) == [Reason.RATED]
    withdraw(visitor)
    assert rated(Board.HEADLINE) == [Reason.WITHDRAWN]


def test_a_vote_given_on_another_device_before_signing_in_rates_too(visitor, seeded, post_task):
    sign_up(visitor)
    device = Client()
    post_task(device)
    battle = make_battle(task=Battle.objects.get().task, agents=[make_agent(f"m-{n}", kind="model") for n in (1, 2)])
    assert battle.task.judge_id == identifier_in(device) != identifier_in(visitor)
    sign_in(device)
    battle.task.refresh_from_db()
    assert battle.task.judge_id == identifier_in(visitor)
