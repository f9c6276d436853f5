"""Taking back what one gave: one page, one button."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from governance.withdrawals import withdraw_everything
from judging.identity import current_judge


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest) -> HttpResponse:
    """Say what a withdrawal does; on POST, do it."""
    judge = current_judge(request)
    unsure = request.method == "POST" and not request.POST.get("sure")
    if request.method == "POST" and judge is not None and not unsure:
        withdraw_everything(judge=judge)
        return redirect("withdraw")
    done = judge.withdrawals.order_by("-done_at").first() if judge else None
    return render(
        request,
        "governance/withdraw.html",
        {
            "page_title": "Withdraw",
            "active": "withdraw",
            "done": done,
            "unsure": unsure,
            "address": settings.ARENA_WITHDRAWAL_ADDRESS,
        },
        status=422 if unsure else 200,
    )
