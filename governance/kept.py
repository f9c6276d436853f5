"""Rows that stay: nobody deletes them, and nobody changes many of them past the journal."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, TypeVar

from django.db import models, transaction

Row = TypeVar("Row", bound=models.Model)


class Kept(Exception):
    """An attempt to delete what is kept, or to change it without a record. A fault of the code that tried."""


class KeptQuerySet(models.QuerySet[Row]):
    """Refuses what would leave no record.

    ``delete()`` is refused always; so does a trigger of the database (:class:`governance.append_only.NeverDeleted`).
    ``update()`` is refused outside a transaction, where no row of the journal can be written together with it; use
    cases change rows inside their one transaction, which holds the record too. What changes many rows each in its own
    way (``bulk_update()``, and ``bulk_create()`` over rows that are there) opens a transaction by itself and no use
    case needs it, so it is refused always. All of them may touch the model's ``unrecorded_fields``.
    """

    def delete(self) -> tuple[int, dict[str, int]]:
        raise Kept(f"{self.model._meta.verbose_name_plural} are kept: nothing deletes them")

    delete.alters_data = True  # type: ignore[attr-defined]  # templates must not call it
    delete.queryset_only = True  # type: ignore[attr-defined]  # managers must not have it

    def update(self, **values: Any) -> int:
        if not transaction.get_connection(self.db).in_atomic_block:
            self._require_unrecorded(values)
        return super().update(**values)

    update.alters_data = True  # type: ignore[attr-defined]  # templates must not call it

    def bulk_update(self, objs: Any, fields: Any, batch_size: int | None = None) -> int:
        fields = list(fields)
        self._require_unrecorded(fields)
        return super().bulk_update(objs, fields, batch_size=batch_size)

    bulk_update.alters_data = True  # type: ignore[attr-defined]  # templates must not call it

    def bulk_create(
        self,
        objs: Any,
        batch_size: int | None = None,
        ignore_conflicts: bool = False,
        update_conflicts: bool = False,
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[Row]:
        self._require_unrecorded(update_fields or ())
        return super().bulk_create(objs, batch_size, ignore_conflicts, update_conflicts, update_fields, unique_fields)

    def _require_unrecorded(self, fields: Collection[str]) -> None:
        free: frozenset[str] = getattr(self.model, "unrecorded_fields", frozenset())
        if set(fields) - free:
            raise Kept(f"{self.model._meta.verbose_name_plural} are changed by use cases, which leave a record")


KeptManager = models.Manager.from_queryset(KeptQuerySet)


class KeptModel(models.Model):
    """A model whose rows are kept. Its ``unrecorded_fields`` may change without a row in the journal."""

    unrecorded_fields: ClassVar[frozenset[str]] = frozenset()

    objects = KeptManager()

    class Meta:
        abstract = True

    def delete(self, *arguments: Any, **options: Any) -> tuple[int, dict[str, int]]:
        raise Kept(f"{self._meta.verbose_name_plural} are kept: nothing deletes them")
