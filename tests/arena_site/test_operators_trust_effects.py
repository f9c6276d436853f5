"""Suspending a judge and voiding a battle show first what they do to the ranks, and do just that."""

import pytest
from django.utils import timezone

from governance.models import JournalEntry
from judging.models import Report, TrustChange
from judging.trust import State, suspend_judge
from judging.trust_effects import effect_of_trust
from ratings import foreseen_effects
from ratings.corpus import read_corpus
from ratings.exclusion_effect import BoardEffect
from ratings.foreseen_effects import ASKED, foresee_trust, work_out
from ratings.models import Board
from tests.arena_site.operators import sign_in_operator
from tests.arena_site.test_operators_acts import seal_on
from tests.battles.factories import make_agent, make_judge
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = pytest.mark.django_db
WHO = "operator:1"
SUSPEND, REINSTATE = (f"/admin/governance/judge/act/{name}/" for name in ("suspend", "reinstate"))
VOID = "/admin/judging/report/act/void/"


@pytest.fixture
def votes():
    agents, busy = (make_agent("m1"), make_agent("m2")), make_judge()
    return [judged(agents, "m1" if number % 3 else "m2", busy if number < 4 else make_judge()) for number in range(9)]


def rated() -> int:
    return int(read_corpus(Board.DEMO).rated.sum())


def ranks_shown(answer) -> BoardEffect | None:
    boards = answer.context["preview"].context["effect"].boards
    return boards[0] if boards else None


def test_a_suspension_is_shown_first_and_so_is_its_end(client, votes):
    sign_in_operator(client, "moderator")
    asked = {"ids": [votes[0].judge_id], "reason": "A script."}
    shown = client.post(SUSPEND, asked)
    assert "9 labels rate now, 5 would." in shown.content.decode()
    other = {"ids": [votes[8].judge_id], "reason": "A script."}
    for wrong in (asked | {"confirmed": "1"}, other | {"confirmed": seal_on(shown)}):
        client.post(SUSPEND, wrong)
    assert not TrustChange.objects.exists()
    assert client.post(SUSPEND, asked | {"confirmed": seal_on(shown)}).status_code == 302
    assert (TrustChange.objects.get().state, rated()) == (State.SUSPENDED, 5)
    back = client.post(REINSTATE, asked | {"confirmed": seal_on(shown)})
    assert "5 labels rate now, 9 would." in back.content.decode()
    assert TrustChange.objects.count() == 1


def test_a_void_battle_does_what_was_shown(client, votes):
    report = Report.objects.create(battle=votes[0].battle, judge=make_judge(), kind="other", due_at=timezone.now())
    sign_in_operator(client, "moderator")
    asked = {"ids": [report.pk], "reason": "The page was down."}
    shown = client.post(VOID, asked)
    effect = ranks_shown(shown)
    assert effect is not None
    assert (effect.labels_before, effect.labels_after) == (9, 8)
    votes[0].battle.refresh_from_db()
    assert votes[0].battle.state != "void"
    client.post(VOID, asked | {"confirmed": seal_on(shown)})
    votes[0].battle.refresh_from_db()
    assert (votes[0].battle.state, rated()) == ("void", effect.labels_after)


def test_a_worker_finds_it_for_these_judges_until_an_operator_decides(votes, monkeypatch):
    def ask():
        shown = foresee_trust([votes[0].judge], State.SUSPENDED, WHO)
        return shown.seal or (work_out(JournalEntry.objects.filter(action=ASKED).latest("at")) and "")

    at_once = foresee_trust([votes[0].judge], State.SUSPENDED, WHO).boards
    monkeypatch.setattr(foreseen_effects, "VOTES_AT_MOST", 3)
    monkeypatch.setattr(foreseen_effects, "_ring", lambda _entry: None)
    assert ask() == ""
    assert ask()
    assert foresee_trust([votes[0].judge], State.SUSPENDED, WHO).boards == at_once
    # The rule's own changes go on all day.
    TrustChange.objects.create(
        judge=votes[7].judge,
        before="new",
        state="trusted",
        actor="system:trust",
        reason="15 of 20.",
        calls=20,
        right=15,
    )
    assert ask()
    suspend_judge(judge=votes[8].judge, actor=WHO, reason="A script.")
    assert ask() == ""


def test_what_would_be_refused_is_refused_before_it_is_worked_out(client, votes):
    sign_in_operator(client, "moderator")
    page = client.post(REINSTATE, {"ids": [votes[0].judge_id], "reason": "No script."})
    assert page.status_code == 422
    assert "neither untrusted nor suspended" in page.content.decode()
    assert effect_of_trust(judges=[votes[0].judge], state=State.SUSPENDED, actor=WHO).seal
