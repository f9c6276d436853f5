"""Columns that scrub what is written to them, whatever writes.

Three declared types hold every text a judge may see:

- :class:`BluntScrubbedTextField`: words of our own. No name of any provider or agent stays in them.
- :class:`NarrowScrubbedTextField` and :class:`ScrubbedJSONField`: words of a model. Only what tells which model wrote
  them is taken out. A sibling column, ``<name>_stamp``, says that this version of the scrubber saw this very text.
- :class:`PostedTextField`: words of a person or a site. The leak scan reads them; nothing is taken out.

Values are scrubbed in ``get_db_prep_save``, which every write of the ORM passes and no lookup does, and put back on the
object in ``pre_save``. Expressions are computed by the database, where nothing could be scrubbed, so they are refused;
``bulk_update`` passes because its expressions only choose among values of the same field. What goes round the ORM
meets the triggers of :mod:`battles.blindness.guards`.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Case, Value, When
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler, SQLInsertCompiler, SQLUpdateCompiler

from battles.blindness import lexicon_table  # noqa: F401  # its loading makes the table the source of the lexicon
from battles.blindness.leak_scan import strings_in
from battles.blindness.lexicon import current_lexicon
from battles.blindness.scrubbing import SCRUBBER_VERSION, scrub_blunt, scrub_narrow
from battles.blindness.self_identification import Voice
from battles.lanes.storable_text import storable

if TYPE_CHECKING:
    AnyField = models.Field[Any, Any]
    AnyTextField = models.TextField[Any, Any]
    AnyBinaryField = models.BinaryField[Any, Any]
else:
    AnyField, AnyTextField, AnyBinaryField = models.Field, models.TextField, models.BinaryField


class UnscrubbedExpression(TypeError):
    """Somebody wrote a database expression to a scrubbed column. Write a plain value instead."""


def text_stamp(text: str, version: int = SCRUBBER_VERSION) -> bytes:
    """SHA-256 of the scrubber's version and the text: 32 bytes, as the guards recompute them."""
    return hashlib.sha256(f"{version}\n{text}".encode()).digest()


def json_stamp(value: Any, version: int = SCRUBBER_VERSION) -> bytes:
    """The same for a JSON value, over its distinct strings and keys, since PostgreSQL may rewrite everything else."""
    digests = sorted({hashlib.sha256(text.encode()).hexdigest() for text in strings_in(value)})
    return text_stamp("".join(digests), version)


class ScrubStampField(AnyBinaryField):
    """The stamp of the scrubbed column ``of``. Added to the model by that column; filled in whenever it is written."""

    def __init__(self, *args: Any, of: str, **kwargs: Any) -> None:
        self.of = of
        super().__init__(*args, **(kwargs | {"null": True, "blank": True, "editable": False}))

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        for implied in ("null", "blank", "editable"):
            kwargs.pop(implied, None)
        return name, path, args, kwargs | {"of": self.of}

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        owner = model_instance._meta.get_field(self.of)
        assert isinstance(owner, StampedField), f"{self.of} carries no stamp"
        stamp = owner.stamp_of(owner.pre_save(model_instance, add))
        setattr(model_instance, self.attname, stamp)
        return stamp


