"""Why a battle is void may quote what its task says: it stays its poster's, and goes with the task."""

import pytest
from django.test import Client

from battles.lanes.ending_words import VOID_WORDS, start_failed
from battles.lanes.endings import Ending
from battles.lanes.load_errors import meaning
from battles.racing import void_battle
from battles.withdrawals import REASON
from governance.operators import ROLES
from governance.withdrawals import withdraw_everything
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import ended, make_battle, make_judge, make_task, make_votable, race
from tests.governance.test_withdrawals import everything_stored
from tests.judging.handing import offer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded", "a_named_operator", "nothing_comes_back")]

SENTINEL = "Xyloquartz"
OURS = VOID_WORDS[Ending.BROWSER_ERROR]
#: As a browser's driver says it: the start address is in it.
SAID = f"Navigation to https://{SENTINEL}.example/clinic?patient=Inga was given up."


def broken(task):
    endings = [ended(slot, ending=Ending.BROWSER_ERROR, detail=SAID) for slot in "AB"]
    return race(make_battle(task=task), events=endings)


def shown_to(role, battle) -> str:
    client = Client()
    sign_in_operator(client, role)
    return client.get(f"/admin/battles/battle/{battle.pk}/change/").content.decode()


@pytest.mark.parametrize("role", [role.name for role in ROLES])
def test_of_a_private_task_operators_read_our_words_alone(role):
    page = shown_to(role, broken(make_task(make_judge())))
    assert OURS in page
    assert SENTINEL not in page


def test_of_a_battle_that_was_offered_they_read_what_was_said():
    battle = make_votable()
    offer(battle)
    void_battle(battle_id=battle.pk, reason=f"{OURS} Target closed.", actor="system:test")
    assert "Target closed." in shown_to("viewer", battle)


@pytest.mark.parametrize("reason", [None, f"The page of {SENTINEL} shows an address."])
def test_with_the_task_goes_why_its_battle_was_void_already(reason):
    judge = make_judge()
    battle = broken(make_task(judge)) if reason is None else make_votable(task=make_task(judge))
    if reason is not None:
        void_battle(battle_id=battle.pk, reason=reason, actor="system:test")
    withdraw_everything(judge=judge)
    battle.refresh_from_db()
    assert battle.void_reason == (OURS if reason is None else REASON)
    if reason is None:
        assert SENTINEL not in everything_stored()


def test_of_a_load_that_failed_the_browsers_name_is_kept_and_no_address():
    error = f"Page.goto: net::ERR_HTTP2_PROTOCOL_ERROR at https://{SENTINEL}.example/?patient=Inga"
    assert meaning(error) == ("load_failed", "The load failed: ERR_HTTP2_PROTOCOL_ERROR.")
    assert meaning(f"Timeout 30000ms exceeded at https://{SENTINEL}.example/") == ("load_failed", "The load failed.")
    assert SENTINEL not in start_failed(meaning(error)[1])
