"""Whatever writes to a scrubbed column, no name reaches the table."""

import hashlib

import pytest
from django.core.exceptions import FieldDoesNotExist
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter
from django.db.models import Case, CharField, F, OuterRef, Subquery, TextField, Value, When
from django.db.models.functions import Cast, Concat, Upper
from django.utils.functional import lazystr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from battles.blindness.database_reading import as_the_database_reads
from battles.blindness.fields import (
    BluntScrubbedTextField,
    NarrowScrubbedTextField,
    PostedTextField,
    ScrubbedJSONField,
    UnscrubbedExpression,
    json_stamp,
    text_stamp,
    undeclared_columns,
)
from battles.blindness.guards import GuardScrubbedColumns, guards_of, install_guards
from battles.blindness.lexicon import maintained_lexicon
from battles.blindness.lexicon_table import sync_lexicon
from battles.blindness.scrubbing import BLUNT_MARK, NARROW_MARK, SCRUBBER_VERSION


class Note(models.Model):
    """A throw-away table with a column of every type."""

    status = BluntScrubbedTextField(blank=True)
    reasoning = NarrowScrubbedTextField(blank=True)
    remark = NarrowScrubbedTextField(null=True)
    arguments = ScrubbedJSONField(default=dict)
    target = ScrubbedJSONField(null=True)
    title = PostedTextField(blank=True)
    key = models.CharField(max_length=20, blank=True, db_index=True)

    class Meta:
        app_label = "blindness_test"
        indexes = [models.Index(fields=["key"], name="note_by_key")]
        constraints = [
            models.UniqueConstraint(fields=["key"], condition=~models.Q(key=""), name="note_key"),
        ]


TELLING = "I'm Claude. The lamp costs 20 EUR."
SAFE = f"I'm {NARROW_MARK}. The lamp costs 20 EUR."
OURS = "Anthropic API error"
CLEAN = f"{BLUNT_MARK} API error"


@pytest.fixture
def notes(db):
    """The table with its guards, gone again with the test's transaction."""
    with connection.schema_editor() as editor:
        editor.create_model(Note)
        install_guards(Note, editor)
    sync_lexicon(())
    return Note.objects


def stored(**columns):
    """A row as the database holds it, read round the ORM."""
    names = ", ".join(f'"{name}"' for name in columns) if columns else "*"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {names} FROM blindness_test_note ORDER BY id")
        return cursor.fetchall()


def column(name):
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT "{name}" FROM blindness_test_note ORDER BY id')
        return [row[0] for row in cursor.fetchall()]


def refused(sql, parameters=()):
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)


