"""Operators' page of published measures."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from governance.admin_base import OperatorAdmin
from metrics.models import MeasuresPublication


@admin.register(MeasuresPublication)
class MeasuresPublicationAdmin(OperatorAdmin):
    introduction = "Every publication of measures. They are never changed and never taken back."
    list_display = ("short", "board", "number", "published_at", "read_at")
    ordering = ("board", "-number")
    search_by = ("pk", "public_digest")
    search_help_text = "The whole digest of a document."
    facts = ("digest", "public_digest", "board", "number", "ratings_id", "read_at", "published_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MeasuresPublication]:
        return super().get_queryset(request).defer("document", "public_document")

    @admin.display(description="publication")
    def short(self, row: MeasuresPublication) -> str:
        return row.digest[:16]
