"""A judge's own page, and the rubric."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena_site.judge_page import judge_context
from arena_site.rubric_text import how_to_judge
from judging.identity import current_judge
from judging.models import Rubric
from judging.rubric import current_rubric


@never_cache
@require_safe
def judge_me(request: HttpRequest) -> HttpResponse:
    """How this judge's calls came out, what they gave, and what is theirs."""
    context = {"page_title": "My judging", "active": "me"} | judge_context(current_judge(request))
    return render(request, "judging/me.html", context)


@require_safe
def rubric(request: HttpRequest, version: int | None = None) -> HttpResponse:
    """The rubric in force, or an older version as it was."""
    in_force = current_rubric()
    shown = in_force if version is None else Rubric.objects.filter(pk=version).first()
    if shown is None:
        raise Http404
    context = {
        "page_title": "How to judge",
        "active": "methods",
        "rubric": how_to_judge(shown),
        "digest": shown.sha256,
        "since": shown.effective_from,
        "in_force": shown == in_force,
        "versions": Rubric.objects.order_by("-version").values("version", "effective_from", "sha256"),
    }
    return render(request, "judging/rubric.html", context)
