"""One attempt over the network, and how it ended.

Owns the limits: one try, no redirect, no proxy of the environment, a deadline for all
of it, and an answer of which nothing but the status is read. Imported with the first
attempt alone: web processes make none.

>>> send("https://chat.example/hooks", body=b"{}", headers={})  # doctest: +SKIP
Outcome(status_code=204, error_code='', retry_after_seconds=None)
"""

import asyncio
import logging
from collections.abc import Mapping

import httpx2
from django.conf import settings

from memsys.api.webhooks.addresses import AddressRefused, Place, find_place
from memsys.api.webhooks.outcomes import Outcome
from memsys.log_config import CLIENTS

MAX_RETRY_AFTER_SECONDS = 24 * 3600
MAX_NUMBERS = 3

for _client_name in CLIENTS:
    logging.getLogger(_client_name).setLevel(logging.WARNING)


def send(url: str, *, body: bytes, headers: Mapping[str, str]) -> Outcome:
    """Post a body and return how it ended; never raises for what the other side does.

    The deadline cannot end a look-up of the host's name, which the resolver bounds.
    """
    return asyncio.run(_send(url, body, headers))


async def _send(url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
    try:
        async with asyncio.timeout(settings.WEBHOOK_TIMEOUT_SECONDS):
            return await _post(await find_place(url), body, headers)
    except (TimeoutError, httpx2.TimeoutException):
        return Outcome(error_code="timeout")
    except AddressRefused as exc:
        return Outcome(error_code=exc.code)
    except httpx2.ConnectError:
        return Outcome(error_code="connect")
    except (httpx2.TransportError, OSError):
        return Outcome(error_code="connection-lost")


async def _post(place: Place, body: bytes, headers: Mapping[str, str]) -> Outcome:
    """Try the checked numbers in their order until one can be connected to."""
    async with httpx2.AsyncHTTPTransport(trust_env=False, retries=0) as transport:
        numbers = place.numbers[:MAX_NUMBERS]
        for number in numbers[:-1]:
            try:
                return await _ask(transport, place, number, body, headers)
            except httpx2.ConnectError:
                continue
        return await _ask(transport, place, numbers[-1], body, headers)


async def _ask(
    transport: httpx2.AsyncHTTPTransport,
    place: Place,
    number: str,
    body: bytes,
    headers: Mapping[str, str],
) -> Outcome:
    literal = f"[{number}]" if ":" in number else number
    seconds = float(settings.WEBHOOK_TIMEOUT_SECONDS)
    request = httpx2.Request(
        "POST",
        f"{place.scheme}://{literal}:{place.port}{place.target}",
        headers={
            **headers,
            "host": place.host_header,
            "content-type": "application/json",
            "user-agent": "memsys-webhooks/1",
        },
        content=body,
        # The certificate must be that of the name, though the number is called.
        extensions={
            "sni_hostname": place.host,
            "timeout": httpx2.Timeout(seconds).as_dict(),
        },
    )
    response = await transport.handle_async_request(request)
    await response.aclose()
    return _read(response.status_code, response.headers)


def _read(status: int, headers: Mapping[str, str]) -> Outcome:
    if 200 <= status < 300:
        return Outcome(status_code=status)
    code = "redirected" if status < 400 else "refused"
    return Outcome(
        status_code=status,
        error_code="server-error" if status >= 500 else code,
        retry_after_seconds=_seconds(headers.get("retry-after", "")),
    )


def _seconds(text: str) -> int | None:
    """Read how long to wait; the form with a date is passed over."""
    text = text.strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        return None
    return min(int(text), MAX_RETRY_AFTER_SECONDS)
