"""The second factor of staff: a code by time from a device, and codes for its loss.

Owns the devices and that a recovery code is shown once: the database keeps its digest
alone. Who must show a code, and when, is not decided here.

>>> verify(user, "123456")  # doctest: +SKIP
"""

import hashlib
import secrets
from typing import Any

import segno
from django.db import transaction
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django_otp import verify_token
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.pages.read_only import DESK_CHAIN

RECOVERY_CODES = 10
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def has_device(user: Any) -> bool:
    """Say whether a person has set up a device."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def prepare_device(user: Any) -> TOTPDevice:
    """Return the device that a person is setting up; it proves nothing yet."""
    device, _made = TOTPDevice.objects.get_or_create(
        user=user, confirmed=False, defaults={"name": "desk"}
    )
    return device


def secret_of(device: TOTPDevice) -> str:
    """Return the device's secret as people type it: base32 in groups of four."""
    text = _base32(device)
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def qr_image(device: TOTPDevice) -> SafeString:
    """Return the device's address as a picture of ours, an SVG in a data address."""
    image = segno.make(device.config_url, error="m").svg_data_uri(scale=5, border=2)
    return format_html('<img src="{}" alt="" width="220" height="220">', image)


def confirm_device(device: TOTPDevice, code: str) -> list[str] | None:
    """Take the device into use if the code is its own.

    Returns the recovery codes, which nobody can read again; None for a wrong code.
    """
    with transaction.atomic():
        locked = TOTPDevice.objects.select_for_update().get(pk=device.pk)
        if not locked.verify_token(_digits(code)):
            return None
        TOTPDevice.objects.filter(user=locked.user).exclude(pk=locked.pk).delete()
        locked.confirmed = True
        locked.save(update_fields=["confirmed"])
        _record(locked.user, "desk.device_set_up")
        return _make_codes(locked.user)


def renew_codes(user: Any) -> list[str]:
    """Replace the recovery codes of a person, and return the new ones."""
    with transaction.atomic():
        _record(user, "desk.codes_renewed")
        return _make_codes(user)


def forget_device(user: Any, *, by: str) -> None:
    """Take a person's device and codes away, so that they set up another one."""
    with transaction.atomic():
        TOTPDevice.objects.filter(user=user).delete()
        StaticDevice.objects.filter(user=user).delete()
        record(Deed(DESK_CHAIN, "desk.device_removed", by, f"staff:{user.pk}"))


def verify(user: Any, code: str) -> Any:
    """Return the device that a code proves, or None; wrong codes slow the next one."""
    text = _digits(code)
    if text.isdecimal() and len(text) == 6:
        for device in TOTPDevice.objects.filter(user=user, confirmed=True):
            if verify_token(user, device.persistent_id, text) is not None:
                return device
        return None
    spare = StaticDevice.objects.filter(user=user, confirmed=True).first()
    if spare is None:
        return None
    return verify_token(user, spare.persistent_id, _digest(code))


def count_codes(user: Any) -> int:
    """Return how many recovery codes a person has left."""
    return sum(one.token_set.count() for one in StaticDevice.objects.filter(user=user))


def _make_codes(user: Any) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    spare = StaticDevice.objects.create(user=user, name="desk", confirmed=True)
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    for code in codes:
        spare.token_set.create(token=_digest(code))
    return codes


def _new_code() -> str:
    letters = "".join(secrets.choice(LETTERS) for _ in range(12))
    return "-".join(letters[at : at + 4] for at in (0, 4, 8))


def _digest(code: str) -> str:
    plain = "".join(one for one in code.lower() if one in LETTERS)
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def _digits(code: str) -> str:
    return "".join(code.split())


def _base32(device: TOTPDevice) -> str:
    query = str(device.config_url).partition("secret=")[2]
    return query.partition("&")[0]


def _record(user: Any, action: str) -> None:
    record(Deed(DESK_CHAIN, action, f"staff:{user.pk}", f"staff:{user.pk}"))
