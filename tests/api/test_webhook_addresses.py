"""Where events may be sent: by name first, then by number, and nowhere else."""

import asyncio
import ipaddress
import socket
import threading
from typing import Any

import pytest

from memsys.api.webhooks.addresses import (
    AddressRefused,
    check_url,
    find_place,
    may_call,
)
from memsys.api.webhooks.sending import send
from tests.factories.api import Bot
from tests.factories.webhooks import listening

HEADERS = {"webhook-id": "a"}


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.WEBHOOK_ALLOWED_HOSTS = ["chat.example"]
    settings.WEBHOOK_INTERNAL_HOSTS = ["127.0.0.1", "localhost", "hooks.corp", "::1"]
    settings.WEBHOOK_TIMEOUT_SECONDS = 2


REFUSED = {
    "https://evil.example/": "host-not-allowed",
    "https://chat.example.evil.example/": "host-not-allowed",
    "https://sub.chat.example/": "host-not-allowed",
    "https://169.254.169.254/latest/meta-data": "host-not-allowed",
    "https://2130706433/": "host-not-allowed",
    "https://0x7f000001/": "host-not-allowed",
    "http://chat.example/": "not-https",
    "http://hooks.corp/": "not-https",
    "https://chat.example@evil.example/": "not-a-url",
    "https://user:pass@chat.example/": "not-a-url",
    "https://chat.example/#part": "not-a-url",
    "https://chat.example:0/": "not-a-url",
    "https://chat.example:99999/": "not-a-url",
    "ftp://chat.example/": "not-a-url",
    "file:///etc/passwd": "not-a-url",
    "https://chat.example/\r\nx: y": "not-a-url",
    "https://chat.example/ x": "not-a-url",
    "https://例子.example/": "not-a-url",
    "https://[::1": "not-a-url",
    "https://chat.example/" + "a" * 500: "not-a-url",
    "": "not-a-url",
}


