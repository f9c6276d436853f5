"""What is sent is taken exactly as it is or refused: nothing is guessed, and nothing that was not an object is done."""

import pytest

from governance.models import Withdrawal
from judging.models import Vote
from tests.arena_site.rest.scripts import problem, script_of, seated_owner
from tests.battles.factories import lane_of, make_votable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]


@pytest.fixture
def seat():
    """A script in whose hand a battle is, and that battle."""
    battle = make_votable()
    return script_of(seated_owner(battle)), battle


def test_null_is_no_body_where_an_object_is_asked_for(seat):
    script, battle = seat
    assert script.post(f"/api/battles/{battle.pk}/vote", {"choice": "tie"}).status_code == 200
    for body in (b"null", b"[]", b'""', b"0", b"false"):
        refused = script.post(f"/api/battles/{battle.pk}/lock", body)
        assert problem(refused) == (400, "invalid"), body
        assert refused.json()["errors"][0]["field"] == "body"
    assert Vote.objects.get().locked_at is None
    assert script.post(f"/api/battles/{battle.pk}/lock", b"").status_code == 200


@pytest.mark.parametrize("around", [" {}", "{} ", "{}\n", "\u00a0{}", "{}\u2003"])
def test_a_word_of_a_few_with_anything_around_it_is_another_word(seat, around):
    script, battle = seat
    address = f"/api/battles/{battle.pk}"
    for choice in ("tie", str(lane_of(battle, "A").pk)):
        assert problem(script.post(f"{address}/vote", {"choice": around.format(choice)})) == (422, "unknown_choice")
    assert problem(script.post(f"{address}/skip", {"reason": around.format("language")})) == (400, "invalid")
    assert problem(script.post(f"{address}/report", {"kind": around.format("private")})) == (400, "invalid")
    for what in ("everything", "kind:vote"):
        refused = script.post("/api/withdrawals", {"what": around.format(what)})
        assert problem(refused) == (422, "unknown_scope")
    consent = {"choice": "tie", "consent": around.format("a" * 64)}
    assert problem(script.post(f"{address}/vote", consent)) == (400, "invalid")
    assert not Vote.objects.exists()
    assert not Withdrawal.objects.exists()


def test_a_recovery_code_of_white_space_is_not_whoever_asks(seat):
    script, _ = seat
    refused = script.post("/api/withdrawals", {"what": "everything", "recovery_code": " \u2003\n"})
    assert problem(refused) == (400, "invalid")
    assert not Withdrawal.objects.exists()
