"""Loads the named SQL files of the apps.

>>> load_sql("kernel", "login_faults").startswith("-- ")
True
"""

from functools import cache
from pathlib import Path

from django.apps import apps


@cache
def load_sql(app_label: str, name: str) -> str:
    """Return the text of `<app>/sql/<name>.sql`."""
    folder = Path(apps.get_app_config(app_label).path) / "sql"
    return (folder / f"{name}.sql").read_text(encoding="utf-8")
