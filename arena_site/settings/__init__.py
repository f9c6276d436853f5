"""Django settings, read from the environment (``arena_site.environment`` has the table of ``ARENA_*`` variables)."""

import os
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from celery.schedules import crontab
from csp.constants import NONE, SELF

from arena_site.environment import read_environment, secret_key
from arena_site.log_lines import log_settings
from arena_site.services.embedded import database_settings, plain_redis_url, redis_url
from arena_site.services.folders import make_folder
from arena_site.settings.rest import REST_FRAMEWORK as REST_FRAMEWORK
from arena_site.settings.rest import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS

BASE_DIR = Path(__file__).resolve().parent.parent.parent

_arena = read_environment(os.environ)

ARENA_DATA_DIR: Path = _arena["ARENA_DATA_DIR"]
ARENA_LEGAL_NAME: str = _arena["ARENA_LEGAL_NAME"]
ARENA_WITHDRAWAL_ADDRESS: str = _arena["ARENA_WITHDRAWAL_ADDRESS"]
ARENA_LEDGER_ORIGIN: str = _arena["ARENA_LEDGER_ORIGIN"]
ARENA_LEDGER_KEY: bytes | None = _arena["ARENA_LEDGER_KEY"]
ARENA_PUBLISH_SAMPLE_SIZES: bool = _arena["ARENA_PUBLISH_SAMPLE_SIZES"]
ARENA_SPEND_PER_BATTLE: Decimal | None = _arena["ARENA_SPEND_PER_BATTLE"]
ARENA_SPEND_PER_DAY: Decimal | None = _arena["ARENA_SPEND_PER_DAY"]
ARENA_SPEND_PER_PROVIDER_DAY: Decimal | None = _arena["ARENA_SPEND_PER_PROVIDER_DAY"]
ARENA_CHROMIUM = _arena["ARENA_CHROMIUM"]
ARENA_CHROMIUM_USER: str = _arena["ARENA_CHROMIUM_USER"]
ARENA_EGRESS_ALLOW: dict[tuple[str, int], tuple[str, int]] = _arena["ARENA_EGRESS_ALLOW"]
ARENA_TRUSTED_PROXIES: int = _arena["ARENA_TRUSTED_PROXIES"]
ARENA_METRICS_TOKEN: str = _arena["ARENA_METRICS_TOKEN"]

SECRET_KEY: str = secret_key(_arena)
SECRET_KEY_FALLBACKS: list[str] = list(_arena["ARENA_SECRET_KEY_FALLBACKS"])
if ARENA_METRICS_TOKEN:
    # Read by the library when it is loaded: the processes of a host count in files of one folder.
    make_folder(ARENA_DATA_DIR)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(make_folder(ARENA_DATA_DIR / "counters"))
DEBUG: bool = _arena["ARENA_DEBUG"]
ALLOWED_HOSTS: list[str] = list(_arena["ARENA_ALLOWED_HOSTS"])

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.messages",
    "arena_site.apps.OperatorsConfig",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "governance",
    "battles",
    "judging",
    "ratings",
    "metrics",
    "arena_site",
    "arena_site.accounts",
]

MIDDLEWARE = [
    "arena_site.middleware.ServerNameMiddleware",
    "arena_site.log_lines.RequestContextMiddleware",
    "arena_site.monitoring.counters.CountingMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "arena_site.accounts.middleware.SecureCookiesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "arena_site.middleware.NamedHostMiddleware",
    "arena_site.measured_bodies.MeasuredBodyMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "judging.middleware.JudgeMiddleware",
    "arena_site.accounts.middleware.SignedInMiddleware",
    "arena_site.accounts.middleware.SecondFactorMiddleware",
    "arena_site.middleware.ArenaErrorMiddleware",
    "arena_site.rest.limits.RateLimitMiddleware",
]

ROOT_URLCONF = "arena_site.urls"
WSGI_APPLICATION = "arena_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "arena_site.context.site",
            ],
        },
    },
]

