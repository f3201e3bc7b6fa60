"""Headless Chromium, and a desk and a portal that it walks through."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    # CI runs as root, which Chromium's sandbox refuses.
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser for the whole run; each test opens contexts of its own."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _give_up("needs playwright: pip install '.[browser]'")
    if CHROMIUM is None:
        _give_up("needs Chromium: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def _give_up(reason: str) -> None:
    """Skip for a person, fail in CI: there it could have been installed."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
