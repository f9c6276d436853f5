"""Bodies of requests as declared: exactly the fields that are named, each of exactly its type."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


class Body(serializers.Serializer[Any]):
    """A body that refuses fields it does not name: a misspelt one must not silently mean the default."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Validated values by field.

        Raises:
            ValidationError: as :meth:`to_internal_value`; it is no object: ``null`` is none.
        """
        if not isinstance(data, Mapping):
            words = serializers.ErrorDetail("The body must be an object: names with values, in braces.", code="invalid")
            raise serializers.ValidationError({"body": [words]})
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> Any:
        """Validated values by field.

        Raises:
            ValidationError: a field is unknown, missing, or not what it must be.
        """
        if isinstance(data, Mapping):
            known = {name for name, field in self.fields.items() if not field.read_only}
            unknown = sorted(str(name)[:100] for name in set(data) - known)
            if unknown:
                words = f"There is no such field here; there are: {', '.join(sorted(known)) or 'none'}."
                raise serializers.ValidationError(
                    {name: [serializers.ErrorDetail(words, code="unknown_field")] for name in unknown}
                )
        return super().to_internal_value(data)


class TextField(serializers.CharField):
    """A text, taken exactly as it is; numbers are none.

    Whoever sends a word of a few, or an identifier, with anything before or behind it has sent another text.
    """

    def __init__(self, *, trim_whitespace: bool = False, **options: Any) -> None:
        super().__init__(trim_whitespace=trim_whitespace, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class WholeNumberField(serializers.IntegerField):
    """A whole number; texts and truth values are none."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int | float) or data != math.floor(data):
            self.fail("invalid")
        return super().to_internal_value(int(data))


class NumberField(serializers.FloatField):
    """A number; texts and truth values are none."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        try:
            return super().to_internal_value(data)
        except OverflowError:
            self.fail("invalid")


class YesNoField(serializers.BooleanField):
    """``true`` or ``false``; words and numbers are neither."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=type(data).__name__)
        return data


class OneOfField(serializers.ChoiceField):
    """One of a few words."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=type(data).__name__)
        return super().to_internal_value(data)


class IdentifierField(serializers.UUIDField):
    """An identifier as the site writes it, with hyphens; in whichever case."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str):
            self.fail("invalid", value=type(data).__name__)
        found: uuid.UUID = super().to_internal_value(data)
        if str(found) != data.lower():
            self.fail("invalid", value=type(data).__name__)
        return found
