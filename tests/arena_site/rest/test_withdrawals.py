"""Taking back what one gave, as programs send and read it."""

import pytest

from judging.models import Vote
from tests.arena_site.rest.scripts import Script, make_owner, problem, script_of, seated_owner
from tests.battles.factories import make_votable
from tests.judging.handing import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded", "a_named_operator", "nothing_comes_back")]


def test_votes_are_taken_back_and_followed():
    battle = make_votable()
    owner = seated_owner(battle)
    script = script_of(owner)
    say(battle, owner[1], "A")
    made = script.post("/api/withdrawals", {"what": "kind:vote"})
    assert made.status_code == 201
    assert Vote.objects.get().withdrawn_at is not None
    followed = script.get(made.headers["Location"]).json()
    assert followed["removed"] == [{"kind": "vote", "count": 1}]
    assert followed["corpus"]["done_at"] is not None
    assert problem(script.post("/api/withdrawals", {"what": "kind:vote"})) == (404, "nothing_to_withdraw")
    assert problem(script.post("/api/withdrawals", {"what": "kind:name"})) == (422, "unknown_scope")
    assert problem(Script().get(made.headers["Location"])) == (404, "no_such_withdrawal")


def test_a_wrong_recovery_code_is_refused_and_not_repeated():
    script = script_of(make_owner())
    refused = script.post("/api/withdrawals", {"what": "everything", "recovery_code": "ABCD-EFGH-JKMN-PQRS"})
    assert problem(refused) == (422, "wrong_code")
    assert "ABCD" not in refused.content.decode()