class ScrubbedField(AnyField):
    """What all scrubbed columns share. A mixin in front of a field class of Django's."""

    def scrubbed(self, value: Any) -> Any:
        """The value as it may be stored; None stays None."""
        raise AssertionError("a scrubbed column says how it scrubs")

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = super().pre_save(model_instance, add)
        if hasattr(value, "resolve_expression"):
            raise UnscrubbedExpression(f"{self} takes plain values, not {value!r}")
        value = self.scrubbed(value)
        setattr(model_instance, self.attname, value)
        return value

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        if not hasattr(value, "as_sql"):
            value = self.scrubbed(value)
        return super().get_db_prep_save(value, connection)

    def get_placeholder(self, value: Any, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> str:
        """Called by Django for every value it is about to write, and by that alone."""
        if hasattr(value, "as_sql") and not self._chooses_own_values(value):
            raise UnscrubbedExpression(f"{self} takes plain values, not {value!r}")
        return "%s"

    def _chooses_own_values(self, expression: Any) -> bool:
        """Whether an expression can yield nothing but values that this field has scrubbed: bulk_update's."""
        if type(expression) is Value:
            said = getattr(expression, "_output_field_or_none", None)
            return expression.value is None or type(said) is type(self)
        if type(expression) is Cast:
            return all(map(self._chooses_own_values, expression.get_source_expressions()))
        if type(expression) is Case:
            results = [when.result for when in expression.cases]
            return all(map(self._chooses_own_values, [*results, expression.default]))
        return False


class StampedField(ScrubbedField):
    """A scrubbed column with a stamp beside it.

    ``stamp`` is false where the stamp is declared by itself, which is how migrations write it.
    """

    def __init__(self, *args: Any, stamp: bool = True, **kwargs: Any) -> None:
        self.stamp = stamp
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, kwargs | {"stamp": False}

    def contribute_to_class(self, cls: type[models.Model], name: str, private_only: bool = False) -> None:
        super().contribute_to_class(cls, name, private_only)
        if self.stamp and not cls._meta.abstract:
            cls.add_to_class(self.stamp_name, ScrubStampField(of=name))

    @property
    def stamp_name(self) -> str:
        return f"{self.name}_stamp"

    def _stamp_field(self) -> ScrubStampField:
        field = self.model._meta.get_field(self.stamp_name)
        assert isinstance(field, ScrubStampField), f"{self.stamp_name} is no stamp"
        return field

    def digest(self, value: Any) -> bytes:
        """The stamp of a scrubbed value that is not None."""
        raise AssertionError("a stamped column says what its stamp is made of")

    def stamp_of(self, value: Any) -> bytes | None:
        """The stamp of a value as this field would store it."""
        value = self.scrubbed(value)
        return None if value is None else self.digest(value)

    def get_placeholder(self, value: Any, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> str:
        placeholder = super().get_placeholder(value, compiler, connection)
        if not hasattr(self, "model"):
            # A field made only to say of what type an expression's value is.
            return placeholder
        query: Any = compiler.query
        if isinstance(compiler, SQLUpdateCompiler):
            self._stamp_update(value, query.values)
        elif isinstance(compiler, SQLInsertCompiler):
            self._stamp_conflict(query.update_fields)
        return placeholder

    def _stamp_update(self, value: Any, assignments: list[tuple[AnyField, Any, Any]]) -> None:
        """Let an UPDATE of this column write its stamp too.

        Django is walking through ``assignments`` at this moment and comes to what is appended here. It is the one
        place that update(), save(update_fields=...) and bulk_update() all pass.
        """
        stamp = self._stamp_field()
        written = [field for field, _, _ in assignments]
        if self in written and stamp not in written:
            assignments.append((stamp, None, self._stamp_expression(value, stamp)))

    def _stamp_conflict(self, overwritten: list[AnyField]) -> None:
        stamp = self._stamp_field()
        if self in overwritten and stamp not in overwritten:
            overwritten.append(stamp)

    def _stamp_expression(self, value: Any, stamp: AnyField) -> Any:
        """The stamp of a value, or of each value that an expression chooses from."""
        if isinstance(value, Value):
            return Value(self.stamp_of(value.value), output_field=stamp)
        if isinstance(value, Cast):
            return Cast(self._stamp_expression(value.get_source_expressions()[0], stamp), output_field=stamp)
        if isinstance(value, Case):
            cases = [When(when.condition, then=self._stamp_expression(when.result, stamp)) for when in value.cases]
            return Case(*cases, default=self._stamp_expression(value.default, stamp), output_field=stamp)
        return self.stamp_of_stored(value)

    def stamp_of_stored(self, value: Any) -> bytes | None:
        """The stamp of a value that ``get_db_prep_save`` has prepared."""
        return self.stamp_of(value)


class BluntScrubbedTextField(ScrubbedField, AnyTextField):
    """Text that this code writes: status lines, errors, summaries."""

    def scrubbed(self, value: Any) -> str | None:
        text = self.to_python(value)
        return None if text is None else scrub_blunt(storable(text), current_lexicon()).text


class NarrowScrubbedTextField(StampedField, AnyTextField):
    """Text that a model wrote: reasoning, answers."""

    def scrubbed(self, value: Any) -> str | None:
        text = self.to_python(value)
        return None if text is None else scrub_narrow(storable(text), current_lexicon()).text

    def digest(self, value: Any) -> bytes:
        return text_stamp(value)


class ScrubbedJSONField(StampedField, models.JSONField):
    """JSON whose strings, keys included, a model wrote or typed. Any depth."""

    def scrubbed(self, value: Any) -> Any:
        if value is None or (isinstance(value, Value) and value.value is None):
            return value
        return self._walked(json.loads(json.dumps(value, cls=self.encoder)))

    def _walked(self, value: Any) -> Any:
        if isinstance(value, str):
            return scrub_narrow(storable(value), current_lexicon(), Voice.TYPED).text
        if isinstance(value, list):
            return [self._walked(inner) for inner in value]
        if isinstance(value, dict):
            return {self._walked(key): self._walked(inner) for key, inner in value.items()}
        return value

    def digest(self, value: Any) -> bytes:
        return json_stamp(value)

    def stamp_of_stored(self, value: Any) -> bytes | None:
        return None if value is None else self.stamp_of(value.obj)


class PostedTextField(AnyTextField):
    """Text as a person posted it or a site showed it: instructions, addresses, titles. Scanned, never blanked."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        return super().get_db_prep_save(storable(value) if isinstance(value, str) else value, connection)


#: The types a text column that a judge may see must be of.
DECLARED_TYPES: tuple[type[AnyField], ...] = (
    BluntScrubbedTextField,
    NarrowScrubbedTextField,
    ScrubbedJSONField,
    PostedTextField,
)
#: What can hold running text. Short columns with a closed list of values, and keys, cannot.
_RUNNING = (models.TextField, models.JSONField)


def undeclared_columns(model: type[models.Model]) -> list[str]:
    """Columns of a model that hold running text or JSON and are of none of the declared types."""
    return [
        field.name
        for field in model._meta.local_concrete_fields
        if isinstance(field, _RUNNING) and not isinstance(field, DECLARED_TYPES)
    ]
