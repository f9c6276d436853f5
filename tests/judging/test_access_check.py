"""A battle that may not be read is a battle that does not exist, and whoever breaks that is seen."""

import json
import time

import pytest
from django.core.management import call_command
from django.http import HttpResponse

from battles.models import Battle
from governance.models import Judge
from judging.access_check import check_access
from judging.site_visits import battle_addresses
from tests.judging import planting

pytestmark = pytest.mark.django_db


def verify(capsys, *options):
    with pytest.raises(SystemExit) as end:
        call_command("verify_battle_access", "--json", "--rounds", "3", *options)
    return end.value.code, json.loads(capsys.readouterr().out)


def test_nothing_tells_a_forbidden_battle_from_a_missing_one(capsys):
    status, report = verify(capsys)
    assert (status, report["differences"]) == (0, [])
    assert report["comparisons"] >= 5 * 8 * (2 + 2 + 4)
    assert report["timed"] >= 3


def test_the_check_leaves_nothing_behind():
    check_access(rounds=3, kinds=["private"])
    assert (Battle.objects.count(), Judge.objects.count()) == (0, 0)


@pytest.fixture
def plant(settings, monkeypatch):
    """Treat battles that exist differently, whoever asks: what a rule that looks twice would do."""
    settings.MIDDLEWARE = [f"{planting.__name__}.PlantingMiddleware", *settings.MIDDLEWARE]

    def plant_with(change):
        def defect(request, response):
            match = request.resolver_match
            battle = match.kwargs.get("battle_id") if match else None
            if battle is not None and (private := Battle.objects.filter(pk=battle).first()) is not None:
                return change(response, private)
            return None

        monkeypatch.setattr(planting, "defect", defect)

    return plant_with


def differences():
    return check_access(rounds=3, kinds=["private"]).differences


def test_the_planting_itself_makes_no_difference(plant):
    plant(lambda response, battle: None)
    assert differences() == ()


def test_another_status_is_seen_at_every_address(plant):
    def forbid(response, battle):
        response.status_code = 418

    plant(forbid)
    seen = differences()
    for address in battle_addresses():
        assert any(words.startswith(f"{address.name},") and "status 418 against" in words for words in seen)


# What else may differ is looked for alike at every address: one is enough to see that it is found.


@pytest.fixture
def one_address(monkeypatch):
    battle = [address for address in battle_addresses() if address.name == "battle"]
    monkeypatch.setattr("judging.access_check.battle_addresses", lambda: battle)


def test_whatever_kind_of_battle_differs_is_said_and_fails_the_command(one_address, plant, capsys):
    def forbid(response, battle):
        response.status_code = 403

    plant(forbid)
    status, report = verify(capsys)
    assert status == 1
    told = [difference for difference in report["differences"] if "status 403 against 404" in difference]
    kinds = {difference.split(", ")[1] for difference in told}
    assert {"private battle", "offered battle", "gold battle", "reported practice battle"} <= kinds
    assert len(kinds) == 9


def test_other_words_are_seen(one_address, plant):
    def tell(response, battle):
        response.content += b" "

    plant(tell)
    assert any("body of" in difference for difference in differences())


def test_a_header_is_seen(one_address, plant):
    plant(lambda response, battle: response.headers.setdefault("ETag", "known"))
    assert any("ETag" in difference for difference in differences())


def test_a_cookie_is_seen(one_address, plant):
    plant(lambda response, battle: response.set_cookie("seen", "1"))
    assert any("Set-Cookie" in difference for difference in differences())


def test_a_battle_that_opens_is_seen(one_address, plant):
    def open_it(response, battle):
        return HttpResponse("Here it is.")

    plant(open_it)
    assert any("answered with 200" in difference for difference in differences())


def test_a_slower_answer_is_seen(one_address, plant):
    plant(lambda response, battle: time.sleep(0.3))
    assert any(" ms against " in difference for difference in differences())


def test_a_second_question_to_the_database_is_seen(one_address, plant):
    plant(lambda response, battle: bool(battle.task.instruction) and None)
    assert any("statements" in difference for difference in differences())
