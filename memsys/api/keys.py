"""Service keys: making and revoking them, each recorded in the audit chain.

The key itself exists only in the answer to its making; the table holds its hash.

>>> make_key(form, by="command", now=now)  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from memsys.api.errors import InvalidExpiry, KeyNotFound
from memsys.api.models import LONGEST_LIFE, ServiceKey
from memsys.api.scopes import check_scopes
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.text.clean import check_identifier

KEY_CHAIN = "keys"
MAX_NAME_LENGTH = 50


@dataclass(frozen=True)
class KeyForm:
    """What a key is to be; without creators it is for all of them."""

    name: str
    scopes: tuple[str, ...]
    expires_at: datetime
    creators: tuple[str, ...] = ()


@dataclass(frozen=True)
class NewKey:
    """A key that was made; `secret` is what the caller sends, shown only now."""

    prefix: str
    secret: str
    expires_at: datetime


def make_key(form: KeyForm, *, by: str, now: datetime) -> NewKey:
    """Make a key and record who made it.

    Raises:
        UnknownScope, ForbiddenScopes: see `check_scopes`.
        InvalidExpiry: it would never expire in time, or has expired already.
        InvalidIdentifier: the name or a creator's id is no identifier.
    """
    check_identifier(form.name, field="name", max_length=MAX_NAME_LENGTH)
    for creator in form.creators:
        check_identifier(creator, field="creators")
    check_scopes(form.scopes)
    if not timedelta(0) < form.expires_at - now <= LONGEST_LIFE:
        raise InvalidExpiry("A key must expire within 180 days.")
    with transaction.atomic():
        row, secret = ServiceKey.objects.create_key(
            name=form.name,
            scopes=sorted(set(form.scopes)),
            creators=sorted(set(form.creators)),
            expiry_date=form.expires_at,
        )
        record(
            Deed(
                chain=KEY_CHAIN,
                action="service_key.made",
                actor=by,
                object_ref=f"service_key:{row.prefix}",
                field_names=("scopes", "creators", "expiry_date"),
            )
        )
    return NewKey(prefix=row.prefix, secret=secret, expires_at=form.expires_at)


def revoke_key(prefix: str, *, by: str) -> None:
    """End a key for good; every process refuses it within seconds.

    Raises:
        KeyNotFound: no live key has this prefix.
    """
    with transaction.atomic():
        live = ServiceKey.objects.get_usable_keys().filter(prefix=prefix)
        if not live.update(revoked=True):
            raise KeyNotFound("No live key has this prefix.")
        record(
            Deed(
                chain=KEY_CHAIN,
                action="service_key.revoked",
                actor=by,
                object_ref=f"service_key:{prefix}",
                field_names=("revoked",),
            )
        )
