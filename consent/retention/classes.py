"""The classes of data and how long each is kept: by default, by setting, by two persons.

Owns the reading of `classes.toml` and the check of the setting `RETENTION_DAYS`: a time
below the floor or above the ceiling stops the start. Times that two persons made shorter
count while they are less than the setting.

>>> get_class("minor_memory").ceiling
30
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import get_language

from consent.errors import UnknownDataClass
from consent.models import RetentionOverride

TABLE = Path(__file__).with_name("classes.toml")
NIGHTLY = "retention"


@dataclass(frozen=True)
class KeptClass:
    """One class of data; `days` None when each row has its own time.

    `job` is what deletes it: the nightly job of retention, another one, or none.
    """

    code: str
    label: str
    label_zh: str
    why: str
    why_zh: str
    days: int | None = None
    floor: int = 0
    ceiling: int | None = None
    job: str = NIGHTLY

    @property
    def is_settable(self) -> bool:
        """Say whether the setting and two persons can make it another time."""
        return self.job == NIGHTLY and self.days is not None

    @property
    def title(self) -> str:
        """Return the label in the language of who reads it."""
        return self.label_zh if _reads_chinese() else self.label

    @property
    def reason(self) -> str:
        """Return why, in the language of who reads it."""
        return self.why_zh if _reads_chinese() else self.why


@dataclass(frozen=True)
class Standing:
    """A class with the time in force, and where that comes from."""

    kept: KeptClass
    days: int | None
    setting: int | None = None
    override: RetentionOverride | None = None


@cache
def list_classes() -> tuple[KeptClass, ...]:
    """Return all classes, in the order of the table."""
    told = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(KeptClass(**one) for one in told["class"])


def get_class(code: str) -> KeptClass:
    """Return a class.

    Raises:
        UnknownDataClass: there is none with this code.
    """
    for one in list_classes():
        if one.code == code:
            return one
    raise UnknownDataClass("There is no such class of data.")


def list_standings() -> list[Standing]:
    """Return each class with the time in force. One query."""
    configured = read_setting(settings.RETENTION_DAYS)
    shortened = {row.data_class: row for row in RetentionOverride.objects.all()}
    return [
        Standing(
            kept=one,
            days=_in_force(one, configured, shortened),
            setting=configured.get(one.code),
            override=shortened.get(one.code),
        )
        for one in list_classes()
    ]


def read_days() -> dict[str, int]:
    """Return the days in force of each class that the nightly job deletes. One query."""
    return {
        one.kept.code: one.days
        for one in list_standings()
        if one.kept.is_settable and one.days is not None
    }


def _in_force(
    one: KeptClass,
    configured: Mapping[str, int],
    shortened: Mapping[str, RetentionOverride],
) -> int | None:
    if one.days is None or not one.is_settable:
        return one.days
    days = configured.get(one.code, one.days)
    override = shortened.get(one.code)
    # One that a later table does not allow any more counts only as far as it does.
    return days if override is None else max(one.floor, min(days, override.days))


def read_setting(given: Mapping[str, str]) -> dict[str, int]:
    """Return the setting `RETENTION_DAYS` as numbers of days.

    Raises:
        ImproperlyConfigured: a class is not there or not settable, or its time is no
            number, below its floor or above its ceiling.
    """
    return {code: _read_one(code, text) for code, text in given.items()}


def _read_one(code: str, text: str) -> int:
    try:
        one = get_class(code)
    except UnknownDataClass as exc:
        raise ImproperlyConfigured(
            f"RETENTION_DAYS names {code!r}, which is no class of data."
        ) from exc
    if not one.is_settable:
        raise ImproperlyConfigured(f"RETENTION_DAYS cannot set {code}.")
    if not str(text).strip().isdecimal():
        raise ImproperlyConfigured(f"RETENTION_DAYS of {code} must be whole days.")
    days = int(text)
    if days < one.floor:
        raise ImproperlyConfigured(
            f"RETENTION_DAYS of {code} must be at least {one.floor}: {one.why}"
        )
    if one.ceiling is not None and days > one.ceiling:
        raise ImproperlyConfigured(
            f"RETENTION_DAYS of {code} must be at most {one.ceiling}: {one.why}"
        )
    return days


def _reads_chinese() -> bool:
    return (get_language() or "").startswith("zh")
