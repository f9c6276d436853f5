"""The filter of an operators' list that shows what waits first, and everything only to whoever asks for it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import SEARCH_VAR
from django.db.models import QuerySet
from django.http import HttpRequest


class Waiting(admin.SimpleListFilter):
    """What waits, which an index holds in the order of its deadlines; or everything.

    Whoever searches an identifier looks for it among everything. A list derives its own with the conditions under which
    a row waits, as ``filter`` takes them, and orders it by :meth:`shows_waiting`::

        class WaitingReports(Waiting):
            waiting = {"resolved_at__isnull": True}
    """

    title = "decision"
    parameter_name = "all"
    waiting: dict[str, Any] = {}

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        self.shown = self.shows_waiting(request)
        super().__init__(request, params, model, model_admin)

    @classmethod
    def shows_waiting(cls, request: HttpRequest) -> bool:
        """Whether a list shows what waits alone."""
        return request.GET.get(cls.parameter_name) != "yes" and not request.GET.get(SEARCH_VAR, "").strip()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "All of them")]

    def choices(self, changelist: Any) -> Any:
        yield {
            "selected": self.shown,
            "query_string": changelist.get_query_string(remove=[self.parameter_name, SEARCH_VAR]),
            "display": "Waiting",
        }
        yield {
            "selected": not self.shown,
            "query_string": changelist.get_query_string({self.parameter_name: "yes"}),
            "display": "All of them",
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**self.waiting) if self.shown else queryset
