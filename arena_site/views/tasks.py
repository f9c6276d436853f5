"""The task form: a draft is checked and filled in, then posted."""

import secrets
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from arena_site.drafts import sign_in_first, take_draft
from arena_site.forms import TaskForm
from arena_site.posting import Posting, post_task
from arena_site.views.consenting import consent_view, consenting_judge
from arena_site.views.posted_keys import posted_key
from battles.intake import propose_task
from governance.errors import ArenaError, TooMany
from judging.identity import current_judge, prepare_identity

#: The name under which a task is kept while its author signs in.
DRAFT = "task"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_battle(request: HttpRequest) -> HttpResponse:
    """The task form; ``stage=draft`` fills it in, ``stage=submit`` posts it, ``stage=sign-in`` keeps it meanwhile."""
    if request.method != "POST":
        kept = take_draft(request, DRAFT)
        return _page(request, TaskForm(initial=kept.dict() if kept else None))
    if request.POST.get("stage") == "sign-in":
        return sign_in_first(request, name=DRAFT, back_to=reverse("new_battle"))
    form = TaskForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        if request.POST.get("stage") == "submit":
            return _submit(request, form)
        return _draft(request, form)
    except ArenaError as refusal:
        return _refused(request, form, refusal)


def _draft(request: HttpRequest, form: TaskForm) -> HttpResponse:
    proposal = propose_task(**_typed(form))
    suggested = {
        **form.cleaned_data,
        "start_url": proposal.start_url,
        "category": proposal.category,
        "kind": proposal.kind,
    }
    return _page(request, TaskForm(initial=suggested), checked=True, near=proposal.overlap_match)


def _submit(request: HttpRequest, form: TaskForm) -> HttpResponse:
    posting = Posting(**_typed(form), key=posted_key(request), proof=request.POST.get("proof", ""))
    battle = post_task(request, posting, agreeing=lambda: consenting_judge(request))
    return redirect("battle", battle_id=battle.pk)


def _typed(form: TaskForm) -> dict[str, str]:
    return {name: form.cleaned_data[name] for name in ("instruction", "start_url", "kind", "category")}


def _refused(request: HttpRequest, form: TaskForm, refusal: ArenaError) -> HttpResponse:
    context: dict[str, Any] = {}
    if refusal.field in form.fields:
        form.add_error(refusal.field, refusal.message)
    else:
        context["problem"] = {"title": "Not posted", "message": refusal.message, "code": refusal.code}
    response = _page(request, form, status=refusal.status, **context)
    if isinstance(refusal, TooMany):
        response["Retry-After"] = str(refusal.retry_after)
    return response


def _page(request: HttpRequest, form: TaskForm, *, status: int = 200, **context: Any) -> HttpResponse:
    prepare_identity(request)
    return render(
        request,
        "battles/new.html",
        {
            "page_title": "Post a task",
            "active": "new",
            "form": form,
            "consent": consent_view(current_judge(request)),
            "idempotency_key": posted_key(request) or secrets.token_urlsafe(16),
            **context,
        },
        status=status,
    )
