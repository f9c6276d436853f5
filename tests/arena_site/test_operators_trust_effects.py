"""What operators decide about judges, reports and held labels shows first what it does to the ranks, and does that."""

import pytest
from django.utils import timezone

from governance.models import JournalEntry
from judging.models import HeldLabel, Report, TrustChange
from judging.trust import State, decide_hold, hold_label, suspend_judge
from judging.trust_effects import effect_of_trust
from ratings import foreseen_effects
from ratings.corpus import read_corpus
from ratings.exclusion_effect import BoardEffect
from ratings.foreseen_effects import ASKED, foresee_release, foresee_trust, work_out
from ratings.models import Board
from tests.arena_site.operators import sign_in_operator
from tests.arena_site.test_operators_acts import seal_on
from tests.battles.factories import make_agent, make_judge
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = pytest.mark.django_db
WHO = "operator:1"
SUSPEND, REINSTATE = (f"/admin/governance/judge/act/{name}/" for name in ("suspend", "reinstate"))
VOID = "/admin/judging/report/act/void/"
HOLD, LEAVE_OUT = (f"/admin/judging/vote/act/{name}/" for name in ("hold", "exclude"))
RELEASE, EXCLUDE = (f"/admin/judging/heldlabel/act/{name}/" for name in ("release", "exclude"))


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


def test_putting_votes_aside_is_shown_first(client, votes):
    sign_in_operator(client, "moderator")
    asked = {"ids": [vote.pk for vote in votes[:3]], "reason": "They look alike."}
    shown = client.post(HOLD, asked)
    assert "9 labels rate now, 6 would." in shown.content.decode()
    for wrong in (asked | {"confirmed": "1"}, asked | {"ids": [votes[5].pk], "confirmed": seal_on(shown)}):
        client.post(HOLD, wrong)
    assert not HeldLabel.objects.exists()
    # It would do the same to the ranks, and is another act all the same.
    client.post(LEAVE_OUT, asked | {"confirmed": seal_on(shown)})
    assert rated() == 9
    assert client.post(HOLD, asked | {"confirmed": seal_on(shown)}).status_code == 302
    assert (HeldLabel.objects.count(), rated()) == (3, 6)


def test_a_release_is_shown_first_and_an_exclusion_shows_what_it_rules_out(client, votes):
    held = [hold_label(vote=vote, actor=WHO, reason="Odd.") for vote in votes[:4]]
    sign_in_operator(client, "moderator")
    asked = {"ids": [held[0].pk, held[1].pk], "reason": "Seen."}
    shown = {path: client.post(path, asked) for path in (RELEASE, EXCLUDE)}
    for answer in shown.values():
        assert "5 labels rate now, 7 would." in answer.content.decode()
    assert "What it would do to the ranks" in shown[RELEASE].content.decode()
    assert "What releasing instead would do to the ranks" in shown[EXCLUDE].content.decode()
    assert not HeldLabel.objects.exclude(decision="").exists()
    assert rated() == 5
    client.post(RELEASE, asked | {"confirmed": seal_on(shown[RELEASE])})
    assert rated() == 7
    asked["ids"] = [held[2].pk]
    client.post(EXCLUDE, asked | {"confirmed": seal_on(client.post(EXCLUDE, asked))})
    assert (HeldLabel.objects.get(pk=held[2].pk).decision, rated()) == ("excluded", 7)


def test_a_release_on_a_board_that_nothing_rates_shows_who_would_have_a_rank(votes):
    held = [hold_label(vote=vote, actor=WHO, reason="Odd.") for vote in votes]
    [effect] = foresee_release(held, WHO).boards
    assert (effect.labels_before, effect.labels_after) == (0, 9)
    assert {agent.name for agent in effect.agents} == {votes[0].battle.agent_a.name, votes[0].battle.agent_b.name}


def test_a_worker_finds_a_release_until_something_is_put_aside_or_decided(votes, monkeypatch):
    def ask():
        shown = foresee_release(held[:2], WHO)
        return shown.seal or (work_out(JournalEntry.objects.filter(action=ASKED).latest("at")) and "")

    held = [hold_label(vote=vote, actor=WHO, reason="Odd.") for vote in votes[:3]]
    at_once = foresee_release(held[:2], WHO).boards
    monkeypatch.setattr(foreseen_effects, "VOTES_AT_MOST", 3)
    monkeypatch.setattr(foreseen_effects, "_ring", lambda _entry: None)
    assert ask() == ""
    assert ask()
    assert foresee_release(held[1::-1], WHO).boards == at_once
    hold_label(vote=votes[5], actor="system:stacks", reason="Odd.")
    assert ask()
    hold_label(vote=votes[6], actor=WHO, reason="Odd.")
    assert ask() == ""
    assert ask()
    decide_hold(held=held[2], decision="released", actor=WHO, reason="Fine.")
    assert ask() == ""


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
