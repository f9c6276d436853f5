"""Taking back what one gave: one page, one choice, one button; and the page of a withdrawal that says how far it is."""

import logging
import uuid
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from arena_site.accounts.limits import Limit, give_back, take_from_network
from arena_site.withdraw_page import (
    WHOLE,
    battle_choices,
    kind_choices,
    task_choices,
    withdrawal_view,
)
from governance.errors import ArenaError, NotFound
from governance.models import Judge, Withdrawal
from governance.recovery_codes import judge_of_code, recovery_code
from governance.withdrawal_clocks import LICENSEES_WITHIN
from governance.withdrawals import act_on, read_wanted, request_withdrawal
from judging.identity import current_judge

logger = logging.getLogger(__name__)

#: Nobody mistypes a code so often; a machine that tries gets nowhere in any time.
CODES = Limit("recovery code", 30, timedelta(hours=1), "Many wrong codes came from your network.")


class NoSuchWithdrawal(NotFound):
    code = "no_such_withdrawal"


class CodeRefused(ArenaError):
    code = "wrong_code"
    status = 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest) -> HttpResponse:
    """Ask what is to be taken back; on POST, take it back."""
    if request.method != "POST":
        return _page(request)
    try:
        withdrawal = take_back(request, what=request.POST.get("what", ""), code=request.POST.get("code", ""))
    except ArenaError as refusal:
        return _page(request, refusal)
    return redirect("withdrawal", withdrawal_id=withdrawal.pk)


@never_cache
@require_safe
def withdrawal_page(request: HttpRequest, withdrawal_id: uuid.UUID) -> HttpResponse:
    """How far a withdrawal is. Its address is known to whoever asked for it, and says who that is to nobody."""
    found = Withdrawal.objects.filter(pk=withdrawal_id).first()
    if found is None:
        raise NoSuchWithdrawal("There is no such withdrawal.")
    context = {"page_title": "Your withdrawal", "active": "withdraw", "withdrawal": withdrawal_view(found)}
    return render(request, "governance/withdrawal.html", context | _address())


def take_back(request: HttpRequest, *, what: str, code: str) -> Withdrawal:
    """Receive a request, then act on it at once.

    Once the request is stored, it waits for the sweep where it cannot be acted on. Within a transaction of the caller's
    it is not stored yet: what the database ended there passes to whoever began that, who can do it again.

    Args:
        what: as :func:`governance.withdrawals.read_wanted` reads it.
        code: a recovery code, or "" for what the visitor gave themselves.

    Raises:
        ArenaError: nothing was chosen, the code is wrong, or there is nothing to take back.
        OperationalError: within a transaction.
    """
    wanted = read_wanted(what)
    judge, channel = _asking(request, code.strip())
    actor = f"judge:{judge.pk}"
    withdrawal = request_withdrawal(judge=judge, actor=actor, wanted=wanted, channel=channel)
    try:
        withdrawal = act_on(withdrawal=withdrawal, actor=actor)
    except (DatabaseError, OSError) as problem:
        if isinstance(problem, OperationalError) and connection.in_atomic_block:
            raise
        # Only its kind: the words of the database may quote the row.
        logger.warning("a withdrawal was received and waits for the sweep: %s", type(problem).__name__)
    else:
        whole = wanted.scope in {Withdrawal.Scope.EVERYTHING, Withdrawal.Scope.IDENTITY}
        if whole and current_judge(request) in {None, judge} and request.session.session_key:
            # Drafts that were typed before signing in are in it. Somebody else's browser keeps its own.
            transaction.on_commit(request.session.flush)
    return withdrawal


def _asking(request: HttpRequest, typed: str) -> tuple[Judge, str]:
    if typed:
        attempt = take_from_network(CODES, request)
        judge = judge_of_code(typed[:100])
        if judge is None:
            raise CodeRefused(
                "There is no such code. It has sixteen letters and digits, in groups of four.", field="code"
            )
        give_back([attempt])
        return judge, Withdrawal.Channel.CODE
    judge = current_judge(request)
    if judge is None:
        raise CodeRefused(
            "This browser has given nothing yet. Please type the recovery code of the one that did.", field="code"
        )
    return judge, Withdrawal.Channel.SITE


def _page(request: HttpRequest, refusal: ArenaError | None = None) -> HttpResponse:
    judge = current_judge(request)
    context = {
        "page_title": "Withdraw",
        "active": "withdraw",
        "whole": WHOLE,
        "kinds": kind_choices(judge),
        "tasks": task_choices(judge) if judge else [],
        "battles": battle_choices(judge) if judge else [],
        # Whoever follows a link here takes everything back with one more click; the button says that it is everything.
        "chosen": request.POST.get("what", "") if refusal else request.GET.get("what", Withdrawal.Scope.EVERYTHING),
        "licensees_days": LICENSEES_WITHIN.days,
        "typed_code": request.POST.get("code", "")[:100],
        "own_code": recovery_code(judge) if judge else "",
        "refusal": refusal,
    }
    response = render(
        request, "governance/withdraw.html", context | _address(), status=refusal.status if refusal else 200
    )
    retry_after = getattr(refusal, "retry_after", None)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def _address() -> dict[str, str]:
    return {"address": settings.ARENA_WITHDRAWAL_ADDRESS}
