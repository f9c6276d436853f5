"""Taking back what one gave, and how far that has come."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from arena_site.rest.bodies import Body, TextField
from arena_site.rest.examples import ASKING, GIVING, KEY, answered, sent, told
from arena_site.rest.repeats import Made
from arena_site.rest.shapes import WithdrawalMade, WithdrawalShown
from arena_site.rest.taking_part import Giving, Reading
from arena_site.views.withdraw import NoSuchWithdrawal, take_back
from arena_site.withdraw_page import withdrawal_view
from governance.models import Withdrawal
from judging.identity import current_judge

ID = "01994c30-5d6e-7f80-8a9b-0c1d2e3f4a5b"


class WithdrawalBody(Body):
    """What is to be taken back."""

    what = TextField(
        max_length=60,
        help_text="`everything`; `identity`: who you are, not what you gave; `kind:task`, `kind:vote`, "
        "`kind:annotation`, `kind:step verdict` or `kind:click`; `task:<id>`; `battle:<id>`: what you said of it.",
    )
    recovery_code = TextField(
        # Whoever types white space alone means no code, and must not be taken for whoever asks.
        trim_whitespace=True,
        max_length=100,
        required=False,
        help_text="Of a browser that is gone, in place of whoever asks.",
    )


class Withdrawals(Giving):
    """Take back what one gave."""

    scope = "withdraw"
    heading = "Withdrawals"
    body = WithdrawalBody

    @extend_schema(
        operation_id="withdraw",
        parameters=[KEY],
        request=WithdrawalBody,
        responses={
            201: WithdrawalMade,
            **told(
                GIVING,
                {
                    404: ("nothing_to_withdraw",),
                    409: ("called_off",),
                    410: ("erased",),
                    422: ("unknown_scope", "wrong_code"),
                    429: ("limit_recovery_code",),
                },
            ),
        },
        examples=[
            sent({"what": "kind:vote"}),
            answered(
                {
                    "id": ID,
                    "url": f"/api/withdrawals/{ID}",
                    "page": f"/withdraw/{ID}",
                    "received_at": "2026-11-30T12:34:56+00:00",
                },
                201,
            ),
        ],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Take back what you gave, all of it or a part.

        It is done at once and cannot be undone. After `everything` or `identity` the account and its tokens are gone:
        this answer is the last one they open, and `page` is where the rest can be followed.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        withdrawal = take_back(request, what=said["what"], code=said.get("recovery_code", ""))
        return Made(_made(withdrawal), 201, reverse("api_withdrawal", kwargs={"withdrawal_id": withdrawal.pk}))


class AWithdrawal(Reading):
    """How far a withdrawal of one's own has come."""

    heading = "Withdrawals"

    @extend_schema(
        operation_id="read_withdrawal",
        responses={200: WithdrawalShown, **told(ASKING, {404: ("no_such_withdrawal",)})},
    )
    def get(self, request: Request, **path: Any) -> Any:
        """Read how far a withdrawal of yours has come.

        Whose requests they were is forgotten with the person; the page of a withdrawal opens all the same.
        """
        return super().get(request, **path)

    def found(self, request: HttpRequest, **path: Any) -> Any:
        viewer = current_judge(request)
        # Nobody's identifier is empty, so that whoever is nobody asks the database the same.
        owner = viewer.pk if viewer is not None else ""
        withdrawal = Withdrawal.objects.filter(pk=path["withdrawal_id"], judge=owner).first()
        if withdrawal is None:
            raise NoSuchWithdrawal("There is no such withdrawal, or it is not yours.")
        view = withdrawal_view(withdrawal)
        return _made(withdrawal) | {
            "about": view["about"],
            "corpus": view["corpus"],
            "licensees": view["licensees"],
            "called_off_at": view["called_off_at"],
            "removed": [{"kind": kind, "count": count} for kind, count in view["removed"]],
        }


def _made(withdrawal: Withdrawal) -> dict[str, Any]:
    return {
        "id": str(withdrawal.pk),
        "url": reverse("api_withdrawal", kwargs={"withdrawal_id": withdrawal.pk}),
        "page": reverse("withdrawal", kwargs={"withdrawal_id": withdrawal.pk}),
        "received_at": withdrawal.received_at.isoformat(),
    }
