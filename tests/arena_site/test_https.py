"""A site that says it is behind HTTPS is reached by nothing else, and one at home by plain HTTP."""

import os
import subprocess
import sys

import pytest

from arena_site.environment import CHECKOUT, ArenaConfigurationError, read_environment

pytestmark = pytest.mark.django_db

#: What docs/operating.md tells operators to set.
IN_PRODUCTION = {"ARENA_HTTPS": "true", "ARENA_TRUSTED_PROXIES": "1", "ARENA_ALLOWED_HOSTS": "arena.example"}


def run(tmp_path, *arguments, **environment):
    known = {name: text for name, text in os.environ.items() if not name.startswith("ARENA_")}
    known |= {"ARENA_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "arena_site.settings"}
    done = subprocess.run(
        [sys.executable, *arguments], env=known | environment, cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_the_production_that_is_documented_passes_every_check(tmp_path):
    asked = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    code, problems = run(tmp_path, *asked, **IN_PRODUCTION)
    assert code == 0, problems
    assert run(tmp_path, *asked)[0] == 1


def test_what_comes_without_it_is_led_there_and_browsers_remember(client, settings):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    plain = client.get("/admin/?next=1")
    assert (plain.status_code, plain.url) == (301, "https://testserver/admin/?next=1")
    by_proxy = client.get("/admin/", headers={"x-forwarded-proto": "https"})
    assert by_proxy.url.startswith("/account/sign-in")
    assert by_proxy["Strict-Transport-Security"] == "max-age=31536000"


def test_at_home_nobody_is_led_anywhere(settings):
    assert not settings.SECURE_SSL_REDIRECT
    assert not settings.SESSION_COOKIE_SECURE
    assert not settings.CSRF_COOKIE_SECURE
    assert settings.SECURE_HSTS_SECONDS == 0


def test_it_is_refused_where_no_proxy_is_believed():
    # Every visitor would be led to where they are already, without end.
    with pytest.raises(ArenaConfigurationError, match="needs ARENA_TRUSTED_PROXIES"):
        read_environment({"ARENA_HTTPS": "true"})
    assert read_environment(IN_PRODUCTION)["ARENA_HTTPS"] is True
