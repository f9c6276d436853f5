"""Programs that take part: a client with a token, and people whose programs they are."""

import itertools
import json
from http import HTTPStatus

from django.test import Client

from arena_site.accounts.devices import account_key
from arena_site.accounts.models import Account
from arena_site.accounts.tokens import SCOPES, make_token
from battles.models import Battle
from governance.models import Judge
from judging.accounts import bind_device
from judging.votes import Ballot, cast_vote
from tests.arena_site.rest.conforming import misfits, path_in_schema
from tests.battles.factories import make_judge, make_votable
from tests.judging.handing import hand_to, offer

_names = itertools.count(1)


class Script:
    """A program with a token and without cookies."""

    def __init__(self, text: str = "") -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"Authorization": f"Bearer {text}"} if text else {}

    def get(self, path: str, **headers: str):
        return as_promised(self.client.get(path, headers=self.headers | headers), path, "get")

    def post(self, path: str, body: object = None, *, key: str = "", **headers: str):
        sent = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        named = {"Idempotency-Key": key} if key else {}
        answer = self.client.post(path, sent, content_type="application/json", headers=self.headers | named | headers)
        return as_promised(answer, path, "post")


def as_promised(answer, path: str, method: str):
    """The answer, which is as the schema says of its address."""
    if path_in_schema(path) is not None and answer.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
        amiss = misfits(answer, path, method)
        assert not amiss, amiss
    return answer


def make_owner(*, consented: bool = True, practised: int = 0) -> tuple[Account, Judge]:
    """Somebody with an account, and the judge they are."""
    judge = make_judge(consented=consented)
    account = Account.objects.create_user(f"owner-{next(_names)}", "violet barge pendulum")
    bind_device(device=judge, account=account_key(account), actor="system:test")
    for _ in range(practised):
        cast_vote(battle=make_votable(kind=Battle.Kind.PRACTICE), judge=judge, ballot=Ballot(choice="tie"))
    return account, judge


def token_of(owner: tuple[Account, Judge], *scopes: str, days: int = 90) -> str:
    """The text of a new token; one with every scope unless some are named."""
    account, judge = owner
    return make_token(account=account, judge=judge, label="script", scopes=scopes or list(SCOPES), days=days)[1]


def script_of(owner: tuple[Account, Judge], *scopes: str) -> Script:
    return Script(token_of(owner, *scopes))


def seated_owner(battle: Battle, **fields) -> tuple[Account, Judge]:
    """An owner who was handed this battle from the pool."""
    owner = make_owner(**fields)
    hand_to(offer(battle), owner[1])
    return owner


def problem(answer) -> tuple[int, str]:
    """Status and code of a refusal, which must be one in the one form."""
    assert answer.headers["Content-Type"] == "application/problem+json", answer.content[:300]
    body = answer.json()
    assert {"type", "title", "status", "code", "detail"} <= body.keys()
    assert body["status"] == answer.status_code
    return answer.status_code, body["code"]
