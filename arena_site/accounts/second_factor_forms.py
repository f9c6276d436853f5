"""The forms in which a code is typed. Codes are counted like passwords, and none is good twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from allauth.mfa.base import forms as library
from allauth.mfa.totp import forms as totp
from django import forms
from django.utils import timezone

from arena_site.accounts.limits import SECOND_FACTORS, Limit, give_back, take
from arena_site.accounts.networks import keyed_hash
from governance.errors import TooMany

#: The app shows a code for half a minute; it is remembered for longer than any server takes it.
CODE_ONCE = Limit("second factor code", 1, timedelta(minutes=3), "This code was used.")
CODE_HELP = "Six digits from your authenticator app, or one of your recovery codes."


class _CodeForm(forms.Form):
    """What the forms with a code have in common."""

    help_text = CODE_HELP

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        field = self.fields["code"]
        field.label, field.help_text = "Code", self.help_text
        field.widget.attrs.pop("placeholder", None)
        field.widget.attrs |= {"autocomplete": "one-time-code", "inputmode": "numeric", "maxlength": 20}

    def clean_code(self) -> str:
        with counted(self.user):  # type: ignore[attr-defined]  # the library's forms have it
            code: str = super().clean_code()  # type: ignore[misc]  # of the library's form beside this one
            _use_up(self.user, code)  # type: ignore[attr-defined]  # as above
        return code


@contextmanager
def counted(account: Any) -> Iterator[None]:
    """Count an attempt before the code is looked at; a good one does not count.

    Raises:
        TooMany: too many for this account.
    """
    attempts = [take(SECOND_FACTORS, _keys(account, "attempt"))]
    yield
    give_back(attempts)


def _use_up(account: Any, code: str) -> None:
    try:
        take(CODE_ONCE, _keys(account, code))
    except TooMany:
        raise forms.ValidationError("This code was used already. Please wait for the next one.") from None


def _keys(account: Any, about: str) -> list[str]:
    """Today's and yesterday's, for windows that reach back over midnight; six digits are tried in no time without."""
    today = timezone.now().date()
    return [keyed_hash(f"second factor {account.pk} {about}", day) for day in (today, today - timedelta(days=1))]


class CodeForm(_CodeForm, library.AuthenticateForm):  # type: ignore[misc]  # the library tells no types
    """At sign-in, after the password."""


class CodeAgainForm(_CodeForm, library.ReauthenticateForm):  # type: ignore[misc]  # the library tells no types
    """In a session that must prove it once more."""


class SetUpForm(_CodeForm, totp.ActivateTOTPForm):  # type: ignore[misc]  # the library tells no types
    """The first code from the app shows that it was set up right."""

    help_text = "The six digits that your app shows now."
