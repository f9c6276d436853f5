"""Triggers that stop what goes round the ORM: raw SQL, other programs, a shell in a hurry.

A blunt column refuses text that holds a name of the lexicon table. A stamped column refuses a row whose stamp is not
that of this version of the scrubber and this very value. A migration lists ``GuardScrubbedColumns("Model")`` after the
model is made, and again whenever :data:`~battles.blindness.scrubbing.SCRUBBER_VERSION` rises; :func:`guard_faults`
says where that was forgotten. PostgreSQL 15 or newer, in UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from battles.blindness.database_reading import DROPPED, READ_AS
from battles.blindness.fields import AnyField, BluntScrubbedTextField, ScrubbedJSONField, StampedField
from battles.blindness.lexicon import FRAMES
from battles.blindness.scrubbing import SCRUBBER_VERSION
from governance.append_only import TableTriggers

#: PostgreSQL cuts longer names without a word, and two cut names may be one.
LONGEST_NAME = 63
#: Where a blunt guard finds the names.
LEXICON_TABLE = "battles_lexiconname"
#: How PostgreSQL names the states in which a trigger fires for ordinary sessions.
_FIRING = ("O", "A")

_READ = f"""
CREATE OR REPLACE FUNCTION battles_read(words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT AS $read$
    SELECT lower(regexp_replace(
        CASE WHEN octet_length(words) = char_length(words) THEN words
             ELSE translate(normalize(words, NFKD), '{"".join(READ_AS)}', '{"".join(READ_AS.values())}')
        END, '[{DROPPED}]', '', 'g') COLLATE "C")
$read$
"""
_FRAMED = " ".join(
    f"WHEN '{frame}' THEN '{before}(?:' || string_agg(pattern, '|') || '){after}'"
    for frame, (before, after) in FRAMES.items()
)
_NAMES = f"""
CREATE OR REPLACE FUNCTION battles_names() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $names$
    SELECT string_agg(framed, '|') FROM (
        SELECT CASE frame {_FRAMED} END AS framed FROM "{LEXICON_TABLE}"
        WHERE pattern <> '' GROUP BY frame ORDER BY frame
    ) AS frames
$names$
"""  # noqa: S608  # only constants of this package go in
_DIGEST_STRINGS = """
CREATE OR REPLACE FUNCTION battles_string_digests(document jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT AS $digests$
    SELECT COALESCE(string_agg(digest, '' ORDER BY digest COLLATE "C"), '') FROM (
        SELECT DISTINCT encode(sha256(convert_to(words, 'UTF8')), 'hex') AS digest FROM (
            SELECT node #>> '{}' AS words FROM jsonb_path_query(document, 'strict $.**') AS node
            WHERE jsonb_typeof(node) = 'string'
            UNION
            SELECT jsonb_object_keys(node) FROM jsonb_path_query(document, 'strict $.**') AS node
            WHERE jsonb_typeof(node) = 'object'
        ) AS strings
    ) AS digests
$digests$
"""


@dataclass(frozen=True, slots=True)
class Guard:
    """The trigger of one column: its name (also the function's), the columns it watches and what it does."""

    name: str
    table: str
    columns: tuple[str, ...]
    body: str

    def install(self) -> list[str]:
        watched = ", ".join(f'"{column}"' for column in self.columns)
        return [
            f'CREATE OR REPLACE FUNCTION "{self.name}"() RETURNS trigger LANGUAGE plpgsql AS $guard${self.body}$guard$',
            f'CREATE OR REPLACE TRIGGER "{self.name}" BEFORE INSERT OR UPDATE OF {watched} ON "{self.table}" '
            f'FOR EACH ROW EXECUTE FUNCTION "{self.name}"()',
        ]

    def remove(self) -> list[str]:
        return [
            f'DROP TRIGGER IF EXISTS "{self.name}" ON "{self.table}"',
            f'DROP FUNCTION IF EXISTS "{self.name}"()',
        ]


def guards_of(model: type[models.Model]) -> list[Guard]:
    """The guards that a model's own columns need.

    Raises:
        ValueError: a table and column are together too long for the name of a trigger.
    """
    return list(_guards(model._meta.db_table, model._meta.local_concrete_fields))


def _guards(table: str, fields: Iterable[AnyField]) -> Iterator[Guard]:
    for field in fields:
        column = field.column
        if column is None or not isinstance(field, BluntScrubbedTextField | StampedField):
            continue
        name = f"{table}_{column}_guard"
        if len(name) > LONGEST_NAME:
            raise ValueError(f"{name} is longer than {LONGEST_NAME} characters; give the column a shorter name")
        if isinstance(field, StampedField):
            stamp = f"{column}_stamp"
            yield Guard(name, table, (column, stamp), _stamped_body(table, column, stamp, field))
        else:
            yield Guard(name, table, (column,), _blunt_body(table, column))


def _blunt_body(table: str, column: str) -> str:
    return f"""
BEGIN
    IF NEW."{column}" IS NULL OR (TG_OP = 'UPDATE' AND NEW."{column}" IS NOT DISTINCT FROM OLD."{column}") THEN
        RETURN NEW;
    END IF;
    IF battles_read(NEW."{column}") ~ battles_names() THEN
        RAISE EXCEPTION '{table}.{column} holds a name of the lexicon'
            USING ERRCODE = 'check_violation', TABLE = '{table}', COLUMN = '{column}';
    END IF;
    RETURN NEW;
END
"""


def _stamped_body(table: str, column: str, stamp: str, field: StampedField) -> str:
    words = f'battles_string_digests(NEW."{column}")' if isinstance(field, ScrubbedJSONField) else f'NEW."{column}"'
    return f"""
BEGIN
    IF TG_OP = 'UPDATE' AND NEW."{column}" IS NOT DISTINCT FROM OLD."{column}"
            AND NEW."{stamp}" IS NOT DISTINCT FROM OLD."{stamp}" THEN
        RETURN NEW;
    END IF;
    IF NEW."{stamp}" IS DISTINCT FROM sha256(convert_to('{SCRUBBER_VERSION}' || chr(10) || {words}, 'UTF8')) THEN
        RAISE EXCEPTION '{table}.{column} does not carry the stamp of scrubber version {SCRUBBER_VERSION}'
            USING ERRCODE = 'check_violation', TABLE = '{table}', COLUMN = '{column}';
    END IF;
    RETURN NEW;
END
"""


class GuardScrubbedColumns(TableTriggers):
    """Install the guards of a model's scrubbed columns. Running it again renews them."""

    def install(self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        install_guards(model, schema_editor)

    def remove(self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
        remove_guards(model, schema_editor)

    def describe(self) -> str:
        return f"Guard the scrubbed columns of {self.model_name}"


def install_guards(model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create or renew the triggers of every scrubbed column of a model."""
    for statement in (_READ, _NAMES, _DIGEST_STRINGS):
        schema_editor.execute(statement, params=None)
    for guard in guards_of(model):
        for statement in guard.install():
            schema_editor.execute(statement, params=None)


def remove_guards(model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop them; the functions they share stay."""
    for guard in guards_of(model):
        for statement in guard.remove():
            schema_editor.execute(statement, params=None)


def guard_faults(connection: BaseDatabaseWrapper) -> list[str]:
    """Every scrubbed column whose guard is missing, switched off or not of this code, in words. Empty when all hold."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.tgname, t.tgenabled, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
            "WHERE NOT t.tgisinternal"
        )
        installed = {name: (state, source) for name, state, source in cursor.fetchall()}
    faults: list[str] = []
    for model in apps.get_models():
        for guard in guards_of(model):
            state, source = installed.get(guard.name, (None, None))
            if state is None:
                faults.append(f"{guard.table}.{guard.columns[0]} has no guard")
            elif state not in _FIRING:
                faults.append(f"the guard of {guard.table}.{guard.columns[0]} is switched off")
            elif source != guard.body:
                faults.append(f"the guard of {guard.table}.{guard.columns[0]} is not of this version")
    return faults
