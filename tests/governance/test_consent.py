"""Consent: kept verbatim, asked again when the sentence changes."""

import pytest

from governance.consent import ConsentNeeded, current_text, give_consent, has_consented, receipt_in_force
from governance.errors import ArenaError
from governance.models import ConsentText, Judge
from governance.withdrawals import withdraw_everything

pytestmark = pytest.mark.django_db


def test_the_archived_sentence_is_the_one_shown_with_its_digest():
    text = current_text()
    assert text.sha256 == ConsentText.digest(text.sentence)
    assert current_text() == text
    assert ConsentText.objects.count() == 1


def test_without_a_legal_name_the_sentence_says_that_it_is_local(settings):
    settings.ARENA_LEGAL_NAME = ""
    assert "private installation" in current_text().sentence


def test_a_new_sentence_asks_again_and_old_receipts_stay(settings):
    judge = Judge.objects.create()
    first = current_text()
    receipt = give_consent(judge=judge, text=first, rendered=first.sentence)
    assert has_consented(judge)
    settings.ARENA_LEGAL_NAME = "Example Institute"
    assert current_text().version == first.version + 1
    assert not has_consented(judge)
    with pytest.raises(ConsentNeeded):
        receipt_in_force(judge)
    receipt.refresh_from_db()
    assert receipt.text == first


def test_an_altered_sentence_is_no_consent():
    judge, text = Judge.objects.create(), current_text()
    with pytest.raises(ArenaError) as refusal:
        give_consent(judge=judge, text=text, rendered=text.sentence.replace("private", "public"))
    assert refusal.value.code == "consent_outdated"
    assert not has_consented(judge)


def test_whoever_was_erased_agrees_to_nothing():
    judge, text = Judge.objects.create(), current_text()
    withdraw_everything(judge=judge)
    with pytest.raises(ConsentNeeded):
        give_consent(judge=judge, text=text, rendered=text.sentence)
    assert not judge.receipts.exists()


def test_agreeing_twice_is_one_receipt():
    judge, text = Judge.objects.create(), current_text()
    assert give_consent(judge=judge, text=text, rendered=text.sentence) == give_consent(
        judge=judge, text=text, rendered=text.sentence
    )
