"""New texts of a document: in all languages at once, by two persons.

Owns their numbers and what a material one does to consents given before: from
`renewal_from` on they allow nothing until they are given anew.

>>> publish_text(payload, by="staff:4", change=request.pk, now=now)  # doctest: +SKIP
2
"""

import difflib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import get_language_info, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.approvals import GOVERNANCE_CHAIN, Payload
from consent.errors import InvalidChange
from consent.models import ChangeRequest, PolicyVersion
from consent.texts import LOCALES, hash_text
from consent.types import DOCUMENTS
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.pages.codes import words_of
from memsys.kernel.text.clean import clean_text

MAX_TITLE = 200
MAX_TEXT = 20_000

_MEMBERS = {"document", "is_material", "renewal_from", "texts"}


def publish_text(
    payload: Payload, *, by: str, change: UUID | None, now: datetime
) -> int:
    """Put the next text of a document in force, in all languages; return its number.

    Raises:
        InvalidChange: the payload is none of `PolicyTextChange`.
    """
    check_payload(payload)
    document = payload["document"]
    rows = PolicyVersion.objects.filter(document=document)
    # One at a time: of two that are approved at once, one is the next number.
    locked = list(rows.select_for_update().order_by("pk"))
    number = max((row.number for row in locked), default=0) + 1
    if payload["is_material"]:
        start = max(read_moment(payload["renewal_from"]) or now, now)
        earlier = rows.filter(Q(renewal_from=None) | Q(renewal_from__gt=start))
        earlier.update(renewal_from=start)
    PolicyVersion.objects.bulk_create(
        [
            PolicyVersion(
                document=document,
                number=number,
                locale=locale,
                title=payload["texts"][locale]["title"],
                text=payload["texts"][locale]["text"],
                sha256=hash_text(payload["texts"][locale]["text"]),
                is_material=payload["is_material"],
                published_at=now,
                change_request=change,
            )
            for locale in LOCALES
        ]
    )
    _record(payload, number=number, by=by)
    return number


def _record(payload: Payload, *, number: int, by: str) -> None:
    record(
        Deed(
            chain=GOVERNANCE_CHAIN,
            action="policy_text.published",
            actor=by,
            object_ref=f"policy_text:{payload['document']}/{number}",
            field_names=("text", "title"),
            details={"is_material": payload["is_material"]},
        )
    )


class PolicyTextChange:
    """A new text as a change that takes two persons.

    The payload: `document`, `is_material`, `renewal_from` (null for at once, or what is
    not material), and `texts` with `title` and `text` in each language.
    """

    code = "policy_text"
    label = _("Text shown to users")

    def prepare(self, payload: Payload) -> dict[str, Any]:
        """Return the payload with its texts cleaned."""
        told = dict(payload)
        if isinstance(told.get("texts"), dict):
            told["texts"] = {
                locale: _clean(text) for locale, text in told["texts"].items()
            }
        return told

    def check(self, payload: Payload) -> None:
        """Refuse what is no new text of a document in all languages.

        Raises:
            InvalidChange: naming the member and what was expected.
        """
        check_payload(payload)

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return which text it is, what it does, each text, and what differs."""
        told: list[tuple[Any, Any]] = [
            (_("Document"), words_of("document", payload["document"])),
            (_("Earlier consents must be given anew"), payload["is_material"]),
            (pgettext_lazy("time", "From"), read_moment(payload["renewal_from"])),
        ]
        for locale in LOCALES:
            new = payload["texts"][locale]
            name = {"language": get_language_info(locale)["name_translated"]}
            told += [
                (_("Title, %(language)s") % name, new["title"]),
                (_("Text, %(language)s") % name, new["text"]),
                (
                    _("Difference, %(language)s") % name,
                    "\n".join(_differ(payload, locale)),
                ),
            ]
        return told

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Publish it; the second person is who did."""
        number = publish_text(
            payload, by=f"staff:{request.decided_by}", change=request.pk, now=now
        )
        return {"document": payload["document"], "number": number}


def check_payload(payload: Payload) -> None:
    """Refuse what is no new text.

    Raises:
        InvalidChange: naming the member and what was expected.
    """
    if set(payload) != _MEMBERS:
        raise InvalidChange("payload", "exactly " + ", ".join(sorted(_MEMBERS)))
    if payload["document"] not in DOCUMENTS:
        raise InvalidChange("document", "one of " + ", ".join(DOCUMENTS))
    if not isinstance(payload["is_material"], bool):
        raise InvalidChange("is_material", "true or false")
    if payload["renewal_from"] is not None and not payload["is_material"]:
        raise InvalidChange("renewal_from", "null for what is not material")
    read_moment(payload["renewal_from"])
    texts = payload["texts"]
    if not isinstance(texts, dict) or set(texts) != set(LOCALES):
        raise InvalidChange("texts", "a text in each of " + ", ".join(LOCALES))
    for text in texts.values():
        _check_text(text)


def _check_text(text: Any) -> None:
    if not isinstance(text, dict) or set(text) != {"title", "text"}:
        raise InvalidChange("texts", "title and text")
    for member, most in (("title", MAX_TITLE), ("text", MAX_TEXT)):
        value = text[member]
        is_text = isinstance(value, str) and value == clean_text(value)
        if not is_text or not 1 <= len(value) <= most:
            raise InvalidChange(member, f"a text of 1 to {most} characters")


def read_moment(text: Any) -> datetime | None:
    """Return the moment in a payload, or None.

    Raises:
        InvalidChange: it is no time with an offset.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InvalidChange("renewal_from", "a time with its offset") from exc
    raise InvalidChange("renewal_from", "a time with its offset")


def _clean(text: Any) -> Any:
    if not isinstance(text, dict):
        return text
    return {
        member: clean_text(value) if isinstance(value, str) else value
        for member, value in text.items()
    }


def _differ(payload: Payload, locale: str) -> Iterator[str]:
    rows = PolicyVersion.objects.filter(document=payload["document"], locale=locale)
    last = rows.order_by("-number").first()
    before = last.text.splitlines() if last is not None else []
    after = payload["texts"][locale]["text"].splitlines()
    yield from difflib.unified_diff(before, after, lineterm="", n=1)
