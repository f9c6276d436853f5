"""Pages of operators: every app's ``admin.py`` derives from :class:`OperatorAdmin` and registers as with stock Django.

A page is read-only. Nothing is added, changed or deleted by a form; what an operator can do is an :class:`Act`, which
asks for a reason, calls a use case, and leaves one row in the journal for each object, in bulk too::

    @admin.register(Withdrawal)
    class WithdrawalAdmin(OperatorAdmin):
        list_display = ("judge_id", "requested_at", "done_at")   # columns; names of fields or methods, as ever
        list_select_related = ()                                 # what the columns need: one query a page
        search_by = ("pk", "judge")                              # looked up exactly; indexed columns only
        search_help_text = "An identifier of a withdrawal or of a judge."
        list_filter = (Waiting,)                                 # a SimpleListFilter over an indexed condition, or none
        facts = ("judge_id", "requested_at", "done_at")          # what the page of one row shows
        acts = (
            Act(
                name="act-now",
                words="Act now",
                ability=Ability.STEWARD,
                meaning="Takes everything out of the corpus at once.",
                do=lambda *, row, actor, reason: act_on(withdrawal=row, actor=actor, reason=reason),
                fits=lambda row: row.done_at is None,
            ),
        )

        def panels(self, request, row):                          # tables under the facts; few queries, bounded
            return [Panel("Labels taken out", columns=("kind", "number"), rows=list(row.removed.items()))]

What else it keeps to, so that it works with a million rows: no ``count(*)`` (:mod:`governance.bounded_pages`), no
sorting by columns, no free-text search, no filter that scans, no facets, no date hierarchy. The ordering must have an
index; ``ordering = ("-pk",)`` always has. What is due is registered with :mod:`governance.due`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.options import ShowFacets
from django.contrib.admin.utils import display_for_field, display_for_value, label_for_field, lookup_field, quote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models
from django.db.models import Q, QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.text import capfirst

from governance.bounded_pages import BoundedPaginator
from governance.errors import ArenaError
from governance.journal import record
from governance.operator_acts import MOST_AT_ONCE, Act, ReasonForm, confirmation, perform
from governance.operators import Ability, actor_of, may
from governance.spreadsheet_cells import text_cell

__all__ = ["Act", "Fact", "Link", "OperatorAdmin", "Panel", "ReasonForm", "csv_export"]

EMPTY = "none"
#: An export of more rows is a dataset's business.
EXPORTED_AT_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that leads somewhere."""

    words: str
    href: str

    def __str__(self) -> str:
        return self.words

    def __html__(self) -> str:
        return format_html('<a href="{}">{}</a>', self.href, self.words)


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a row's page under its facts: a table, or a template of its own.

    Attributes:
        title: its heading.
        columns, rows: of a table.
        empty: said where there is no row.
        note: a sentence above it.
        template, context: instead of a table.
    """

    title: str
    columns: Sequence[str] = ()
    rows: Iterable[Sequence[Any]] = ()
    empty: str = "There is nothing here."
    note: str = ""
    template: str = ""
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    value: Any


if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


class OperatorAdmin(_ModelAdmin):
    """A list of rows and a page for each, for operators. See the module for how to use it."""

    #: Names of fields or methods that the page of one row shows, in this order.
    facts: Sequence[str] = ()
    #: Fields that the search looks up exactly.
    search_by: Sequence[str] = ()
    acts: Sequence[Act] = ()
    #: Who may look.
    seen_with = Ability.LOOK
    #: What the list is, in a sentence.
    introduction = ""

    actions = ()
    change_list_template = "admin/rows.html"
    date_hierarchy = None
    list_filter: ClassVar[tuple[type[admin.SimpleListFilter], ...]] = ()
    list_max_show_all = 0
    list_per_page = 50
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    paginator = BoundedPaginator
    show_facets = ShowFacets.NEVER
    show_full_result_count = False
    sortable_by = ()

    # ---- what is allowed ----

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request.user, self.seen_with)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    # ---- addresses ----

    def get_urls(self) -> list[URLPattern]:
        """The list, the page of a row, and the acts. There are no others: no form adds, changes or deletes."""
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        wrap = self.admin_site.admin_view
        return [
            path("", wrap(self.changelist_view), name=f"{name}_changelist"),
            path("act/<slug:act_name>/", wrap(self.act_view), name=f"{name}_act"),
            path("<path:object_id>/change/", wrap(self.change_view), name=f"{name}_change"),
        ]

    def act_url(self, act: Act, rows: Iterable[models.Model] = ()) -> str:
        """Where an act is asked for, for these rows."""
        address = self._reverse("act", act.name)
        chosen = [("ids", row.pk) for row in rows]
        return f"{address}?{urlencode(chosen)}" if chosen else address

    def row_url(self, row: models.Model) -> str:
        return self._reverse("change", quote(row.pk))

    def list_url(self) -> str:
        return self._reverse("changelist")

    def _reverse(self, which: str, *arguments: Any) -> str:
        name = f"{self.opts.app_label}_{self.opts.model_name}_{which}"
        return reverse(f"{self.admin_site.name}:{name}", args=arguments)

    # ---- the list ----

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [_in_words(self.model, name) for name in super().get_list_display(request)]

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        return tuple(self.search_by)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Rows of which one of the fields is what was typed. A text that a field cannot hold is in none of its rows."""
        term = search_term.strip()
        if not term:
            return queryset, False
        found = Q(pk__in=[])
        for name in self.search_by:
            column: Any = self.opts.pk if name == "pk" else self.opts.get_field(name)
            target = getattr(column, "target_field", column)
            try:
                found |= Q(**{name: target.to_python(term)})
            except (ValidationError, ValueError):
                continue
        return queryset.filter(found), False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The acts on rows that this operator's role allows; each leads to the page that asks for its reason."""
        return {act.name: (_leads_to(act), act.name, act.words) for act in self._allowed(request) if act.of_rows}

    def _allowed(self, request: HttpRequest) -> list[Act]:
        return [act for act in self.acts if may(request.user, act.ability)]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        shown = [act for act in self._allowed(request) if not act.of_rows]
        offered = [{"words": act.words, "href": self.act_url(act)} for act in shown]
        title = capfirst(str(self.opts.verbose_name_plural))
        context = {"introduction": self.introduction, "offered": offered, "title": title}
        return super().changelist_view(request, context | (extra_context or {}))

    # ---- the page of a row ----

    def panels(self, request: HttpRequest, row: Any) -> Sequence[Panel]:
        """What is shown under the facts."""
        return ()

    def heading(self, request: HttpRequest, row: Any) -> str:
        """The heading of a row's page."""
        return capfirst(str(row))

    def facts_of(self, request: HttpRequest, row: Any) -> list[Fact]:
        """The facts with their labels, shown as the list shows them."""
        return [Fact(*self._labelled(name, row)) for name in self.facts]

    def _labelled(self, name: str, row: Any) -> tuple[str, Any]:
        column, attribute, value = lookup_field(name, row, self)
        words = str(label_for_field(name, self.model, model_admin=self))
        label = "Identifier" if words.lower() == "id" else capfirst(words.removesuffix(" id"))
        if isinstance(value, Link):
            return label, value
        if column is None:
            return label, display_for_value(value, getattr(attribute, "empty_value_display", EMPTY))
        if column.remote_field is not None:
            return label, EMPTY if value is None else value
        if isinstance(value, bool):
            return label, _yes_or_no(value)
        return label, display_for_field(value, column, EMPTY)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of one row."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = None if "\0" in object_id else self.get_object(request, object_id)
        if row is None:
            raise Http404
        acts = [act for act in self._allowed(request) if act.of_rows and act.fits(row)]
        return TemplateResponse(
            request,
            "admin/row.html",
            {
                **self.admin_site.each_context(request),
                "title": self.heading(request, row),
                "opts": self.opts,
                "list_url": self.list_url(),
                "facts": self.facts_of(request, row),
                "panels": self.panels(request, row),
                "offered": [{"words": act.words, "href": self.act_url(act, [row])} for act in acts],
                **(extra_context or {}),
            },
        )

    # ---- acts ----

    def act_view(self, request: HttpRequest, act_name: str) -> HttpResponseBase:
        """Ask for the reason of an act and what else it needs, show what it would do, and do it.

        Raises:
            Http404: there is no such act, or one of the rows is gone.
            PermissionDenied: this operator's role does not allow it.
        """
        act = next((act for act in self.acts if act.name == act_name), None)
        if act is None:
            raise Http404
        if not (self.has_view_permission(request) and may(request.user, act.ability)):
            raise PermissionDenied
        rows = self._chosen(request, act)
        form = act.form(request.POST if request.method == "POST" else None, rows=rows)
        preview = None
        if request.method == "POST" and form.is_valid():
            try:
                if act.preview is not None:
                    about = {"rows": rows} if act.of_rows else {}
                    preview = act.preview(**about, request=request, **_without_reason(form.cleaned_data))
                if preview is None or (preview.seal and request.POST.get("confirmed") == confirmation(act, preview)):
                    return self._done(request, act, rows, form)
            except ArenaError as refusal:
                form.refuse(refusal)
        return TemplateResponse(
            request,
            "admin/act.html",
            {
                **self.admin_site.each_context(request),
                "title": act.words,
                "opts": self.opts,
                "list_url": self.list_url(),
                "act": act,
                "form": form,
                "rows": [Link(capfirst(str(row)), self.row_url(row)) for row in rows],
                "ids": [row.pk for row in rows],
                "preview": preview,
                "confirmation": confirmation(act, preview) if preview else "",
                "shows_first": act.preview is not None and preview is None,
                "changed": preview is not None and bool(request.POST.get("confirmed")),
            },
            status=422 if form.errors else 200,
        )

    def _chosen(self, request: HttpRequest, act: Act) -> list[Any]:
        if not act.of_rows:
            return []
        ids = list(dict.fromkeys((request.POST if request.method == "POST" else request.GET).getlist("ids")))
        if not 0 < len(ids) <= MOST_AT_ONCE or any("\0" in key for key in ids):
            raise Http404
        try:
            rows = {str(row.pk): row for row in self.get_queryset(request).filter(pk__in=ids)}
        except (ValidationError, ValueError):
            raise Http404 from None
        if len(rows) != len(ids):
            raise Http404
        return [rows[key] for key in sorted(rows)]

    def _done(self, request: HttpRequest, act: Act, rows: Sequence[Any], form: ReasonForm) -> HttpResponseBase:
        answer = perform(act, rows=rows, actor=actor_of(request.user), values=form.cleaned_data)
        if answer is not None:
            return answer
        words = f"{len(rows)} {self.opts.verbose_name_plural}" if len(rows) > 1 else "".join(str(row) for row in rows)
        messages.success(request, f"Done: {act.words.lower()}{words and ', '}{words}.")
        return HttpResponseRedirect(self.row_url(rows[0]) if len(rows) == 1 else self.list_url())


