"""What a user can consent to, one by one: fields, sensitive categories, and the rest.

Owns the list of scopes. The sensitive categories are another app's data, found through
the setting `PERSONAL_DATA_MODULES` (`list_sensitive_categories`).

>>> list_scopes()["release:region"].document  # doctest: +SKIP
'release'
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module

from django.conf import settings

from consent.models import ProfileField
from consent.types import GUARDIAN, MODEL_TRAINING, RELEASE, SENSITIVE, DataClass

MAX_SCOPE = 80


@dataclass(frozen=True)
class KnownScope:
    """One thing to consent to; `label` is of the field or category, in English.

    `data_class` is that of a field, and empty otherwise.
    """

    code: str
    document: str
    label: str = ""
    label_zh: str = ""
    data_class: str = ""


def list_scopes() -> dict[str, KnownScope]:
    """Return what can be consented to now, by its code. One query.

    What is sensitive in a profile is never released, so nobody is asked for it.
    """
    known = [*_fields(), *_categories()]
    known += [KnownScope(one, one) for one in (MODEL_TRAINING, GUARDIAN)]
    return {one.code: one for one in known}


def _fields() -> Iterator[KnownScope]:
    rows = ProfileField.objects.exclude(data_class=DataClass.SENSITIVE)
    for row in rows.order_by("key"):
        yield KnownScope(
            f"{RELEASE}:{row.key}", RELEASE, row.label, row.label_zh, row.data_class
        )


def _categories() -> Iterator[KnownScope]:
    for path in settings.PERSONAL_DATA_MODULES:
        find: Callable[[], Mapping[str, str]] | None = getattr(
            import_module(path), "list_sensitive_categories", None
        )
        for code, label in find().items() if find is not None else ():
            yield KnownScope(f"{SENSITIVE}:{code}", SENSITIVE, label)
