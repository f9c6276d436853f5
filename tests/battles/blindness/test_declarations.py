"""Every text a judge may see is in a column that says what it is, and every scrubbed column is guarded."""

import pytest
from django.apps import apps
from django.db import connection

from battles.blindness.fields import undeclared_columns
from battles.blindness.guards import guard_faults
from battles.blindness.lexicon_table import stored_lexicon, sync_lexicon
from battles.models import LexiconName

#: Columns of running text or JSON that no judge is shown, and why.
NOT_SHOWN = {
    ("battles", "Agent", "parameters"): "settings of an adapter; an agent is shown after the reveal only",
    ("battles", "Frame", "picture_boxes"): "places on a picture and what kind of detail is there, no words",
    ("battles", "Frame", "text_boxes"): "places on a picture and what kind of detail is there, no words",
    ("battles", "Preregistration", "analysis"): "operators' words on a page that names agents by right",
    ("battles", "Step", "refusals"): "hosts and codes of the fence, no words",
    ("judging", "StylometryReading", "by_feature"): "figures by the names of families of features",
    ("judging", "VoteRevision", "completions"): "verdicts from a closed list, by lane",
}


def test_no_text_column_is_undeclared():
    models = [model for label in ("battles", "judging") for model in apps.get_app_config(label).get_models()]
    undeclared = {
        (model._meta.app_label, model.__name__, name) for model in models for name in undeclared_columns(model)
    }
    assert undeclared - NOT_SHOWN.keys() == set()


@pytest.mark.django_db
def test_every_scrubbed_column_is_guarded_in_the_database():
    assert guard_faults(connection) == []


@pytest.mark.django_db
class TestLexiconTable:
    def test_migrating_fills_in_the_maintained_names(self):
        names = set(LexiconName.objects.filter(origin=LexiconName.Origin.MAINTAINED).values_list("name", flat=True))
        assert {"claude", "open ai", "chat gpt", "google"} <= names

    def test_names_join_once_and_stay(self):
        assert sync_lexicon(["Zorblax 9", "zorblax-9", "1.0", "local"]) == 1
        assert sync_lexicon(["Zorblax 9"]) == 0
        assert sync_lexicon(["Nebulon X"]) == 1
        assert {"zorblax 9", "nebulon x"} <= stored_lexicon().roster

    def test_names_that_are_maintained_no_longer_go(self):
        LexiconName.objects.create(name="formerly", pattern="formerly", frame="word", origin="maintained")
        sync_lexicon(())
        assert not LexiconName.objects.filter(name="formerly").exists()

    def test_names_in_other_scripts_join_for_the_code_alone(self):
        sync_lexicon(["Зорблакс"])
        row = LexiconName.objects.get(origin="roster")
        assert row.pattern == ""
        assert row.name in stored_lexicon().roster
