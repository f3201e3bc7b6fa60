"""The demo's people at the desk: one of each role, and the account for emergencies.

Each has a password and a device of the second step, both made by chance; `up` prints
them, and `manage.py desk_code` says what the device shows now.

>>> make_colleagues()  # doctest: +SKIP
[SignIn(what='Desk, compliance officer', ...), ...]
"""

import secrets
from base64 import b32decode, b32encode
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import transaction
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

# User name and role; without one it is the account for emergencies.
COLLEAGUES = (
    ("officer", "compliance_officer"),
    ("legal", "legal_reviewer"),
    ("auditor", "auditor"),
    ("support", "support"),
    ("lead", "operator_lead"),
    ("keeper", ""),
)


@dataclass(frozen=True)
class SignIn:
    """Where and as whom a person or a service can come in.

    `totp` is the secret of the device of the second step, in base32.
    """

    what: str
    address: str
    user: str
    secret: str
    totp: str = ""


def make_colleagues() -> list[SignIn]:
    """Make the accounts, or give them new passwords and devices."""
    return [_make(name, role) for name, role in COLLEAGUES]


def code_now(totp: str, *, at: float) -> str:
    """Return the code that a device with this secret shows at a time."""
    clock = TOTP(b32decode(totp))
    clock.time = at
    return f"{clock.token():06d}"


@transaction.atomic
def _make(name: str, role: str) -> SignIn:
    password = secrets.token_urlsafe(12)
    key = secrets.token_bytes(20)
    user: Any = get_user_model().objects.get_or_create(username=name)[0]
    user.is_staff, user.is_superuser = True, not role
    user.set_password(password)
    user.save()
    user.groups.set(Group.objects.filter(name=role))
    TOTPDevice.objects.filter(user=user).delete()
    TOTPDevice.objects.create(user=user, name="desk", key=key.hex(), confirmed=True)
    what = f"Desk, {role.replace('_', ' ') or 'emergencies and accounts'}"
    return SignIn(what, "/desk/", name, password, b32encode(key).decode())
