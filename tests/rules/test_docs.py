"""The README cannot rot: it names every setting, command and endpoint."""

import re
from pathlib import Path

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "memsys" / "settings.py").read_text(encoding="utf-8")
READS = r'(?:secret|bounded|database|env\.\w+)\(\s*"([A-Z_]+)"'


def list_settings() -> list[str]:
    quoted = re.findall(READS, SETTINGS)
    by_alias = re.findall(r'"(DATABASE_[A-Z]+_URL)"', SETTINGS)
    return sorted({*quoted, *by_alias})


def list_commands() -> list[str]:
    folder = ROOT / "memsys" / "management" / "commands"
    return sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")


def list_endpoints() -> list[str]:
    (api,) = (
        entry
        for entry in get_resolver().url_patterns
        if isinstance(entry, URLResolver) and str(entry.pattern) == "api/v1/"
    )
    return sorted(
        re.sub(r"<[^>]+>", "{id}", str(entry.pattern))
        for entry in api.url_patterns
        if isinstance(entry, URLPattern)
    )


@pytest.mark.parametrize("name", list_settings())
def test_it_names_each_setting(name: str) -> None:
    assert f"`{name}`" in README


@pytest.mark.parametrize("name", list_commands())
def test_it_names_each_command(name: str) -> None:
    assert f"manage.py {name}" in README


@pytest.mark.parametrize("path", list_endpoints())
def test_it_names_each_endpoint(path: str) -> None:
    assert f"/{path}`" in README
