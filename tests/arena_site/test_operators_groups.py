"""Rounds, panels and tasks on the operators' pages: what the use cases allow, and nothing that gives a battle away."""

import pytest

from battles.models import Battle
from governance.models import JournalEntry
from judging.models import CalibrationRound, Offer, Panel
from judging.panels import open_panel
from judging.rounds import start_round
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_agent, make_battle, make_judge, make_task, make_votable

pytestmark = pytest.mark.django_db


def test_a_round_is_read_and_ended_and_names_none_of_its_battles(client):
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    judges = [make_judge(), make_judge()]
    row = start_round(name="First", battles=[battle], judges=judges, actor="operator:1")
    account = sign_in_operator(client)
    for query in ("", "?read=1"):
        page = client.get(f"/admin/judging/calibrationround/{row.pk}/change/{query}").content.decode()
        assert judges[0].pk in page
        # Whoever may judge a battle is not to know that it is a round's.
        assert str(battle.pk) not in page
    end = "/admin/judging/calibrationround/act/end/"
    assert client.post(end, {"ids": [row.pk], "reason": "They agree."}).status_code == 302
    assert client.post(end, {"ids": [row.pk], "reason": "Again."}).status_code == 422
    entry = JournalEntry.objects.get(action="judging:round:end")
    assert (entry.actor, entry.reason) == (f"operator:{account.pk}", "They agree.")


def test_a_round_begins_with_what_waits_longest_and_says_nowhere_which_battles(client):
    battles = [make_votable(kind=Battle.Kind.PRACTICE, task=task_of_practice(number)) for number in range(3)]
    judges = [make_judge(), make_judge()]
    account = sign_in_operator(client)
    asked = {"name": "First", "battles": 2, "judges": f"{judges[0].pk}\n{judges[1].pk}\n", "reason": "Newcomers."}
    start = "/admin/judging/calibrationround/act/start/"
    assert "Start a round" in client.get("/admin/judging/calibrationround/").content.decode()
    for wrong, words in (
        ({"battles": 4}, "Only 3 practice or gold battles wait"),
        ({"judges": judges[0].pk}, "at least two judges"),
        ({"judges": f"{judges[0].pk} nobody"}, "no such judge: nobody"),
        ({"reason": ""}, "required"),
    ):
        refused = client.post(start, asked | wrong)
        assert (refused.status_code, words in refused.content.decode()) == (422, True)
    assert not CalibrationRound.objects.exists()
    assert client.post(start, asked).status_code == 302
    row = CalibrationRound.objects.get()
    assert set(row.battles.values_list("battle", flat=True)) == {battle.pk for battle in battles[:2]}
    entry = JournalEntry.objects.get(action="judging:round:start")
    assert (entry.actor, entry.reason, row.started_by) == (f"operator:{account.pk}", "Newcomers.", entry.actor)
    page = client.get(f"/admin/governance/journalentry/{entry.pk}/change/").content.decode()
    assert not any(str(battle.pk) in page for battle in battles)


def task_of_practice(number):
    return make_task(practice_key=f"shop-{number}")


def test_a_panel_is_opened_with_a_reason_and_only_by_an_administrator(client):
    task = task_of_practice(1)
    asked = {"name": "Librarians", "qualification": "A degree.", "tasks": str(task.pk), "reason": "For the archive."}
    address = "/admin/judging/panel/act/open/"
    sign_in_operator(client, "moderator")
    assert client.post(address, asked).status_code == 403
    sign_in_operator(client)
    refused = client.post(address, asked | {"tasks": "nothing"})
    assert (refused.status_code, "no such task: nothing" in refused.content.decode()) == (422, True)
    refused = client.post(address, asked | {"calibration_round": str(task.pk)})
    assert (refused.status_code, "no such round" in refused.content.decode()) == (422, True)
    assert client.post(address, asked).status_code == 302
    panel = Panel.objects.get()
    assert [row.task_id for row in panel.tasks.all()] == [task.pk]
    assert JournalEntry.objects.get(action="judging:panel:open").reason == "For the archive."


def test_a_panel_takes_judges_and_is_closed(client):
    task = make_battle(kind=Battle.Kind.PRACTICE).task
    panel = open_panel(name="Librarians", qualification="A degree.", tasks=[task], actor="operator:1")
    judge = make_judge()
    sign_in_operator(client)
    admit = "/admin/judging/panel/act/admit/"
    refused = client.post(admit, {"ids": [panel.pk], "judge": "nobody", "reason": "Seen."})
    assert (refused.status_code, "There is no such judge" in refused.content.decode()) == (422, True)
    assert client.post(admit, {"ids": [panel.pk], "judge": judge.pk, "reason": "Seen."}).status_code == 302
    page = client.get(f"/admin/judging/panel/{panel.pk}/change/?read=1").content.decode()
    assert judge.pk in page
    assert str(task.pk) in page
    assert client.post("/admin/judging/panel/act/close/", {"ids": [panel.pk], "reason": "Done."}).status_code == 302
    reasons = JournalEntry.objects.filter(subject=str(panel.pk)).order_by("at").values_list("reason", flat=True)
    assert list(reasons) == ["", "Seen.", "Done."]


def test_a_task_that_was_offered_to_nobody_stays_its_posters(client):
    battle = make_votable(agents=(make_agent(), make_agent()))
    sign_in_operator(client, "viewer")
    paths = ("/admin/battles/task/", f"/admin/battles/task/{battle.task_id}/change/")
    for path in paths:
        page = client.get(path).content.decode()
        assert str(battle.task_id) in page or path.endswith("change/")
        assert battle.task.instruction not in page
    Offer.objects.create(battle=battle, judge=battle.task.judge, receipt=battle.task.receipt)
    for path in paths:
        assert battle.task.instruction in client.get(path).content.decode()