def _yes_or_no(value: bool | None) -> str:
    return EMPTY if value is None else "yes" if value else "no"


def _in_words(model: type[models.Model], name: Any) -> Any:
    """A column that says yes or no, where the stock list has pictures of good and bad; others stay as they are."""
    columns = {column.name: column for column in model._meta.concrete_fields}
    if not isinstance(columns.get(name), models.BooleanField):
        return name

    @admin.display(description=columns[name].verbose_name)
    def words(row: models.Model) -> str:
        return _yes_or_no(getattr(row, name))

    return words


def _without_reason(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "reason"}


def _leads_to(act: Act) -> Any:
    """The action of the list: no change, but the way to the page that asks for a reason."""

    def lead(model_admin: OperatorAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        rows = list(queryset.select_related(None).only("pk")[: MOST_AT_ONCE + 1])
        if len(rows) > MOST_AT_ONCE:
            messages.error(request, f"At most {MOST_AT_ONCE} at once, please.")
            return None
        return HttpResponseRedirect(model_admin.act_url(act, rows))

    return lead


class _Line:
    """What the writer of CSV writes into: it hands every line on."""

    def write(self, line: str) -> str:
        return line


def csv_export(
    model: type[models.Model],
    columns: Sequence[str],
    *,
    ability: Ability = Ability.LOOK,
    cell: Callable[[Any, str], Any] = getattr,
    read: Callable[[QuerySet[Any]], QuerySet[Any]] = lambda rows: rows,
) -> Act:
    """An act that sends the newest rows as CSV, and leaves a record that it did.

    Cells that a spreadsheet would take for formulas are marked as text. ``cell`` gives the value of a row in a column,
    and ``read`` adds to the rows what a column needs.
    """

    def export(*, actor: str, reason: str) -> StreamingHttpResponse:
        record(
            actor=actor,
            action="governance:export:csv",
            subject=model._meta.label_lower,
            reason=reason,
            columns=list(columns),
        )
        rows = read(model._default_manager.order_by("-pk"))[:EXPORTED_AT_MOST]
        answer = StreamingHttpResponse(_lines(columns, rows, cell), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="{model._meta.model_name}.csv"'
        return answer

    return Act(
        name="export",
        words="Export as CSV",
        ability=ability,
        do=export,
        of_rows=False,
        meaning=f"The newest {EXPORTED_AT_MOST:,} rows at most, with the columns {', '.join(columns)}.",
    )


def _lines(columns: Sequence[str], rows: QuerySet[Any], cell: Callable[[Any, str], Any]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(columns)
    for row in rows.iterator(chunk_size=2_000):
        values = (cell(row, column) for column in columns)
        yield writer.writerow([text_cell("" if value is None else str(value)) for value in values])
