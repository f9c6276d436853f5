"""The forms of accounts. Names are folded first; what a password must be is said beside it."""

from typing import Any

from allauth.account import forms as library
from django import forms
from django.core.validators import MaxLengthValidator
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from arena_site.accounts.limits import SIGN_UPS, give_back, take_from_network, take_sign_in
from arena_site.accounts.models import Account, ProofRecord
from arena_site.accounts.names import NAME_MAX, NAME_MIN, clean_name, fold_name
from arena_site.accounts.proof import check_proof
from governance.errors import ArenaError

#: Longer ones come from no person and no password manager.
PASSWORD_MAX = 256
NAME_HELP = f"{NAME_MIN} to {NAME_MAX} letters and digits, with - . _ between them. Nobody else sees it."
RULES = (
    "At least 10 characters, not digits alone, not close to the name, and none of the passwords that everybody uses. "
    "A few words in a row do well."
)
TAKEN = "This name is taken. Please choose another one."
NO_PROOF = (
    "Your browser has not done the check that keeps machines from making accounts by the thousand. It needs scripts, "
    "on this page only. Without them you can still post tasks and judge practice battles, and sign in to an account "
    "you have."
)


def _plain(form: forms.Form, labels: dict[str, str], helps: dict[str, str]) -> None:
    """Our words; and no placeholders, which vanish when one needs them."""
    for name, field in form.fields.items():
        field.label = labels.get(name, field.label)
        field.help_text = helps.get(name, "")
        field.widget.attrs.pop("placeholder", None)
        if isinstance(field.widget, forms.PasswordInput):
            field.validators.append(MaxLengthValidator(PASSWORD_MAX))
            field.widget.attrs["maxlength"] = PASSWORD_MAX
        if name in {"login", "username"}:
            field.widget.attrs |= {"autocapitalize": "none", "spellcheck": "false"}


class SignInForm(library.LoginForm):  # type: ignore[misc]  # the library tells no types
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _plain(self, {"login": "Name", "password": "Password"}, {})

    def clean_login(self) -> str:
        return fold_name(self.cleaned_data["login"])


class SignUpForm(library.SignupForm):  # type: ignore[misc]  # the library tells no types
    """Whether a name is taken is said only to a browser that has done the sum, once for every time it asks."""

    proof = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _plain(
            self,
            {"username": "Name", "password1": "Password", "password2": "The password once more"},
            {"username": NAME_HELP, "password1": RULES},
        )

    def clean_username(self) -> str:
        try:
            return clean_name(self.cleaned_data["username"])
        except ArenaError as refusal:
            raise forms.ValidationError(refusal.message) from None

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()
        if self.errors:
            return cleaned
        try:
            outcome = check_proof(cleaned["proof"], purpose=ProofRecord.Purpose.SIGN_UP)
        except ArenaError as refusal:
            raise forms.ValidationError(refusal.message, code=refusal.code) from None
        if outcome != ProofRecord.State.VERIFIED:
            raise forms.ValidationError(NO_PROOF, code="proof_missing")
        if Account.objects.filter(username=cleaned["username"]).exists():
            self.add_error("username", TAKEN)
        return cleaned

    def save(self, request: HttpRequest) -> Account:
        """Store the account.

        Raises:
            IntegrityError: somebody took the name between the check and now.
            TooMany: the network made too many accounts today.
        """
        attempt = take_from_network(SIGN_UPS, request)
        try:
            with transaction.atomic():
                account: Account = super().save(request)
        except IntegrityError:
            give_back([attempt])
            raise
        return account


class PasswordAgainForm(library.ReauthenticateForm):  # type: ignore[misc]  # the library tells no types
    """Asked before the second factor is set up. A wrong password counts as a failed sign-in, by the adapter."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _plain(self, {"password": "Your password"}, {})


class PasswordForm(library.ChangePasswordForm):  # type: ignore[misc]  # the library tells no types
    """The wrong old password counts as a failed sign-in."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._request: HttpRequest = options.pop("request")
        super().__init__(*arguments, **options)
        _plain(
            self,
            {
                "oldpassword": "Your password until now",
                "password1": "The new password",
                "password2": "The new one once more",
            },
            {"password1": RULES},
        )

    def clean_oldpassword(self) -> str:
        attempts = take_sign_in(self._request, self.user.username)
        password: str = super().clean_oldpassword()
        give_back(attempts)
        return password
