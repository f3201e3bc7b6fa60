"""Which links a person may follow: one that would be refused is not shown.

Owns the way from an address of the desk to the right that its page asks for.

>>> may_follow(request.user, "/desk/kernel/auditentry/1/change/")  # doctest: +SKIP
False
"""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin
from django.urls import resolve

from memsys.desk.pages import PAGES
from memsys.desk.roles import may


def may_follow(user: Any, url: str) -> bool:
    """Say whether a person may open a page of the desk."""
    name = str(resolve(urlsplit(url).path).url_name)
    for one in PAGES:
        if one.name == name:
            return one.permission is None or may(user, one.permission)
    return bool(user.has_perm(_right_of(name)))


def _right_of(name: str) -> str:
    """Return the right that a page of a model asks for."""
    place = name.rpartition("_")[0]
    for model in admin.site._registry:
        app, label = model._meta.app_label, model._meta.model_name
        if place == f"{app}_{label}":
            return f"{app}.view_{label}"
    return ""
