"""A model server of its own for each test that asks for one."""

from collections.abc import Iterator
from typing import Any

import pytest

from memsys.chaos.model_server import ModelServer


@pytest.fixture
def model(settings: Any) -> Iterator[ModelServer]:
    """A running model server, and settings that name it."""
    with ModelServer() as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_API_KEY = "key-of-the-tests"
        settings.LLM_MODEL = "tester"
        settings.LLM_TIMEOUT_SECONDS = 10
        yield server
