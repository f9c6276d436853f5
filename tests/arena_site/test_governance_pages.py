"""The mission, the governance page and their documents."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from battles.models import Agent
from governance import claims, disclosures
from governance.consent import archive_sentence, current_text
from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure
from governance.journal import record
from governance.licensing import register_licensee
from governance.models import ConsentText, Withdrawal
from governance.redaction import imagery_posture
from governance.redaction.imagery_posture import IMAGERY_POSTURE, imagery_figures
from governance.theses import theses
from ratings.documents import Provenance
from ratings.models import Board, Publication
from ratings.publications import document_of_corpus
from ratings.rehearsal import simulated_corpus
from tests.battles.factories import make_agent, make_battle, make_judge

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_anew():
    claims.forget()
    yield
    claims.forget()


@pytest.fixture
def with_everything_set(settings):
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
    settings.ARENA_WITHDRAWAL_ADDRESS = "withdraw@example.org"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_every_belief_stands_beside_its_mechanism(visitor, with_everything_set):
    answer = visitor.get("/mission")
    text = text_of(answer)
    assert answer.context["gaps"] == ()
    assert "None at present" in text
    numbers = [entry["number"] for chapter in answer.context["chapters"] for entry in chapter["claims"]]
    assert numbers == list(range(1, len(theses()) + 1))
    for one in theses():
        assert f'id="{one.key}"' in answer.content.decode()
        assert one.cites.file in text
    assert "At most 60 labels an hour" in text or "at most 60 labels an hour" in text
    assert "limits.LABELS_AN_HOUR" in text


def test_a_belief_whose_mechanism_is_gone_is_a_gap_at_the_top(visitor, with_everything_set, monkeypatch):
    monkeypatch.setattr("battles.matchmaking.draw_judges_needed", lambda rng: 1)
    answer = visitor.get("/mission")
    text = text_of(answer)
    assert [gap.key for gap in answer.context["gaps"]] == ["redundant-judging-drawn-at-creation"]
    assert "judged by several people" not in text
    assert text.index("Redundant judging drawn at creation") < text.index("Live tasks")
    assert (
        len(answer.context["chapters"][1]["claims"]) == len([one for one in theses() if one.section == "Blindness"]) - 1
    )
    assert "Redundant judging" in text_of(visitor.get("/governance"))


def test_an_operator_who_has_not_said_who_they_are_is_a_gap(visitor, settings):
    settings.ARENA_LEGAL_NAME = settings.ARENA_WITHDRAWAL_ADDRESS = ""
    keys = [gap.key for gap in visitor.get("/mission").context["gaps"]]
    assert keys == ["operator-has-no-name", "operator-has-no-address"]
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
    assert "operator-has-no-name" not in visitor.get("/api/governance/claims").content.decode()


def test_the_claims_as_a_document(visitor, with_everything_set):
    answer = visitor.get("/api/governance/claims")
    found = json.loads(answer.content)
    assert found["proven"] >= 24
    assert found["gaps"] == []
    assert {claim["key"] for claim in found["claims"]} == {one.key for one in theses()}
    assert visitor.get("/api/governance/claims", headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert visitor.post("/api/governance/claims").status_code == 405
    assert visitor.get("/api/governance/claims?x=1").json()["code"] == "unknown_parameter"


def test_the_consent_archive_as_a_document(visitor, with_everything_set):
    archive_sentence(sentence="An earlier sentence.")
    text = current_text()
    found = visitor.get("/api/consent").json()
    assert found["in_force"]["sha256"] == text.sha256
    assert [one["version"] for one in found["archive"]] == list(range(1, text.version + 1))
    assert found["archive"][-2]["sentence"] == "An earlier sentence."


def test_reading_the_consent_document_archives_nothing(visitor, settings):
    settings.ARENA_LEGAL_NAME = "Somebody New"
    before = ConsentText.objects.count()
    assert "Somebody New" in visitor.get("/api/consent").json()["in_force"]["sentence"]
    assert ConsentText.objects.count() == before


def test_the_governance_page_discloses(visitor):
    text = current_text()
    own = make_agent("own", name="Our Own", affiliated_from=timezone.now())
    make_battle(agents=(own, make_agent()))
    gone = make_agent("gone", name="Old One", state=Agent.State.ACTIVE)
    Agent.objects.filter(pk=gone.pk).update(
        state=Agent.State.RETIRED, retired_at="2024-05-01T00:00Z", retirement_reason="Withdrawn by its maker."
    )
    record(actor="operator:1", action="battles:agent:retire", subject="gone")
    page = text_of(visitor.get("/governance"))
    assert text.sentence in page
    assert text.sha256 in page
    assert "Our Own Maker" in page
    assert "some, none of them rated" in page
    assert "Old One 2024-05-01, without having raced Withdrawn by its maker." in page
    assert "was given notice to leave the draw" in page
    assert "no sentence" not in page


def test_exclusions_are_shares_of_the_publication_in_force(visitor):
    document = document_of_corpus(Board.DEMO, simulated_corpus(), Provenance())
    Publication.objects.create(
        digest=document.digest,
        board=Board.DEMO,
        number=1,
        corpus_digest="c" * 64,
        public_digest=document.public_digest,
        labels_cast=600,
        document=document.text,
        public_document=document.public_text,
    )
    sheet = sheet_of("exclusions")
    assert ("Visible text named a model, or could not be scanned", "0%") in [
        (row[0].text, row[1].text) for row in sheet.rows
    ]
    assert all(re.fullmatch(r"\d+%|too few to say", row[1].text) for row in sheet.rows)


def sheet_of(key: str) -> Sheet:
    return {one.key: sheet for one, sheet in disclosures.read_disclosures()}[key]


@pytest.mark.parametrize(
    ("received", "done", "corpus", "licensees"),
    [
        (None, None, "none has come due", "none has come due"),
        (3, None, "none has come due", "none has come due"),
        (40, 39, "yes, every time", "no: at least one is overdue now"),
        (40, 31, "not always: at least one was late", "no: at least one is overdue now"),
        (8, None, "no: at least one is overdue now", "none has come due"),
    ],
)
def test_whether_the_clocks_were_kept_is_told_without_a_number(db, received, done, corpus, licensees):
    if received is not None:
        now = timezone.now()
        Withdrawal.objects.create(
            judge=make_judge(),
            received_at=now - timedelta(days=received),
            corpus_done_at=None if done is None else now - timedelta(days=done),
        )
    assert [row[2].text for row in sheet_of("withdrawals").rows] == [corpus, licensees]


def test_what_is_masked_in_pictures_is_told_with_what_was_measured(visitor, monkeypatch, tmp_path):
    figures = imagery_figures()
    sheet = sheet_of("imagery")
    assert [row[0].text for row in sheet.rows] == [detector.name for detector in IMAGERY_POSTURE.detectors]
    recalls = [f"{figures[f'by_{detector.name}'] / figures['strings']:.3f}" for detector in IMAGERY_POSTURE.detectors]
    assert [row[4].text for row in sheet.rows] == recalls
    page = text_of(visitor.get("/governance"))
    assert "Redaction of pictures" in page
    assert IMAGERY_POSTURE.out_of_scope[0] in page
    assert f"Measured on {figures['on']}." in page
    path = tmp_path / "measured.json"
    for name in ("imagery_figures", "imagery_state"):
        read = getattr(imagery_posture, name)
        monkeypatch.setattr(f"governance.own_disclosures.{name}", lambda read=read: read(path))
    for kept, words in ((json.dumps(figures | {"detector_sha256": "0"}), "stale"), ("", "not measured")):
        path.write_text(kept)
        sheet = sheet_of("imagery")
        assert sheet.says[-1] == f"There are no figures at present: {words}."
        assert {row[4].text for row in sheet.rows} == {"not measured"}


def test_a_licensee_tied_to_a_provider_is_named_beside_it(db):
    register_licensee(name="Quiet Reader", terms="Terms.", actor="operator:1")
    register_licensee(name="Model Works", terms="Terms.", provider="Maker", actor="operator:1")
    assert [tuple(cell.text for cell in row) for row in sheet_of("licensees").rows] == [("Model Works", "Maker")]


@pytest.fixture
def one_more(monkeypatch):
    disclosures.disclosures()
    monkeypatch.setattr(disclosures, "_disclosures", dict(disclosures._disclosures))
    return register_disclosure


def test_an_app_adds_its_part_by_one_call(visitor, one_more):
    row = (Cell("A licensee"), Cell("d" * 64, code=True))
    one_more(Disclosure("licensees", "Licensees", 15, lambda: Sheet(columns=("Who", "What"), rows=(row,))))
    answer = visitor.get("/governance")
    keys = [part["key"] for part in answer.context["parts"]]
    assert keys.index("licensees") == keys.index("consent") + 1
    assert f"<code>{'d' * 64}</code>" in answer.content.decode()


def test_a_part_that_cannot_be_read_says_so_and_takes_nothing_else_down(visitor, one_more):
    def breaks() -> Sheet:
        Agent.objects.create(key=None)
        raise AssertionError

    one_more(Disclosure("broken", "Broken", 5, breaks))
    answer = visitor.get("/governance")
    assert answer.status_code == 200
    assert "could not be read just now" in text_of(answer)
    assert "Retirements" in text_of(answer)
