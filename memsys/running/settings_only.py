"""Reads the settings where no server is needed.

For commands that use what settings say and never ask a database. Names of servers that
are given stay; in place of those that are not stand names that lead nowhere.

    load_settings()
    settings.LLM_MODEL
"""

import os

from memsys.runfile import is_given

_NOWHERE = {
    "SECRET_KEY": "of-a-command-that-serves-nobody",
    "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
    "VALKEY_URL": "redis://127.0.0.1:1/0",
}


def load_settings() -> None:
    """Set Django up; it changes the environment of this process for good.

    Raises:
        ImproperlyConfigured: a setting is not acceptable.
    """
    for name, value in _NOWHERE.items():
        if not is_given(name):
            os.environ[name] = value
    import django

    django.setup()
