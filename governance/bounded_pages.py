"""Pages of long lists without counting them.

``SELECT count(*)`` reads a whole table. Here a list is counted as far as it can be paged through, and beyond that its
length is what the database's own statistics say.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db import connections
from django.db.models import QuerySet

#: Nobody pages further than this many rows; whoever looks for an older one searches for it.
REACHED = 2_500


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # as the admin makes it
    """A paginator that reads at most one row more than can be paged to."""

    object_list: QuerySet[Any]

    @cached_property
    def counted(self) -> int:
        """Rows there are, up to one more than can be reached."""
        return len(self.object_list.values_list("pk", flat=True)[: REACHED + 1])

    @cached_property
    def count(self) -> int:
        """Rows that can be paged to."""
        return min(self.counted, REACHED)

    @property
    def beyond(self) -> bool:
        """Whether there are rows that no page reaches."""
        return self.counted > REACHED

    @property
    def length_in_words(self) -> str:
        """How many rows there are, as far as that is known cheaply."""
        if not self.beyond:
            return f"{self.counted:,}"
        estimate = 0 if self.object_list.query.where else estimated_rows(self.object_list)
        return f"about {estimate:,}" if estimate > REACHED else f"more than {REACHED:,}"


def estimated_rows(rows: QuerySet[Any]) -> int:
    """How many rows the database believes the table has, from its last look at it; 0 where it never looked."""
    with connections[rows.db].cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [rows.model._meta.db_table])
        return max(0, int(cursor.fetchone()[0]))
