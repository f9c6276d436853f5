"""The addresses of accounts; their names are those the sign-in library looks for."""

from django.urls import path

from arena_site.accounts import second_factor_views as second
from arena_site.accounts import token_views, views

urlpatterns = [
    path("account", views.account, name="account"),
    path("account/sign-in", views.SignIn.as_view(), name="account_login"),
    path("account/sign-up", views.SignUp.as_view(), name="account_signup"),
    path("account/sign-out", views.SignOut.as_view(), name="account_logout"),
    path("account/password", views.Password.as_view(), name="account_change_password"),
    path("account/closed", views.inactive, name="account_inactive"),
    path("account/confirm", second.PasswordAgain.as_view(), name="account_reauthenticate"),
    path("account/second-factor", second.SetUp.as_view(), name="mfa_activate_totp"),
    path("account/second-factor/picture", second.picture, name="second_factor_picture"),
    path("account/second-factor/code", second.Code.as_view(), name="mfa_authenticate"),
    path("account/second-factor/again", second.CodeAgain.as_view(), name="mfa_reauthenticate"),
    path("account/recovery-codes", second.RecoveryCodes.as_view(), name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new", second.NewRecoveryCodes.as_view(), name="mfa_generate_recovery_codes"),
    path("account/proof", views.proof, name="account_proof"),
    path("judge/me/tokens", token_views.tokens, name="api_tokens"),
    path("judge/me/tokens/revoke", token_views.revoke, name="revoke_api_token"),
]
