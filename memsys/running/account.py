"""Owns which system account the bundled servers run as when we are root.

PostgreSQL refuses root, and a server that listens has no need of it. An
ordinary user's servers run as that user, and nothing here applies.

    account = find_account(owner_of=Path(".memsys/postgres"))
"""

import grp
import os
import pwd
import subprocess
import sys
from pathlib import Path

from memsys.running.processes import Account
from memsys.running.service import ServiceError

ACCOUNT_NAME = "memsys"
HOME = Path("/var/lib/memsys")


class NoServerAccount(ServiceError):
    """We are root, and no ordinary account can run the servers."""


def find_account(*, owner_of: Path) -> Account | None:
    """Return the account for the servers of a folder; None keeps our own.

    A folder that an ordinary user made stays that user's. Otherwise the system
    account `memsys` is used, and made when it is missing.

    Raises:
        NoServerAccount: the account cannot be made.
    """
    if os.geteuid() != 0:
        return None
    if sys.platform != "linux":
        raise NoServerAccount("run this as an ordinary user; PostgreSQL refuses root")
    if owner_of.exists() and (owner := owner_of.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    entry = _find_entry() or _make_entry()
    return Account(entry.pw_uid, entry.pw_gid)


def _find_entry() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(ACCOUNT_NAME)
    except KeyError:
        return None


def _make_entry() -> pwd.struct_passwd:
    has_group = any(group.gr_name == ACCOUNT_NAME for group in grp.getgrall())
    command = [
        "useradd", "--system", "--no-create-home", "--home-dir", str(HOME),
        "--shell", "/usr/sbin/nologin",
        *(["--gid", ACCOUNT_NAME] if has_group else ["--user-group"]),
        ACCOUNT_NAME,
    ]  # fmt: skip
    try:
        reply = subprocess.run(command, capture_output=True, text=True).stderr.strip()
    except FileNotFoundError:
        reply = "useradd is not installed"
    if (entry := _find_entry()) is None:
        raise NoServerAccount(
            f"PostgreSQL refuses root, and the system account {ACCOUNT_NAME!r} "
            f"cannot be made ({reply}); make it, or run this as an ordinary user"
        )
    return entry
