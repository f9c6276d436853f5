"""Taking back on the site: a choice and a button, or a code from any browser; and the page that says how far it is."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from arena_site.accounts.limits import Limit
from arena_site.accounts.models import Account
from battles.models import Battle, Task
from governance.models import Judge, Withdrawal
from governance.recovery_codes import recovery_code
from governance.withdrawals import request_withdrawal
from judging.models import Vote
from tests.arena_site.accounts.people import sign_up
from tests.battles.factories import make_judge

pytestmark = pytest.mark.django_db


def take_back(client, what="everything", **fields):
    return client.post("/withdraw", {"what": what} | fields)


def code_on(page):
    return re.search(r"<code>([0-9A-Z-]{19})</code>", page.content.decode()).group(1)


def test_one_task_is_taken_back_and_the_other_stays(visitor, post_task):
    for number in range(2):
        post_task(visitor, instruction=f"Find out when the town library opens on day {number}.")
    page = visitor.get("/withdraw").content.decode()
    assert "opens on day 0" in page
    one, other = Task.objects.order_by("created_at")
    answer = take_back(visitor, f"task:{one.pk}")
    assert answer.status_code == 302
    assert "one task" in visitor.get(answer.url).content.decode()
    assert visitor.get("/withdraw").content.decode().count("opens on day") == 1
    assert Task.objects.get(pk=other.pk).withdrawn_at is None
    # Whoever takes back a part is the same judge as before.
    assert Judge.objects.filter(erased_at=None).count() == Judge.objects.count()


class Clicks:
    """A person who only clicks: links of a page, and the button of its form as the form stands."""

    def __init__(self, client, path):
        self.client, self.page, self.count = client, client.get(path).content.decode(), 0

    def link(self, words):
        href = re.search(rf'<a href="([^"]+)">{words}</a>', self.page).group(1)
        self.page, self.count = self.client.get(href).content.decode(), self.count + 1

    def button(self):
        form = re.search(r'<form method="post" action="/withdraw".*?</form>', self.page, re.DOTALL).group()
        values = dict(re.findall(r'type="radio" name="(\w+)" value="([^"]+)" required checked', form))
        answer = self.client.post("/withdraw", values, follow=True)
        self.page, self.count = answer.content.decode(), self.count + 1


@pytest.mark.parametrize("path", ["/", "/standings", "/judge/me", "/battles/new", "/api/docs", "/withdraw/not-there"])
def test_from_any_page_everything_is_taken_back_in_two_clicks(visitor, post_task, path):
    post_task(visitor)
    person = Clicks(visitor, path)
    person.link("Withdraw")
    person.button()
    assert person.count == 2
    assert "Done on" in person.page
    assert Withdrawal.objects.get().scope == "everything"
    assert not Judge.objects.filter(erased_at=None).exists()


@pytest.mark.parametrize(
    ("path", "words"),
    [("/account", "Withdraw everything"), ("/account", "Withdraw"), ("/judge/me", "take it all back")],
)
def test_an_account_is_taken_back_in_two_clicks(visitor, path, words):
    sign_up(visitor)
    person = Clicks(visitor, path)
    person.link(words)
    person.button()
    assert person.count == 2
    assert "Done on" in person.page
    assert not Account.objects.exists()


def test_a_battles_own_page_leads_to_its_task_and_no_further(visitor, post_task, settings):
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
    post_task(visitor, instruction="Find out when the town library opens on day 1.")
    post_task(visitor, instruction="Find out when the town library opens on day 2.")
    battle = Battle.objects.order_by("created_at").first()
    person = Clicks(visitor, f"/battles/{battle.pk}")
    person.link("withdrawing")
    person.button()
    assert person.count == 2
    assert Task.objects.get(withdrawn_at=None).pk != battle.task_id
    assert Withdrawal.objects.get().scope == "task"


def test_after_a_refusal_nothing_else_is_chosen_than_before(visitor, post_task):
    post_task(visitor)
    assert "required checked" not in take_back(visitor, "").content.decode()
    assert 'value="kind:vote" required checked' in take_back(Client(), "kind:vote").content.decode()


def test_the_page_says_the_days_that_hold(visitor, monkeypatch):
    monkeypatch.setattr("arena_site.views.withdraw.LICENSEES_WITHIN", timedelta(days=41))
    assert "a new copy without it within 41 days" in visitor.get("/withdraw").content.decode()


def test_what_is_asked_for_in_the_address_is_chosen_already(visitor, post_task):
    post_task(visitor)
    value = f"task:{Task.objects.get().pk}"
    assert f'value="{value}" required checked' in visitor.get(f"/withdraw?what={value}").content.decode()


@pytest.mark.parametrize("what", ["", "all", "kind:secret", "task:7"])
def test_nothing_happens_without_a_choice(visitor, post_task, what):
    post_task(visitor)
    answer = take_back(visitor, what)
    assert answer.status_code == 422
    assert "Nothing was taken out" in answer.content.decode()
    assert not Withdrawal.objects.exists()


def test_anothers_task_is_not_there_to_be_taken_back(visitor, post_task):
    post_task(visitor)
    stranger = Client()
    post_task(stranger)
    theirs = Task.objects.order_by("created_at").first()
    assert take_back(stranger, f"task:{theirs.pk}").status_code == 404
    assert Task.objects.filter(withdrawn_at=None).count() == 2


def test_a_code_takes_everything_back_from_any_browser(visitor, post_task):
    post_task(visitor)
    code = code_on(visitor.get("/withdraw"))
    stranger = Client()
    answer = take_back(stranger, code=code.lower().replace("-", " "))
    assert answer.status_code == 302
    assert Withdrawal.objects.get().channel == "code"
    assert Task.objects.filter(withdrawn_at=None).count() == 0
    # It opens nothing any more, and the browser that it came from is a new visitor.
    assert take_back(stranger, code=code).status_code == 422
    assert "Nothing known of this browser" in visitor.get("/withdraw").content.decode()


def test_wrong_codes_are_refused_and_counted_for_the_network(visitor, monkeypatch):
    few = Limit("recovery code", 2, timedelta(hours=1), "Many wrong codes.")
    monkeypatch.setattr("arena_site.views.withdraw.CODES", few)
    monkeypatch.setattr("arena_site.accounts.limits.UNKNOWN_FACTOR", 1)
    for _ in range(2):
        assert take_back(visitor, code="0000-0000-0000-0000").status_code == 422
    answer = take_back(visitor, code="0000-0000-0000-0000")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0


def test_being_forgotten_leaves_the_votes_and_ends_the_account(visitor, post_task):
    sign_up(visitor, "margot-lefevre")
    post_task(visitor)
    take_back(visitor, "identity")
    assert Task.objects.filter(withdrawn_at=None).count() == 1
    assert visitor.get("/account").status_code == 302
    assert "Nothing known of this browser" in visitor.get("/withdraw").content.decode()


def test_whoever_comes_back_in_the_same_browser_is_somebody_else(visitor, post_task):
    post_task(visitor)
    take_back(visitor)
    post_task(visitor)
    before, after = Task.objects.order_by("created_at")
    assert before.judge_id != after.judge_id
    assert after.withdrawn_at is None


def test_the_page_of_a_withdrawal_tells_its_clocks_to_whoever_has_its_address_and_no_names(visitor):
    judge = make_judge()
    at = timezone.now() - timedelta(days=8)
    waits = request_withdrawal(judge=judge, actor="operator:1", channel="mail", received_at=at)
    page = visitor.get(f"/withdraw/{waits.pk}").content.decode()
    assert "Overdue" in page
    assert f'datetime="{at + timedelta(days=7):%Y-%m-%dT%H:%M:%SZ}"' in page
    assert judge.pk not in page
    assert visitor.get(f"/withdraw/{judge.receipts.get().pk}").status_code == 404
    assert "withdrawals wait" in visitor.get("/status").content.decode()


def test_a_letter_is_entered_listed_and_acted_on_from_the_terminal(capsys):
    judge = make_judge()
    received = timezone.now() - timedelta(days=1)
    call_command(
        "withdrawals", "enter", recovery_code(judge), f"--received={received.isoformat()}", "--time-zone=Europe/Berlin"
    )
    assert " CE" in capsys.readouterr().out
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.received_at, withdrawal.channel, withdrawal.corpus_done_at) == (received, "mail", None)
    call_command("withdrawals", "list")
    assert str(withdrawal.pk) in capsys.readouterr().out
    call_command("withdrawals", "act", str(withdrawal.pk), "--reason=The letter is genuine.")
    assert "no label" in capsys.readouterr().out
    call_command("withdrawals", "list")
    assert str(withdrawal.pk) not in capsys.readouterr().out


@pytest.mark.parametrize("words", [("enter", "nobody"), ("act", "7"), ("enter", "nobody", "--received=yesterday")])
def test_what_cannot_be_done_is_refused_in_a_line(words):
    with pytest.raises(SystemExit) as stopped:
        call_command("withdrawals", *words)
    assert stopped.value.code == 2
    assert not Vote.objects.exists()
    assert not Battle.objects.exists()
