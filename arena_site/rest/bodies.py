"""Bodies of requests as declared: exactly the fields that are named, each of exactly its type."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


class Body(serializers.Serializer[Any]):
    """A body that refuses fields it does not name: a misspelt one must not silently mean the default."""

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
    """A text; numbers are none."""

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
    """An identifier as the site writes it, with hyphens."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str) or len(data) != 36:
            self.fail("invalid", value=type(data).__name__)
        return super().to_internal_value(data)
