"""What was typed before signing in is there afterwards; what somebody else typed is not."""

import pytest
from django.http import HttpRequest, QueryDict
from django.test import Client, RequestFactory
from django.utils import timezone

from arena_site.accounts.limits import DRAFTS, UNKNOWN_FACTOR
from arena_site.accounts.models import Attempt, SessionStore, SignInSession
from arena_site.drafts import DRAFT_MAX, DRAFTS_MAX, draft_names, keep_draft, sign_in_first, take_draft
from tests.arena_site.accounts.people import make_account, sign_in, sign_out, sign_up

pytestmark = pytest.mark.django_db

TYPED = {
    "instruction": "Find the ferry to the island on Sundays.",
    "start_url": "https://ferry.example/",
    "kind": "answer",
}


def keep_a_task(client):
    return client.post("/battles/new", TYPED | {"stage": "sign-in"})


def posting(fields, **headers) -> HttpRequest:
    request = RequestFactory().post("/somewhere", fields, **headers)
    request.session = SessionStore()
    request.user = type("Nobody", (), {"is_authenticated": False})()
    request.POST = fields if isinstance(fields, QueryDict) else request.POST
    return request


def shown(client):
    return client.get("/battles/new").context["form"]["instruction"].value()


def test_reading_makes_no_session(visitor):
    for path in ("/", "/battles/new", "/account/sign-in", "/account/sign-up", "/withdraw"):
        visitor.get(path)
    assert "ringside_session" not in visitor.cookies
    assert not SignInSession.objects.exists()


def test_a_task_typed_before_signing_in_is_there_afterwards(visitor):
    make_account()
    answer = keep_a_task(visitor)
    assert answer.url == "/account/sign-in?next=%2Fbattles%2Fnew"
    assert "What you typed is kept" in visitor.get(answer.url).content.decode()
    assert sign_in(visitor, next="/battles/new").url == "/battles/new"
    page = visitor.get("/battles/new")
    assert {name: page.context["form"][name].value() for name in TYPED} == TYPED
    assert shown(visitor) is None


def test_a_task_typed_before_making_an_account_is_there_afterwards(visitor):
    keep_a_task(visitor)
    sign_up(visitor, next="/battles/new")
    assert shown(visitor) == TYPED["instruction"]
    session = SignInSession.objects.get()
    assert (session.expire_date - timezone.now()).days >= 29


def test_it_survives_a_session_that_has_ended_and_a_wrong_password(visitor):
    sign_up(visitor)
    SignInSession.objects.all().delete()
    keep_a_task(visitor)
    sign_in(visitor, password="wrong, quite")
    sign_in(visitor)
    assert shown(visitor) == TYPED["instruction"]


def test_it_is_gone_after_signing_out_and_never_somebody_elses(visitor):
    sign_up(visitor)
    keep_a_task(visitor)
    assert shown(Client()) is None
    sign_out(visitor)
    assert shown(visitor) is None


def test_values_given_several_times_come_back_and_secrets_are_not_kept():
    request = posting(QueryDict("reasons=a&reasons=b&choice=tie&csrfmiddlewaretoken=x&proof=y&note=%C3%BC"))
    assert keep_draft(request, name="vote:1")
    typed = take_draft(request, "vote:1")
    assert typed.getlist("reasons") == ["a", "b"]
    assert (typed["note"], set(typed)) == ("ü", {"reasons", "choice", "note"})
    assert take_draft(request, "vote:1") is None


def test_only_the_newest_few_are_kept_and_nothing_huge():
    request = posting({"note": "n"})
    for number in range(DRAFTS_MAX + 2):
        keep_draft(request, name=f"vote:{number}")
    assert draft_names(request) == [f"vote:{number}" for number in range(2, DRAFTS_MAX + 2)]
    request.POST = QueryDict(f"note={'x' * (DRAFT_MAX + 1)}")
    assert not keep_draft(request, name="vote:huge")


def test_a_flood_of_drafts_is_not_kept_but_still_leads_to_signing_in():
    assert keep_draft(posting({"note": "n"}), name="vote:1")
    kept = Attempt.objects.get()
    Attempt.objects.bulk_create(Attempt(kind=kept.kind, key=kept.key) for _ in range(DRAFTS.most * UNKNOWN_FACTOR - 1))
    request = posting({"note": "n"})
    assert sign_in_first(request, name="vote:1", back_to="/judge").status_code == 302
    assert draft_names(request) == []


def test_htmx_is_led_there_too():
    answer = sign_in_first(posting({}, HTTP_HX_REQUEST="true"), name="vote:1", back_to="/battles/1")
    assert answer.headers["HX-Redirect"] == "/account/sign-in?next=%2Fbattles%2F1"