class TestEveryPathOfTheOrm:
    def test_save_scrubs_and_puts_the_value_back(self, notes):
        note = Note(status=OURS, reasoning=TELLING, arguments={"text": "I am ChatGPT"})
        note.save()
        assert (note.status, note.reasoning) == (CLEAN, SAFE)
        assert note.arguments == {"text": f"I am {NARROW_MARK}"}
        assert (column("status"), column("reasoning")) == ([CLEAN], [SAFE])

    def test_bulk_create(self, notes):
        made = notes.bulk_create([Note(reasoning=TELLING), Note(status=OURS)])
        assert column("reasoning") == [SAFE, ""]
        assert column("status") == ["", CLEAN]
        assert made[0].reasoning == SAFE

    def test_bulk_create_that_overwrites(self, notes):
        notes.create(key="a", reasoning="first")
        note = notes.get()
        notes.bulk_create(
            [Note(id=note.id, key="a", reasoning=TELLING)],
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=["reasoning"],
        )
        assert column("reasoning") == [SAFE]

    def test_update(self, notes):
        notes.create()
        notes.update(status=OURS, reasoning=TELLING, remark=TELLING, arguments={"a": ["I am Gemini"]})
        assert column("status") == [CLEAN]
        assert column("reasoning") == column("remark") == [SAFE]

    def test_save_of_some_fields_stamps_them(self, notes):
        note = notes.create(reasoning="The lamp is red.")
        note.reasoning = TELLING
        note.save(update_fields=["reasoning"])
        assert column("reasoning") == [SAFE]
        assert column("reasoning_stamp") == [text_stamp(SAFE)]

    def test_save_of_a_row_read_in_part(self, notes):
        notes.create(reasoning="The lamp is red.", remark="x")
        note = notes.only("reasoning").get()
        note.reasoning = TELLING
        note.save()
        assert column("reasoning") == [SAFE]

    def test_save_of_a_row_read_without_the_text(self, notes):
        notes.create(reasoning="The lamp is red.")
        note = notes.defer("reasoning").get()
        note.key = "k"
        note.save()
        assert column("reasoning") == ["The lamp is red."]

    def test_bulk_update(self, notes):
        first, second = notes.bulk_create([Note(key="a"), Note(key="b")])
        first.reasoning, second.reasoning = TELLING, "Nothing."
        first.status, second.status = OURS, "Done."
        first.arguments, second.target = {"text": "I am Qwen."}, ["x", {"I am Grok": 1}]
        notes.bulk_update([first, second], ["reasoning", "status", "arguments", "target"])
        assert column("reasoning") == [SAFE, "Nothing."]
        assert column("status") == [CLEAN, "Done."]
        assert column("reasoning_stamp") == [text_stamp(SAFE), text_stamp("Nothing.")]
        assert "Qwen" not in str(column("arguments"))
        assert "Grok" not in str(column("target"))

    def test_get_or_create_and_update_or_create(self, notes):
        notes.get_or_create(key="a", defaults={"reasoning": TELLING})
        notes.update_or_create(key="a", defaults={"reasoning": TELLING + " Again."})
        assert column("reasoning") == [SAFE + " Again."]

    @pytest.mark.parametrize("value", [lazystr(OURS), ValueError(OURS)], ids=["lazy text", "an exception"])
    def test_what_is_no_text_yet(self, notes, value):
        notes.create(status=value)
        assert column("status") == [CLEAN]

    def test_none_stays_none_and_carries_no_stamp(self, notes):
        note = notes.create(remark=TELLING)
        notes.update(remark=None, target=None)
        assert column("remark") == column("remark_stamp") == [None]
        note.refresh_from_db()
        note.save()
        assert column("remark_stamp") == [None]

    def test_posted_text_is_kept_word_for_word(self, notes):
        notes.create(title="Claude - Anthropic")
        notes.update(title=F("title"))
        assert column("title") == ["Claude - Anthropic"]

    @pytest.mark.parametrize("name", ["status", "reasoning", "title"])
    def test_characters_the_database_cannot_hold_are_replaced(self, notes, name):
        notes.create(**{name: "a\0b\ud800c"})
        assert "\0" not in column(name)[0]

    def test_look_ups_are_left_alone(self, notes):
        notes.create(reasoning=TELLING, title="I'm Claude.")
        assert not notes.filter(reasoning=TELLING).exists()
        assert notes.filter(title="I'm Claude.").exists()
        assert notes.filter(reasoning__contains=NARROW_MARK).exists()


EXPRESSIONS = {
    "value": Value(TELLING),
    "value of another type": Value(TELLING, output_field=TextField()),
    "value of the other scrubbed type": Value(TELLING, output_field=BluntScrubbedTextField()),
    "another column": F("title"),
    "function": Upper(Value(TELLING)),
    "concatenation": Concat(Value("I'm Cl"), Value("aude")),
    "case": Case(When(key="", then=Value(TELLING)), default=Value("")),
    "case with one good leaf": Case(
        When(key="", then=Value(TELLING)), default=Value("", output_field=NarrowScrubbedTextField())
    ),
    "cast": Cast(F("title"), output_field=TextField()),
    "cast to the column's own type": Cast(F("title"), output_field=NarrowScrubbedTextField()),
    "subquery": Subquery(Note.objects.filter(pk=OuterRef("pk")).values("title")[:1]),
}


