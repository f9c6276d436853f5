"""Operators' pages against people who would misuse them, and texts that would misuse operators."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from arena_site.accounts.operators import appoint, dismiss
from governance.models import JournalEntry
from judging.models import HeldLabel, Report, TrustChange
from judging.trust import hold_label
from tests.arena_site.operators import make_operator, sign_in_operator
from tests.arena_site.test_operators_acts import seal_on
from tests.battles.factories import make_judge, make_votable
from tests.ratings.test_trust_reaches_the_ranking import judged

SUSPEND = "/admin/governance/judge/act/suspend/"
#: Markup, a formula, a mark that turns the line around, and more than a page should be made of.
NOTE = "<script>alert(1)</script> =HYPERLINK(1) \u202eevil " + "x" * 1900


@pytest.mark.django_db
def test_an_address_that_is_opened_does_nothing(client):
    sign_in_operator(client, "moderator")
    judge = make_judge()
    answer = client.get(SUSPEND, {"ids": [judge.pk], "reason": "By a link.", "confirmed": "1"})
    assert answer.status_code == 200
    assert not TrustChange.objects.exists()
    assert "By a link." not in answer.content.decode()


@pytest.mark.django_db
def test_rows_of_something_else_are_no_rows(client):
    sign_in_operator(client)
    battle, judge = make_votable(), make_judge()
    for ids in ([str(battle.pk)], [judge.pk, str(battle.pk)], [judge.pk, "nothing"], ["a\0b"], []):
        assert client.post(SUSPEND, {"ids": ids, "reason": "Why."}).status_code == 404
    assert client.post("/admin/battles/battle/act/exclude/", {"ids": [judge.pk], "reason": "x"}).status_code == 404
    assert not TrustChange.objects.exists()


@pytest.mark.django_db
def test_a_role_that_was_taken_away_is_gone_with_the_next_page():
    account, client = make_operator("moderator"), Client()
    sign_in_operator(client, account=account)
    judge = make_judge()
    appoint(name=account.username, role="viewer", actor="operator:1", reason="Moved.")
    assert client.post(SUSPEND, {"ids": [judge.pk], "reason": "Why."}).status_code == 403
    dismiss(name=account.username, actor="operator:1", reason="Left.")
    assert client.get("/admin/").url.startswith("/account/sign-in")


@pytest.mark.django_db
def test_who_was_marked_by_hand_needs_both_factors_and_a_reason_all_the_same(client):
    account = make_operator("")
    account.is_superuser = True
    account.save()
    client.force_login(account)
    assert client.post(SUSPEND, {"ids": [make_judge().pk], "reason": "Why."}).status_code == 302
    assert not TrustChange.objects.exists()
    account.is_staff = False
    account.save()
    assert client.get("/admin/").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:x"])
def test_signing_in_leads_nowhere_else(client, elsewhere):
    sign_in_operator(client)
    for path in ("/account/sign-in", "/account/second-factor", "/account/second-factor/again"):
        answer = client.get(path, {"next": elsewhere})
        assert "evil.example" not in answer.headers.get("Location", "")
        assert f'href="{elsewhere}"' not in answer.content.decode()


@pytest.mark.django_db
def test_no_page_is_kept_anywhere(client):
    battle = make_votable()
    held = hold_label(
        vote=judged((battle.agent_a, battle.agent_b), battle.agent_a_id, make_judge()), actor="system:x", reason="Odd."
    )
    sign_in_operator(client)
    for path in (
        "/admin/",
        "/admin/battles/",
        "/admin/judging/heldlabel/",
        f"/admin/judging/heldlabel/{held.pk}/change/",
        f"/admin/judging/heldlabel/act/release/?ids={held.pk}",
    ):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert {"no-store", "private"} <= set(answer["Cache-Control"].replace(" ", "").split(",")), path
        assert "ETag" not in answer, path


@pytest.mark.django_db
def test_what_people_wrote_is_shown_as_text(client):
    battle = make_votable()
    report = Report.objects.create(
        battle=battle, judge=make_judge(), kind="other", note=NOTE, due_at=timezone.now() + timedelta(days=1)
    )
    sign_in_operator(client)
    for path in ("/admin/judging/report/", f"/admin/judging/report/{report.pk}/change/", "/admin/"):
        page = client.get(path).content.decode()
        assert "<script>alert" not in page
    # What turns a line around ends with its cell (operators.css isolates it), and is there to be seen.
    assert "evil" in client.get(f"/admin/judging/report/{report.pk}/change/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_of_two_operators_who_decide_at_once_one_is_told_of_the_other():
    battle = make_votable()
    held = hold_label(
        vote=judged((battle.agent_a, battle.agent_b), battle.agent_a_id, make_judge()), actor="system:x", reason="Odd."
    )
    clients = [Client(), Client()]
    for client in clients:
        sign_in_operator(client, "moderator")
    asked, acts = {"ids": [held.pk], "reason": "Seen."}, ("release", "exclude")
    seals = {act: seal_on(clients[0].post(f"/admin/judging/heldlabel/act/{act}/", asked)) for act in acts}
    together, answers = threading.Barrier(2), []

    def decide(client, act):
        together.wait()
        answers.append(client.post(f"/admin/judging/heldlabel/act/{act}/", asked | {"confirmed": seals[act]}))
        connections.close_all()

    threads = [threading.Thread(target=decide, args=pair) for pair in zip(clients, acts, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Whoever comes second is refused, or is shown that the effect is another one now.
    assert [answer.status_code for answer in answers if answer.status_code not in {200, 422}] == [302]
    decision = HeldLabel.objects.get(pk=held.pk).decision
    entries = JournalEntry.objects.filter(
        subject=str(held.vote_id), action__in=["judging:vote:released", "judging:vote:excluded"]
    )
    assert [entry.action for entry in entries] == [f"judging:vote:{decision}"]
