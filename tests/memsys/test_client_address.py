"""Whose word is taken on where a caller is."""

import logging
from typing import Any

import pytest
from django.test import RequestFactory

from memsys.client_address import client_address


@pytest.mark.parametrize(
    ("hops", "forwarded", "address"),
    [
        (0, "198.51.100.1", "192.0.2.9"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        (2, "6.6.6.6, 198.51.100.1, 192.0.2.1", "198.51.100.1"),
        (2, "198.51.100.1", "192.0.2.9"),
        (1, "not an address", "192.0.2.9"),
        (1, "", "192.0.2.9"),
    ],
)
def test_it_believes_trusted_proxies_only(
    hops: int, forwarded: str, address: str, settings: Any
):
    """Acceptance row C38."""
    settings.TRUSTED_PROXY_HOPS = hops
    request = RequestFactory().get(
        "/", REMOTE_ADDR="192.0.2.9", headers={"x-forwarded-for": forwarded}
    )

    assert client_address(request) == address


def test_it_raises_an_alarm_at_a_wrong_count(
    settings: Any, caplog: pytest.LogCaptureFixture
):
    """Acceptance row C38."""
    settings.TRUSTED_PROXY_HOPS = 3
    request = RequestFactory().get("/", headers={"x-forwarded-for": "198.51.100.1"})

    client_address(request)

    assert [(one.message, one.levelno) for one in caplog.records] == [
        ("proxy.hops_wrong", logging.ERROR)
    ]
