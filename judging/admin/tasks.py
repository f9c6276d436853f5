"""What people posted. A task that its poster offered to nobody stays theirs, here too."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from battles.models import Battle, Task
from battles.shown_words import shown_task
from governance.admin_base import Fact, OperatorAdmin, Panel
from judging.admin.battles import battle_link
from judging.admin.viewing import PRIVATE
from judging.models import Offer, Report
from judging.pool import shown_kind

#: Characters of an instruction in a list.
IN_A_LIST = 90
#: The page of a task shows so many of its battles, the newest ones.
SHOWN = 40


@admin.register(Task)
class TaskAdmin(OperatorAdmin):
    introduction = "What was asked for, the newest first. A task that was offered to nobody shows its facts alone."
    list_display = ("id", "created_at", "words", "kind", "category", "overlap", "withdrawn_at")
    search_by = ("pk", "judge")
    search_help_text = "The whole identifier of a task or of the judge who posted it."
    list_select_related = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Task]:
        offered = Exists(Offer.objects.filter(battle__task=OuterRef("pk")))
        reported = Exists(Report.objects.filter(battle__task=OuterRef("pk")))
        tasks: QuerySet[Task] = super().get_queryset(request)
        return tasks.annotate(shown=~Q(practice_key="") | offered | reported)

    def _words(self, row: Any, of: str) -> str:
        return shown_task(row, original=False)[of] if row.shown else PRIVATE

    @admin.display(description="instruction")
    def words(self, row: Task) -> str:
        return Truncator(self._words(row, "instruction")).chars(IN_A_LIST)

    def facts_of(self, request: HttpRequest, row: Task) -> list[Fact]:
        return [
            Fact("Instruction", self._words(row, "instruction")),
            Fact("Begins at", self._words(row, "start_url")),
            Fact("Kind", row.get_kind_display()),
            Fact("Category", row.category),
            Fact("Overlap with known benchmarks", row.overlap),
            Fact("Posted by", row.judge_id or "nobody: it is a practice task"),
            Fact("Posted", row.created_at),
            Fact("Taken back", row.withdrawn_at or "no"),
        ]

    def panels(self, request: HttpRequest, row: Task) -> list[Panel]:
        battles = Battle.objects.filter(task=row).select_related("task").order_by("-pk")[:SHOWN]
        rows = [
            (battle_link(self.admin_site, battle.pk), battle.created_at, battle.state, shown_kind(battle))
            for battle in battles
        ]
        return [Panel("Battles", ("battle", "made", "state", "kind"), rows, "None was made.")]
