"""The addresses of accounts; their names are those the sign-in library looks for."""

from django.urls import path

from arena_site.accounts import views

urlpatterns = [
    path("account", views.account, name="account"),
    path("account/sign-in", views.SignIn.as_view(), name="account_login"),
    path("account/sign-up", views.SignUp.as_view(), name="account_signup"),
    path("account/sign-out", views.SignOut.as_view(), name="account_logout"),
    path("account/password", views.Password.as_view(), name="account_change_password"),
    path("account/closed", views.inactive, name="account_inactive"),
    path("account/proof", views.proof, name="account_proof"),
]