DATABASES = {"default": database_settings(_arena)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

#: The same Redis for what is counted there.
REDIS_URL: str = plain_redis_url(_arena)
CELERY_BROKER_URL: str = redis_url(_arena)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Longer than the longest race with its start and stop; the battle's own lease finds lost workers much sooner.
    "visibility_timeout": int(timedelta(minutes=15).total_seconds()),
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    # Without these a publish to a broker that is down would hang the request that rang the doorbell.
    "socket_connect_timeout": 2,
    "socket_timeout": 10,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1, "interval_max": 0.2}
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Of the lanes' workers; those of the other queue are told another number.
CELERY_WORKER_CONCURRENCY: int = _arena["ARENA_LANE_SLOTS"]
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "arena_site.clock:SharedSchedule"
CELERY_BEAT_MAX_LOOP_INTERVAL = 2
CELERY_BEAT_SCHEDULE = {
    "hand back lost battles": {"task": "battles.reap", "schedule": timedelta(seconds=5)},
    "keep practice battles in stock": {"task": "battles.keep_practice_stocked", "schedule": timedelta(seconds=30)},
    "sweep images that no frame names": {"task": "battles.sweep_frames", "schedule": timedelta(minutes=15)},
    "read pictures that wait for export": {"task": "battles.read_pictures", "schedule": crontab(minute="*/20")},
    "keep frames no longer than stated": {"task": "battles.retain_frames", "schedule": crontab(hour=2, minute=11)},
    "keep logs no longer than stated": {"task": "arena.retain_logs", "schedule": crontab(hour=2, minute=13)},
    "make votes final": {"task": "judging.lock_overdue_votes", "schedule": timedelta(seconds=30)},
    "put improbable votes aside": {"task": "judging.watch_votes", "schedule": crontab(minute=23)},
    "say which decisions are overdue": {"task": "judging.watch_deadlines", "schedule": crontab(minute=7)},
    "move the ticker by second looks": {"task": "ratings.move_waiting_tickers", "schedule": crontab(minute=41)},
    "replace snapshots that withdrawals touched": {
        "task": "governance.replace_touched_snapshots",
        "schedule": crontab(minute=31),
    },
    "sign the ledger": {"task": "governance.sign_ledger", "schedule": timedelta(minutes=10)},
    "act on withdrawals that are due": {"task": "governance.sweep_withdrawals", "schedule": crontab(minute=11)},
    "read how blind judging is": {"task": "judging.read_stylometry", "schedule": crontab(hour=2, minute=47)},
    "ask whose votes are improbable": {"task": "ratings.flag_judges", "schedule": crontab(hour=3, minute=2)},
    "refit every night": {"task": "ratings.refit", "schedule": crontab(hour=3, minute=17)},
    "publish the measures every night": {"task": "metrics.publish", "schedule": crontab(hour=3, minute=47)},
    "watch the roster every night": {"task": "battles.watch_the_roster", "schedule": crontab(hour=4, minute=3)},
    "sweep what accounts need no more": {"task": "accounts.sweep", "schedule": crontab(hour=4, minute=41)},
}

_FRAMES_ON_DISK = {
    "BACKEND": "battles.lanes.frame_files.WholeFileStorage",
    "OPTIONS": {"location": ARENA_DATA_DIR / "frames", "base_url": None},
}
_FRAMES_IN_OBJECTS = {"BACKEND": "governance.object_storage.ObjectStore", "OPTIONS": _arena["ARENA_FRAMES_URL"]}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "frames": _FRAMES_IN_OBJECTS if _arena["ARENA_FRAMES_URL"] else _FRAMES_ON_DISK,
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
if _arena["ARENA_SNAPSHOTS_URL"]:
    # Without it they lie beside their drafts in the data folder.
    STORAGES["snapshots"] = {
        "BACKEND": "governance.dataset.stores.SnapshotObjects",
        "OPTIONS": _arena["ARENA_SNAPSHOTS_URL"],
    }
STATIC_URL = "/static/"
STATIC_ROOT = ARENA_DATA_DIR / "static"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["arena_site.formats"]
USE_I18N = True
USE_TZ = True

# An account is a name and a password: no address, and so no mail. Limits are ours, counted in rows.
AUTH_USER_MODEL = "accounts.Account"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["username"]},
    },
    {"NAME": "arena_site.accounts.passwords.NotTheNameAgain"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "judge_me"
ACCOUNT_ADAPTER = "arena_site.accounts.adapter.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_RATE_LIMITS = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_EMAIL_FIELD = None

# Operators sign in with a code besides: from an app, or one of ten for when the app is lost.
MFA_ADAPTER = "arena_site.accounts.second_factor.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "arena_site.accounts.second_factor_forms.CodeForm",
    "reauthenticate": "arena_site.accounts.second_factor_forms.CodeAgainForm",
    "activate_totp": "arena_site.accounts.second_factor_forms.SetUpForm",
}
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
#: Clocks of phones are some seconds off.
MFA_TOTP_TOLERANCE = 1
# What an act of an operator led to is said on their next page, and to nobody else.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

SESSION_ENGINE = "arena_site.accounts.models"
SESSION_COOKIE_NAME = "ringside_session"
#: A month: people who judge now and then stay signed in.
SESSION_COOKIE_AGE = int(timedelta(days=30).total_seconds())
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
# Only a proxy that is said to be there is believed about how the visitor came.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ARENA_TRUSTED_PROXIES else None
SECURE_SSL_REDIRECT: bool = _arena["ARENA_HTTPS"]
# What watches over a host asks it, and not the proxy in front of it: without HTTPS, and by whatever address it has.
SECURE_REDIRECT_EXEMPT = ["^live$", "^ready$", "^metrics$"]
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if SECURE_SSL_REDIRECT else 0
SESSION_COOKIE_SECURE = SECURE_SSL_REDIRECT
CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT
# What else is served under names below ours, and whether those are in browsers' own lists, is not ours to promise.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# Django's own, set here so that they are ours to keep.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000

# Notices go out while the dataset's other work waits: a mail server that hangs holds it no longer than this.
EMAIL_TIMEOUT = 20

CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

LOGGING = log_settings(form=_arena["ARENA_LOG_FORMAT"], level=_arena["ARENA_LOG_LEVEL"])
