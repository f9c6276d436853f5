"""The operators' site: stock admin, with our own pages and nothing that writes past a use case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, include, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from arena_site.accounts.second_factor import proved_here
from governance.admin_base import OperatorAdmin
from governance.due import due_now
from governance.operators import Ability, may

#: Pages that operators go to every day, where they exist.
DAILY = (
    ("Due", "admin:index"),
    ("Reports", "admin:judging_report_changelist"),
    ("Held labels", "admin:judging_heldlabel_changelist"),
    ("Battles", "admin:battles_battle_changelist"),
    ("Judges", "admin:governance_judge_changelist"),
    ("Roster", "admin:battles_agent_changelist"),
    ("Journal", "admin:governance_journalentry_changelist"),
)


class OperatorsSite(AdminSite):
    """Takes only pages derived from :class:`OperatorAdmin`: what a library registers would write without a reason."""

    site_header = "Ringside for operators"
    site_title = "Operators"
    index_title = "What is due"
    index_template = "admin/due.html"
    app_index_template = "admin/app.html"
    enable_nav_sidebar = False

    def register(
        self, model_or_iterable: type[Model] | Iterable[type[Model]], admin_class: Any = None, **options: Any
    ) -> None:
        if admin_class is not None and issubclass(admin_class, OperatorAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        """An operator who proved their second factor in this session."""
        return may(request.user, Ability.LOOK) and proved_here(request)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The first page, a page for each app, and what is registered. Signing in and out is the accounts' business."""
        pages: list[URLPattern | URLResolver] = [path("", self.admin_view(self.index), name="index")]
        for model, model_admin in self._registry.items():
            pages.append(path(f"{model._meta.app_label}/{model._meta.model_name}/", include(model_admin.urls)))
        return [*pages, path("<slug:app_label>/", self.admin_view(self.app_index), name="app_list")]

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """To a visitor the way to sign in; to others who are no operators what an address gives that is not there."""
        inner = never_cache(view)

        def guarded(request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponseBase:
            if not self.has_permission(request):
                if request.user.is_authenticated:
                    raise Http404
                return redirect_to_login(request.get_full_path(), reverse(settings.LOGIN_URL))
            answer: HttpResponseBase = inner(request, *arguments, **options)
            return answer

        return guarded

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        shown = [(words, name) for words, name in DAILY if name == "admin:index" or self._has(name)]
        return super().each_context(request) | {
            "nav": [{"key": name, "label": words, "href": reverse(name)} for words, name in shown],
            "active": getattr(request.resolver_match, "view_name", ""),
            "page_title": "Operators",
        }

    def _has(self, name: str) -> bool:
        label, model, _ = name.removeprefix("admin:").split("_")
        return any(known._meta.label_lower == f"{label}.{model}" for known in self._registry)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """What is due, overdue first; then every list."""
        now = timezone.now()
        return super().index(request, {"queues": due_now(now), "now": now, **(extra_context or {})})
