"""Setting up the second factor, proving it, and the recovery codes."""

from __future__ import annotations

from typing import Any

from allauth.account import views as account_library
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import views as library
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena_site.accounts.forms import PasswordAgainForm
from arena_site.accounts.second_factor import has_second_factor
from governance.errors import NotFound
from governance.journal import record


class _Page:
    """What these pages have in common."""

    page_title = ""

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**options)  # type: ignore[misc]  # a mixin
        return context | {"page_title": self.page_title, "active": "account"}


class _FormPage(_Page):
    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]  # a mixin
        response.status_code = 422
        return response


@method_decorator(never_cache, name="dispatch")
@method_decorator(login_required, name="dispatch")
class SetUp(_FormPage, totp.ActivateTOTPView):  # type: ignore[misc]  # the library tells no types
    page_title = "Set up a second factor"
    template_name = "account/second_factor.html"

    def dispatch(self, request: HttpRequest, *arguments: Any, **options: Any) -> HttpResponseBase:
        if has_second_factor(request.user):  # type: ignore[arg-type]  # signed in, so an account
            return HttpResponseRedirect(reverse("mfa_view_recovery_codes"))
        response: HttpResponseBase = super().dispatch(request, *arguments, **options)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        # The code that was just right proves it for this session.
        record_authentication(self.request, self.request.user, "mfa", type="totp")
        account = str(self.request.user.pk)
        record(actor=f"account:{account}", action="accounts:second_factor:set_up", subject=account)
        return response

    def get_success_url(self) -> str:
        return reverse("mfa_view_recovery_codes")


@never_cache
@require_safe
@login_required
def picture(request: HttpRequest) -> HttpResponse:
    """The secret that is being set up, as a picture for the app's camera.

    Raises:
        NotFound: nothing is being set up in this session.
    """
    secret = request.session.get(SECRET_SESSION_KEY)
    if not secret:
        raise NotFound("Nothing is being set up.")
    adapter = get_adapter()
    return HttpResponse(adapter.build_totp_svg(adapter.build_totp_url(request.user, secret)), "image/svg+xml")


@method_decorator(never_cache, name="dispatch")
class Code(_Page, library.AuthenticateView):  # type: ignore[misc]  # the library tells no types
    page_title = "One more thing"
    template_name = "account/code.html"

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        response.status_code = 422
        return response


@method_decorator(never_cache, name="dispatch")
class CodeAgain(_FormPage, library.ReauthenticateView):  # type: ignore[misc]  # the library tells no types
    page_title = "Prove that it is you"
    template_name = "account/code.html"


@method_decorator(never_cache, name="dispatch")
class PasswordAgain(_FormPage, account_library.ReauthenticateView):  # type: ignore[misc]  # as above
    page_title = "Prove that it is you"
    template_name = "account/password_again.html"
    form_class = PasswordAgainForm


class RecoveryCodes(_Page, recovery.ViewRecoveryCodesView):  # type: ignore[misc]  # the library tells no types
    page_title = "Recovery codes"
    template_name = "account/recovery_codes.html"


@method_decorator(never_cache, name="dispatch")
class NewRecoveryCodes(_FormPage, recovery.GenerateRecoveryCodesView):  # type: ignore[misc]  # as above
    page_title = "New recovery codes"
    template_name = "account/recovery_codes_new.html"