class TestExpressions:
    @pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)
    def test_update_refuses(self, notes, expression):
        notes.create(title=TELLING)
        with pytest.raises(UnscrubbedExpression), transaction.atomic():
            notes.update(reasoning=expression)
        assert column("reasoning") == [""]

    @pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)
    def test_save_refuses(self, notes, expression):
        note = notes.create(title=TELLING)
        note.reasoning = expression
        with pytest.raises(UnscrubbedExpression), transaction.atomic():
            note.save()

    @pytest.mark.parametrize("name", ["status", "reasoning", "arguments"])
    def test_insert_refuses(self, notes, name):
        with pytest.raises(UnscrubbedExpression), transaction.atomic():
            notes.create(**{name: Value("x")})
        with pytest.raises(UnscrubbedExpression), transaction.atomic():
            notes.bulk_create([Note(**{name: Upper(Value("x"))})])

    def test_bulk_update_refuses_expressions_on_the_objects(self, notes):
        note = notes.create()
        note.reasoning = Concat(Value("I'm Cl"), Value("aude"))
        with pytest.raises(UnscrubbedExpression), transaction.atomic():
            notes.bulk_update([note], ["reasoning"])

    def test_a_value_of_the_fields_own_type_is_scrubbed(self, notes):
        notes.create()
        notes.update(reasoning=Value(TELLING, output_field=Note._meta.get_field("reasoning")))
        assert column("reasoning") == [SAFE]


class TestGuards:
    def test_a_blunt_column_refuses_a_name_in_raw_sql(self, notes):
        refused(
            "INSERT INTO blindness_test_note"
            " (status, reasoning, reasoning_stamp, arguments, arguments_stamp, title, key)"
            " VALUES ('the Claude API', '', %s, '{}', %s, '', '')",
            [text_stamp(""), json_stamp({})],
        )
        notes.create()
        for text in ("the Claude API", "CHAT-GPT", "Ｇｅｍｉｎｉ", "Сlaude", "Op\u200benAI", "de\u0301epseek", "gpt-5"):
            refused("UPDATE blindness_test_note SET status = %s", [text])

    def test_a_blunt_column_takes_plain_messages_in_raw_sql(self, notes):
        notes.create()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE blindness_test_note SET status = 'Clicked; www.google.com timed out.'")
        assert column("status") == ["Clicked; www.google.com timed out."]

    def test_a_narrow_column_refuses_text_without_its_stamp(self, notes):
        notes.create(reasoning="The lamp is red.")
        refused("UPDATE blindness_test_note SET reasoning = 'I''m Claude.'")
        refused("UPDATE blindness_test_note SET reasoning = 'I''m Claude.', reasoning_stamp = NULL")
        refused("UPDATE blindness_test_note SET reasoning_stamp = '\\x00'")
        refused(
            "UPDATE blindness_test_note SET reasoning = 'I''m Claude.', reasoning_stamp = %s", [text_stamp("other")]
        )

    def test_a_narrow_column_refuses_the_stamp_of_another_version(self, notes):
        notes.create()
        text = "The lamp is blue."
        refused(
            "UPDATE blindness_test_note SET reasoning = %s, reasoning_stamp = %s",
            [text, text_stamp(text, SCRUBBER_VERSION + 1)],
        )

    def test_a_json_column_refuses_new_strings_without_their_stamp(self, notes):
        notes.create(arguments={"a": ["x", {"b": "y"}]})
        refused("""UPDATE blindness_test_note SET arguments = '{"a": "I am Claude"}'""")
        refused("""UPDATE blindness_test_note SET arguments = '{"I am Claude": 1}'""")

    def test_an_expression_that_slips_by_the_field_meets_the_guard(self, notes):
        notes.create()
        notes.create(title=TELLING)
        with connection.cursor() as cursor, pytest.raises(IntegrityError), transaction.atomic():
            cursor.execute("UPDATE blindness_test_note SET reasoning = title")

    def test_a_new_agents_names_are_refused_once_they_joined(self, notes):
        notes.create()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE blindness_test_note SET status = 'Zorblax 9 clicked.'")
        sync_lexicon(["Zorblax-9"])
        refused("UPDATE blindness_test_note SET status = 'zorblax_9 clicked twice.'")
        notes.update(status="Zorblax9 clicked twice.")
        assert column("status") == [f"{BLUNT_MARK} clicked twice."]

    def test_rows_without_change_pass(self, notes):
        notes.create(reasoning="The lamp is red.", status="Done.")
        with connection.cursor() as cursor:
            cursor.execute("UPDATE blindness_test_note SET reasoning = reasoning, status = status, key = 'k'")
        assert column("key") == ["k"]

    def test_the_operation_is_reversible(self, notes):
        state = ProjectState()
        state.add_model(ModelState.from_model(Note))
        operation = GuardScrubbedColumns("Note")
        notes.create()
        with connection.schema_editor() as editor:
            operation.database_backwards("blindness_test", editor, state, state)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE blindness_test_note SET status = 'Claude', reasoning = 'I am Claude.'")
        notes.all().delete()
        with connection.schema_editor() as editor:
            operation.database_forwards("blindness_test", editor, state, state)
        notes.create()
        refused("UPDATE blindness_test_note SET status = 'Claude'")


