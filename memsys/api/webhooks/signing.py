"""Secrets of endpoints, and the signatures that they make.

Owns the derivation: the table keeps random bytes, and the secret is made of them and
the SECRET_KEY, so that a copy of the table alone signs nothing. The form is that of
Standard Webhooks: HMAC-SHA256 of id, time and body.

>>> sign(b"key", message_id="a", at=1, body=b"{}")
'v1,U6Vr5Yul+JcyRaXTIqeFEyPpkUUSUYAMzBS8iUVSkkY='
"""

import base64
import hmac
import os
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings

from memsys.api.webhooks.models import WebhookEndpoint

SEED_BYTES = 32
PREFIX = "whsec_"
# So long the secret before the last one signs too.
OVERLAP = timedelta(hours=24)
_USE = b"memsys.api.webhooks.secret"


def new_seed() -> bytes:
    return os.urandom(SEED_BYTES)


def show_secret(seed: bytes) -> str:
    """Return the secret of a seed as it is given to the service that listens."""
    return PREFIX + base64.b64encode(_secret(seed)).decode()


def live_secrets(endpoint: WebhookEndpoint, *, now: datetime) -> list[bytes]:
    """Return the secrets that sign now: the last one, and for a day the one before."""
    secrets = [_secret(bytes(endpoint.seed))]
    until = endpoint.previous_until
    if endpoint.previous_seed is not None and until is not None and now < until:
        secrets.append(_secret(bytes(endpoint.previous_seed)))
    return secrets


def sign(secret: bytes, *, message_id: str, at: int, body: bytes) -> str:
    """Return one signature; `at` is in whole seconds since 1970."""
    signed = f"{message_id}.{at}.".encode() + body
    digest = hmac.digest(secret, signed, "sha256")
    return "v1," + base64.b64encode(digest).decode()


def headers_of(
    secrets: Iterable[bytes], *, message_id: str, at: datetime, body: bytes
) -> dict[str, str]:
    """Return the headers that prove where a body comes from, and when."""
    seconds = int(at.timestamp())
    signatures = [
        sign(one, message_id=message_id, at=seconds, body=body) for one in secrets
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signatures),
    }


def _secret(seed: bytes) -> bytes:
    key = hmac.digest(settings.SECRET_KEY.encode(), _USE, "sha256")
    return hmac.digest(key, seed, "sha256")
