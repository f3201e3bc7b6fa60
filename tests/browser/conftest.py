"""Headless Chromium, and a desk and a portal that it walks through."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from tests.browser.chat_service import ChatService
from tests.browser.jobs import Jobs
from tests.journeys.conftest import WebServer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    # CI runs as root, which Chromium's sandbox refuses.
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
    "--disable-quic", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
FAILED = pytest.StashKey[bool]()


# Not of the whole session: while playwright runs, this thread has an event loop, and
# other tests start their own. It ends before the database is given back, since it has
# connections of its own.
@pytest.fixture(scope="module")
def chromium(own_database: None) -> Iterator[Any]:
    """A browser for the tests of a file; each opens contexts of its own."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _give_up("needs playwright: pip install '.[browser]'")
    if CHROMIUM is None:
        _give_up("needs Chromium: apt-get install chromium")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as driver:
        # Django refuses its database beside an event loop; playwright's is not ours.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def _give_up(reason: str) -> None:
    """Skip for a person, fail in CI: there it could have been installed."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def web(own_database: None, django_db_blocker: Any) -> Iterator[WebServer]:
    """A web server for the tests of a file, which see what each other commit."""
    server = WebServer()
    server.start()
    with django_db_blocker.unblock():
        yield server
        connections.close_all()
    server.kill()


@pytest.fixture(scope="module")
def office_of_file(chromium: Any, web: WebServer) -> Iterator[Any]:
    """The staff of the tests of a file."""
    from tests.browser.office import Office

    office = Office(chromium, web.url)
    yield office
    assert office.close() == []


@pytest.fixture
def office(
    office_of_file: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Any]:
    """The staff; when a test fails, what they saw last is kept."""
    yield office_of_file
    if request.node.stash.get(FAILED, False):
        paths = "\n".join(map(str, office_of_file.photograph(tmp_path)))
        request.node.add_report_section("teardown", "pictures", paths)


@pytest.fixture(scope="module")
def chat(web: WebServer) -> Iterator[ChatService]:
    """The chat platform."""
    service = ChatService(web.url)
    yield service
    service.close()


@pytest.fixture
def jobs(web: WebServer) -> Jobs:
    """The worker, with nothing to do yet."""
    jobs = Jobs()
    jobs.forget()
    return jobs


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    """Let fixtures know whether their test failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