@pytest.mark.parametrize("url", REFUSED)
def test_it_refuses_an_address(url: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        check_url(url)

    assert refused.value.code == REFUSED[url]


@pytest.mark.parametrize(
    "url",
    [
        "https://chat.example/hooks?a=1",
        "https://CHAT.example:8443/",
        "https://hooks.corp/",
        "http://127.0.0.1:8080/",
        "http://localhost/",
        "http://[::1]:8080/",
    ],
)
def test_it_takes_an_address(url: str) -> None:
    check_url(url)


def test_the_api_says_what_it_expects_and_repeats_nothing(db: None, bot: Bot) -> None:
    answer = bot.post(
        "/webhooks", {"url": "https://evil.example/", "events": ["hold.set"]}
    )

    assert answer.status_code == 400
    (fault,) = answer.json()["errors"]
    assert (fault["field"], fault["code"]) == ("url", "host-not-allowed")
    assert "evil" not in answer.text


NUMBERS = {
    "8.8.8.8": (True, True),
    "2606:4700::1": (True, True),
    "10.0.0.8": (False, True),
    "192.168.1.1": (False, True),
    "100.64.0.1": (False, True),
    "127.0.0.1": (False, True),
    "::1": (False, True),
    "fd00::1": (False, True),
    "::ffff:10.0.0.8": (False, True),
    "64:ff9b::a00:8": (False, True),
    "2002:a00:8::1": (False, True),
    "::10.0.0.8": (False, True),
    "::127.0.0.1": (False, True),
    "::ffff:0:10.0.0.8": (False, True),
    "fec0::1": (False, True),
    "192.88.99.1": (False, True),
    "240.0.0.1": (False, True),
    "169.254.169.254": (False, False),
    "::ffff:169.254.169.254": (False, False),
    "64:ff9b::a9fe:a9fe": (False, False),
    "fd00:ec2::254": (False, False),
    "::169.254.169.254": (False, False),
    "100.100.100.200": (False, False),
    "192.0.0.192": (False, False),
    "fe80::1": (False, False),
    "224.0.0.1": (False, False),
    "ff02::1": (False, False),
    "0.0.0.0": (False, False),
    "::": (False, False),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_it_calls_no_number_inside_unless_the_host_may_lie_there(number: str) -> None:
    parsed = ipaddress.ip_address(number)

    may = tuple(may_call(parsed, is_inside_allowed=one) for one in (False, True))

    assert may == NUMBERS[number]


class Names:
    """Stands for the resolver; knows names, and counts how often each is asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **numbers: list[str]) -> None:
        self.numbers = {k.replace("_", "."): v for k, v in numbers.items()}
        self.asked: list[str] = []
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)

    def _look_up(self, host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        self.asked.append(name)
        if name not in self.numbers:
            return self._real(host, port, *args, **kwargs)
        return [
            (
                socket.AF_INET6 if ":" in one else socket.AF_INET,
                socket.SOCK_STREAM, 6, "", (one, port),
            )
            for one in self.numbers[name]
        ]  # fmt: skip


@pytest.mark.parametrize(
    "numbers",
    [["10.0.0.8"], ["169.254.169.254"], ["8.8.8.8", "127.0.0.1"], ["::ffff:10.0.0.1"]],
)
def test_a_name_that_leads_inside_is_not_called(
    numbers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Names(monkeypatch, chat_example=numbers)

    outcome = send("https://chat.example/", body=b"{}", headers=HEADERS)

    assert (outcome.error_code, outcome.is_taken) == ("number-not-allowed", False)


def test_a_name_is_looked_up_once_and_its_number_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = Names(monkeypatch, localhost=["127.0.0.1"])
    with listening() as service:
        outcome = send(
            service.url(host="localhost"), body="{月}".encode(), headers=HEADERS
        )

    (heard,) = service.heard
    assert outcome.is_taken
    assert names.asked.count("localhost") == 1
    assert heard.headers["host"] == f"localhost:{service.port}"
    assert heard.body.decode() == "{月}"


def test_the_next_number_is_called_when_nobody_answers_at_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Names(monkeypatch, localhost=["127.0.0.9", "127.0.0.1"])
    with listening() as service:
        outcome = send(service.url(host="localhost"), body=b"{}", headers=HEADERS)

    assert outcome.is_taken
    assert len(service.heard) == 1


def test_the_certificate_must_be_that_of_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Names(monkeypatch, hooks_corp=["127.0.0.1"])
    hello: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_take_hello, args=(server, hello))
        thread.start()
        port = server.getsockname()[1]
        outcome = send(f"https://hooks.corp:{port}/", body=b"{}", headers=HEADERS)
        thread.join()

    assert outcome.error_code == "connect"
    assert b"hooks.corp" in hello[0]


def _take_hello(server: socket.socket, hello: list[bytes]) -> None:
    taken, _ = server.accept()
    with taken:
        hello.append(taken.recv(4096))


def test_a_name_that_nobody_knows_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Names(monkeypatch, chat_example=[])

    outcome = send("https://chat.example/", body=b"{}", headers=HEADERS)

    assert outcome.error_code == "host-unknown"


def test_no_proxy_of_the_environment_hears_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with listening() as service:
        outcome = send(service.url(), body=b"{}", headers=HEADERS)

    assert outcome.is_taken


def test_a_host_that_is_no_longer_allowed_is_not_called(settings: Any) -> None:
    with listening() as service:
        settings.WEBHOOK_INTERNAL_HOSTS = []

        outcome = send(service.url(), body=b"{}", headers=HEADERS)

    assert outcome.error_code == "host-not-allowed"
    assert service.heard == []


def test_it_keeps_path_and_question() -> None:
    place = asyncio.run(find_place("http://127.0.0.1:81/hooks?a=1&b=%20"))

    assert place.target == "/hooks?a=1&b=%20"
    assert (place.port, place.host_header) == (81, "127.0.0.1:81")
