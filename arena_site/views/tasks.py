"""Posting a task: a draft is checked and filled in, then posted.

Whoever is not signed in sends a proof of work along. Without one, for want of scripts, the task is taken as unverified
and under a stricter limit.
"""

import secrets
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from arena_site.accounts.devices import signed_in_account
from arena_site.accounts.limits import UNVERIFIED_TASKS, check_unverified_tasks, take_from_network
from arena_site.accounts.models import ProofRecord
from arena_site.accounts.proof import ProofRefused, check_proof
from arena_site.drafts import sign_in_first, take_draft
from arena_site.forms import TaskForm
from arena_site.views.consenting import consent_view, consenting_judge
from arena_site.views.posted_keys import posted_key
from battles.intake import clean_instruction, propose_task, submit_task
from battles.models import Battle, Task
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
    # A task that cannot be raced is refused before anybody is asked for consent.
    typed = _typed(form)
    propose_task(**typed)
    if signed_in_account(request) is not None or _was_posted(request, typed):
        battle = _post(request, typed)
    else:
        try:
            battle = _post_checked(request, typed)
        except ProofRefused:
            # A double click sends one proof twice: the second one is no new task.
            if not _was_posted(request, typed):
                raise
            battle = _post(request, typed)
    return redirect("battle", battle_id=battle.pk)


def _post_checked(request: HttpRequest, typed: dict[str, str]) -> Battle:
    """Post with the outcome of the check beside the judge; a refusal leaves nothing, and the proof unspent."""
    before = current_judge(request)
    try:
        with transaction.atomic():
            outcome = check_proof(request.POST.get("proof", ""), purpose=ProofRecord.Purpose.TASK)
            judge = consenting_judge(request)
            if outcome == ProofRecord.State.UNVERIFIED:
                check_unverified_tasks(judge)
                take_from_network(UNVERIFIED_TASKS, request)
            battle = _post(request, typed)
            ProofRecord.objects.create(judge=judge, purpose=ProofRecord.Purpose.TASK, state=outcome)
    except ArenaError:
        # Whoever became a judge for this is none again.
        request.judge = before  # type: ignore[attr-defined]  # as the middleware of judging has it
        raise
    return battle


def _post(request: HttpRequest, typed: dict[str, str]) -> Battle:
    return submit_task(
        judge=consenting_judge(request),
        instruction=typed["instruction"],
        start_url=typed["start_url"],
        kind=typed["kind"],
        category=typed["category"],
        submission_key=posted_key(request),
    )


def _was_posted(request: HttpRequest, typed: dict[str, str]) -> bool:
    """Whether this very form was posted before, by this judge."""
    judge, key = current_judge(request), posted_key(request)
    if judge is None or not key:
        return False
    same = Task.objects.filter(judge=judge, submission_key=key, instruction=clean_instruction(typed["instruction"]))
    return same.exists()


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
