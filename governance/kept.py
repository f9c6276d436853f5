"""Rows that stay: nobody deletes them, and nobody changes many of them past the journal."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.db import models, transaction

Row = TypeVar("Row", bound=models.Model)


class Kept(Exception):
    """An attempt to delete what is kept, or to change it without a record. A fault of the code that tried."""


class KeptQuerySet(models.QuerySet[Row]):
    """Refuses what would leave no record.

    ``delete()`` is refused always. ``update()`` is refused outside a transaction, where no row of the journal can be
    written together with it, unless it touches the model's ``unrecorded_fields`` alone. Use cases change rows inside
    their one transaction, which holds the record too.
    """

    def delete(self) -> tuple[int, dict[str, int]]:
        raise Kept(f"{self.model._meta.verbose_name_plural} are kept: nothing deletes them")

    delete.alters_data = True  # type: ignore[attr-defined]  # templates must not call it
    delete.queryset_only = True  # type: ignore[attr-defined]  # managers must not have it

    def update(self, **values: Any) -> int:
        free: frozenset[str] = getattr(self.model, "unrecorded_fields", frozenset())
        if set(values) - free and not transaction.get_connection(self.db).in_atomic_block:
            raise Kept(f"{self.model._meta.verbose_name_plural} are changed by use cases, which leave a record")
        return super().update(**values)

    update.alters_data = True  # type: ignore[attr-defined]  # templates must not call it


KeptManager = models.Manager.from_queryset(KeptQuerySet)


class KeptModel(models.Model):
    """A model whose rows are kept. Its ``unrecorded_fields`` may change without a row in the journal."""

    unrecorded_fields: ClassVar[frozenset[str]] = frozenset()

    objects = KeptManager()

    class Meta:
        abstract = True

    def delete(self, *arguments: Any, **options: Any) -> tuple[int, dict[str, int]]:
        raise Kept(f"{self._meta.verbose_name_plural} are kept: nothing deletes them")