anything = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=60)
pieces = st.sampled_from(
    [
        "Claude",
        "openai",
        "Ｇｅｍｉｎｉ",
        "gpt",
        "\u200b",
        "\u0301",
        "-",
        " ",
        "х",
        "Аi",
        "x",
        ".",
        "\ue200",
        "google",
        ".com",
        "ß",
        "İ",
        "\x08",
        "o3",
    ]
)
mixed = st.lists(st.one_of(pieces, anything), max_size=8).map("".join)


class TestCodeAndDatabaseAgree:
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=mixed)
    def test_the_guards_take_whatever_the_scrubbers_let_pass(self, notes, text):
        note = notes.create(status=text, reasoning=text, arguments={text: [text, 1.5]}, remark=text)
        notes.filter(pk=note.pk).update(reasoning=text + " ", target={"t": text})

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=mixed)
    def test_both_read_a_message_alike(self, notes, text):
        with connection.cursor() as cursor:
            cursor.execute("SELECT battles_read(%s)", [text])
            (read,) = cursor.fetchone()
        assert _names_in(read) == _names_in(as_the_database_reads(text))

    def test_every_pattern_means_the_same_to_both(self, notes):
        with connection.cursor() as cursor:
            for spelling in maintained_lexicon().refused_names():
                cursor.execute(
                    "SELECT %s ~ battles_names(), %s ~ battles_names()", [f"! {spelling} !", f"! z{spelling}z !"]
                )
                assert cursor.fetchone() == (True, False), spelling


def _names_in(text):
    return {name.spelling for name in maintained_lexicon().refused_names().values() if name.bounded.search(text)}


class TestStamps:
    def test_the_stamp_is_the_digest_of_version_and_text(self):
        assert text_stamp("Grüße", 7) == hashlib.sha256("7\nGrüße".encode()).digest()

    def test_the_stamp_of_json_depends_on_its_strings_alone(self):
        assert json_stamp({"a": ["x", 1], "b": "y"}) == json_stamp({"b": ["y", "x", 2.5], "a": None})
        assert json_stamp({"a": "x"}) != json_stamp({"a": "y"})
        assert json_stamp({"a": 1}) != json_stamp({"b": 1})

    def test_stamped_columns_bring_their_sibling_and_migrations_see_it(self):
        assert {field.name for field in Note._meta.local_concrete_fields} >= {"reasoning_stamp", "arguments_stamp"}
        state = ModelState.from_model(Note)
        assert list(state.fields).count("reasoning_stamp") == 1
        project = ProjectState()
        project.add_model(state)
        old = project.apps.get_model("blindness_test", "Note")
        assert [field.name for field in old._meta.local_fields] == [field.name for field in Note._meta.local_fields]
        assert ModelState.from_model(old).fields.keys() == state.fields.keys()
        text, _ = MigrationWriter.serialize(state.fields["reasoning_stamp"])
        assert text == "battles.blindness.fields.ScrubStampField(of='reasoning')"

    def test_abstract_models_pass_the_columns_on(self):
        class Base(models.Model):
            words = NarrowScrubbedTextField()

            class Meta:
                abstract = True
                app_label = "blindness_test"

        class Child(Base):
            class Meta:
                app_label = "blindness_test"

        assert [field.name for field in Child._meta.local_fields] == ["id", "words", "words_stamp"]
        with pytest.raises(FieldDoesNotExist):
            Base._meta.get_field("words_stamp")

    def test_every_scrubbed_column_has_a_guard(self):
        assert {guard.columns[0] for guard in guards_of(Note)} == {
            "status",
            "reasoning",
            "remark",
            "arguments",
            "target",
        }

    def test_columns_of_no_declared_type_are_named(self):
        class Careless(models.Model):
            words = models.TextField()
            more = models.JSONField()
            short = CharField(max_length=5)
            fine = PostedTextField()

            class Meta:
                app_label = "blindness_test"

        assert undeclared_columns(Careless) == ["words", "more"]
        assert undeclared_columns(Note) == []
