"""C33 from end to end: two people are erased, one keeps what they said, and the audit is what it was."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from arena_site.accounts.models import Account
from arena_site.accounts.tokens import make_token
from governance import exports
from governance.consent import current_text, give_consent
from governance.dataset.building import build_snapshot
from governance.dataset.replacing import replace_snapshots
from governance.licensing import deliver_snapshot, register_licensee
from governance.models import JournalEntry, Judge
from judging.models import Vote
from ratings.corpus import label_ids, read_corpus
from ratings.eligibility import Reason
from ratings.models import Board, Refit
from ratings.refit import refit
from tests.arena_site.accounts.people import identifier_in, sign_up
from tests.arena_site.operators import sign_in_operator
from tests.arena_site.test_nothing_is_left import files_with, sessions_with, tables_with
from tests.battles.factories import lane_of, make_agent, make_battle, race
from tests.governance.dataset.boards import ACTOR

pytestmark = [pytest.mark.django_db, pytest.mark.production]

#: What the two are called, and wrote into their notes.
KEEPS, LEAVES = "Vexillonaut", "Campanarian"
VOTES = 3
OWN = "/api/judge/calibration"


@pytest.fixture(autouse=True)
def an_arena_with_a_name(settings, tmp_path, monkeypatch):
    settings.ARENA_LEGAL_NAME = "Example Arena Ltd"
    settings.ARENA_DATA_DIR = tmp_path
    # The quality report measures detectors for half a second.
    exports.facts()
    told = exports.ExportFact("not_entitled", lambda at: {"board": "demo", "not_entitled": []})
    monkeypatch.setitem(exports._facts, "not_entitled", told)
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)


class Person:
    """Somebody with an account, a token and final votes on closed practice battles of two baselines."""

    def __init__(self, name, agents):
        self.name, self.client = name, Client()
        assert sign_up(self.client, name.lower()).status_code == 302
        self.client.get("/battles/new")
        self.judge = Judge.objects.get(pk=identifier_in(self.client))
        account = Account.objects.get(username=name.lower())
        self.token = make_token(account=account, judge=self.judge, label=f"{name}'s script", scopes=["read"])[1]
        self.votes = [self.vote(agents, number) for number in range(VOTES)]

    def vote(self, agents, number):
        battle = race(make_battle(kind="practice", agents=agents))
        winner = lane_of(battle, "AB"[number % 2])
        fields = {"receipt": self.receipt(), "choice": "lane", "winner": winner, "by_submitter": False}
        note = f"I, {self.name}, know it."
        return Vote.objects.create(battle=battle, judge=self.judge, locked_at=battle.votable_at, note=note, **fields)

    def receipt(self):
        text = current_text()
        return self.judge.receipts.first() or give_consent(judge=self.judge, text=text, rendered=text.sentence)

    @property
    def actor(self):
        return f"judge:{self.judge.pk}"

    def audit(self):
        return list(JournalEntry.objects.filter(actor=self.actor).order_by("pk").values_list("pk", flat=True))

    def asks_with_token(self):
        return Client().get(OWN, headers={"Authorization": f"Bearer {self.token}"}).status_code


def reasons_of(person):
    found = dict(zip(label_ids(Board.DEMO, timezone.now()), read_corpus(Board.DEMO).reason.tolist(), strict=True))
    return [Reason(found[vote.pk]) for vote in person.votes]


def test_two_people_are_erased(seeded, client, django_capture_on_commit_callbacks):
    agents = [make_agent(key, kind="baseline") for key in ("ada", "bob")]
    keeps, leaves = Person(KEEPS, agents), Person(LEAVES, agents)
    assert refit(board=Board.DEMO, actor="system:test").outcome == Refit.Outcome.PUBLISHED
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    licensed = register_licensee(name="One", terms="For research.", actor=ACTOR)
    deliver_snapshot(snapshot=snapshot, licensee=licensed.licensee, actor=ACTOR)
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {licensed.token}"}
    link = reverse("snapshot_file", args=[snapshot.pk, "manifest.json"])
    assert client.get(link, **bearer).status_code == 200
    for person in (keeps, leaves):
        assert {"judging_vote", "accounts_account"} <= set(tables_with(person.name))
        assert person.asks_with_token() == 200
        assert reasons_of(person) == [Reason.RATED] * VOTES
    audit = {person.name: person.audit() for person in (keeps, leaves)}
    assert all(len(rows) >= 2 for rows in audit.values())
    rows_before = JournalEntry.objects.count()

    with django_capture_on_commit_callbacks(execute=True):
        assert keeps.client.post("/withdraw", {"what": "identity"}).status_code == 302
        assert leaves.client.post("/withdraw", {"what": "everything"}).status_code == 302

    for person in (keeps, leaves):
        person.judge.refresh_from_db()
        assert person.judge.erased_at is not None
        assert person.audit()[: len(audit[person.name])] == audit[person.name]
        assert person.asks_with_token() == 401
    assert JournalEntry.objects.count() >= rows_before
    assert client.get(link, **bearer).status_code == 410

    assert reasons_of(keeps) == [Reason.RATED] * VOTES
    assert reasons_of(leaves) == [Reason.WITHDRAWN] * VOTES
    run = refit(board=Board.DEMO, actor="system:test")
    assert run.outcome == Refit.Outcome.PUBLISHED
    assert run.publication.labels_withdrawn == VOTES

    sign_in_operator(client)
    listed = client.get("/admin/governance/journalentry/").content.decode()
    shown = {f"{person.actor} (erased {person.judge.erased_at:%Y-%m-%d %H:%M} UTC)" for person in (keeps, leaves)}
    assert len(shown) == 2
    assert all(words in listed for words in shown)

    with django_capture_on_commit_callbacks(execute=True):
        replace_snapshots()
    for name in (KEEPS, LEAVES):
        assert tables_with(name) == []
        assert files_with(name) == []
        assert sessions_with(name.lower()) == []
