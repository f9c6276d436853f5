"""A person's API tokens: making one, which is shown once, and ending one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from arena_site.accounts.devices import signed_in_account
from arena_site.accounts.forms import PASSWORD_MAX
from arena_site.accounts.limits import give_back, take_sign_in
from arena_site.accounts.models import Account, ApiToken
from arena_site.accounts.tokens import (
    DAYS,
    DEFAULT_DAYS,
    LABEL_MAX,
    READ,
    SCOPES,
    listed_tokens,
    make_token,
    revoke_token,
)
from governance.errors import ArenaError
from governance.models import Judge
from judging.identity import ensure_judge

#: What a person chooses; reading comes with every token.
CHOSEN = [(scope, words) for scope, words in SCOPES.items() if scope != READ]


class TokenForm(forms.Form):
    """What the token is for and may do. The password is asked again: a token outlives the session it is made in."""

    label = forms.CharField(
        label="What is it for?",
        help_text="The script or the machine that will use it. Only you see this.",
        max_length=LABEL_MAX,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="What may it do besides reading what is yours?",
        required=False,
        choices=CHOSEN,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label="How long does it last?",
        coerce=int,
        initial=DEFAULT_DAYS,
        choices=[(days, f"{days} days" if days != 365 else "A year") for days in DAYS],
    )
    password = forms.CharField(
        label="Your password",
        help_text="Asked again, since whoever has a token acts as you.",
        max_length=PASSWORD_MAX,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *arguments: Any, request: HttpRequest, account: Account, **options: Any) -> None:
        self._request, self._account = request, account
        super().__init__(*arguments, **options)

    def clean_password(self) -> str:
        """Counted like a sign-in before it is looked at."""
        password: str = self.cleaned_data["password"]
        attempts = take_sign_in(self._request, self._account.username)
        if not self._account.check_password(password):
            raise forms.ValidationError("This is not your password.", code="wrong_password")
        give_back(attempts)
        return password


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """The list and the form; on POST the new token, in this one answer and nowhere else."""
    account, _ = _owner(request)
    if request.method != "POST":
        return _page(request, account, TokenForm(request=request, account=account))
    return _make(request)


def _make(request: HttpRequest) -> HttpResponse:
    account, judge = _owner(request)
    form = TokenForm(request.POST, request=request, account=account)
    try:
        if not form.is_valid():
            return _page(request, account, form, status=422)
        asked = form.cleaned_data
        made, text = make_token(
            account=account, judge=judge, label=asked["label"], scopes=asked["scopes"], days=asked["days"]
        )
    except ArenaError as refusal:
        problem = {"title": "The token was not made", "message": refusal.message, "code": refusal.code}
        response = _page(request, account, form, status=refusal.status, problem=problem)
        retry_after = getattr(refusal, "retry_after", None)
        if retry_after is not None:
            response["Retry-After"] = str(retry_after)
        return response
    return _page(request, account, TokenForm(request=request, account=account), status=201, made=made, text=text)


@never_cache
@require_POST
@login_required
def revoke(request: HttpRequest) -> HttpResponse:
    """End one of one's tokens."""
    account, judge = _owner(request)
    revoke_token(account=account, judge=judge, public_id=request.POST.get("token", ""))
    return redirect("api_tokens")


def _owner(request: HttpRequest) -> tuple[Account, Judge]:
    account = signed_in_account(request)
    assert account is not None, "the decorator let nobody else in"
    return account, ensure_judge(request)


def _page(
    request: HttpRequest, account: Account, form: TokenForm, *, status: int = 200, **context: Any
) -> HttpResponse:
    now = timezone.now()
    listed = [(token, _state(token, now)) for token in listed_tokens(account)]
    shown = {"page_title": "API tokens", "active": "me", "form": form, "tokens": listed, **context}
    return render(request, "account/tokens.html", shown, status=status)


def _state(token: ApiToken, now: Any) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "ended" if token.expires_at <= now else "living"
