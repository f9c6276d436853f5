"""Signing up, in and out, and what an account is."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account import views as library
from django import forms
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena_site.accounts.adapter import ACCOUNT_PATH, is_own_path
from arena_site.accounts.devices import signed_in_account
from arena_site.accounts.forms import TAKEN, PasswordForm, SignInForm, SignUpForm
from arena_site.accounts.models import Account, ProofRecord
from arena_site.accounts.proof import challenge_for
from arena_site.drafts import draft_names
from governance.errors import NotFound
from judging.identity import current_judge


def came_from(request: HttpRequest) -> str:
    """The page of this site on which the visitor chose to sign in, or nothing."""
    parts = urlsplit(request.headers.get("Referer", ""))
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    if parts.netloc != request.get_host() or path.startswith(ACCOUNT_PATH) or not is_own_path(path):
        return ""
    return path


class _Entrance:
    """What the pages for signing in and up have in common."""

    request: HttpRequest
    page_title = ""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**options)  # type: ignore[misc]  # a mixin
        asked = self.request.POST.get("next") or self.request.GET.get("next") or came_from(self.request)
        return context | {
            "page_title": self.page_title,
            "active": "account",
            "next": asked if is_own_path(asked) else "",
            "drafts_kept": bool(draft_names(self.request)),
        }

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]  # a mixin
        response.status_code = 422
        return response


class SignIn(_Entrance, library.LoginView):  # type: ignore[misc]  # the library tells no types
    form_class = SignInForm
    page_title = "Sign in"


class SignUp(_Entrance, library.SignupView):  # type: ignore[misc]  # the library tells no types
    form_class = SignUpForm
    page_title = "Make an account"

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        try:
            response: HttpResponse = super().form_valid(form)
        except IntegrityError:
            form.add_error("username", TAKEN)
            return self.form_invalid(form)
        judge = current_judge(self.request)
        if judge is not None:
            ProofRecord.objects.create(
                judge=judge, purpose=ProofRecord.Purpose.SIGN_UP, state=ProofRecord.State.VERIFIED
            )
        return response


class SignOut(library.LogoutView):  # type: ignore[misc]  # the library tells no types
    def get_context_data(self, **options: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**options)
        return context | {"page_title": "Sign out", "active": "account"}


@method_decorator(never_cache, name="dispatch")
class Password(library.PasswordChangeView):  # type: ignore[misc]  # the library tells no types
    form_class = PasswordForm

    def dispatch(self, request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponse:
        if isinstance(request.user, Account) and not request.user.has_usable_password():
            # The library would lead to a page where a session alone sets one.
            raise NotFound("This account has no password. An operator sets one in the terminal.")
        response: HttpResponse = super().dispatch(request, *arguments, **options)
        return response

    def get_form_kwargs(self) -> dict[str, Any]:
        options: dict[str, Any] = super().get_form_kwargs()
        return options | {"request": self.request}

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**options)
        return context | {"page_title": "Change the password", "active": "account"}

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        response.status_code = 422
        return response


@never_cache
@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """What this account is, and what can be done with it."""
    return render(
        request,
        "account/account.html",
        {
            "page_title": "Account",
            "active": "account",
            "account": signed_in_account(request),
            "notice": "The password is changed. Other browsers are signed out."
            if request.GET.get("changed") == "password"
            else "",
        },
    )


@never_cache
@require_safe
def inactive(request: HttpRequest) -> HttpResponse:
    """For accounts that an operator closed."""
    return render(request, "account/account_inactive.html", {"page_title": "Closed", "active": "account"})


@never_cache
@require_safe
def proof(request: HttpRequest) -> JsonResponse:
    """A challenge for the browser to solve."""
    purpose = request.GET.get("for", "")
    if purpose not in ProofRecord.Purpose.values:
        raise NotFound("There is no check for that.")
    return JsonResponse(challenge_for(purpose))
