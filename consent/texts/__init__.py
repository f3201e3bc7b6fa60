"""The exact texts that people are shown: the first ones, and which are in force.

Owns the files from which the first version of each document is made, in every language,
after each migration; one that is there stays as it is. Later versions are published by
two persons, see `consents`.

>>> hash_text("同意")[:8]
'905819e2'
"""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Q
from django.utils import timezone

from consent.models import PolicyVersion
from consent.types import DOCUMENTS

LOCALES = ("zh-hans", "en")
FIRST = 1

_FOLDER = Path(__file__).parent


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def list_current(*, now: datetime) -> list[PolicyVersion]:
    """Return the newest text of each document in each language. One query."""
    rows = PolicyVersion.objects.filter(published_at__lte=now)
    newest = rows.order_by("document", "locale", "-number").distinct(
        "document", "locale"
    )
    return list(newest)


def in_force(*, now: datetime) -> Q:
    """Return the condition of a text that still carries a consent."""
    return Q(renewal_from=None) | Q(renewal_from__gt=now)


def is_in_force(version: PolicyVersion, *, now: datetime) -> bool:
    """Say whether a text carries a consent: no material one took its place."""
    return version.renewal_from is None or now < version.renewal_from


def read_file(document: str, locale: str) -> tuple[str, str]:
    """Return the title and the text of a document's first version."""
    path = _FOLDER / f"{document}.{locale}.md"
    title, _, text = path.read_text(encoding="utf-8").partition("\n")
    return title.removeprefix("# ").strip(), text.strip()


def seed_texts(using: str, **kwargs: Any) -> None:
    """Make the first versions that are not there yet; after each migration."""
    now = timezone.now()
    PolicyVersion.objects.using(using).bulk_create(
        [_first(document, locale, now) for document in DOCUMENTS for locale in LOCALES],
        ignore_conflicts=True,
    )


def _first(document: str, locale: str, now: datetime) -> PolicyVersion:
    title, text = read_file(document, locale)
    return PolicyVersion(
        document=document,
        number=FIRST,
        locale=locale,
        title=title,
        text=text,
        sha256=hash_text(text),
        is_material=True,
        published_at=now,
    )
