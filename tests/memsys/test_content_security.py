"""Each answer says what a browser may do with it: run our own files, nothing else."""

import pytest
from django.test import Client

from memsys.content_security import HEADER

LETTING = ("unsafe-inline", "unsafe-eval", "http:", "https:", "*")


def read_policy(text: str) -> dict[str, list[str]]:
    """Return the directives of a policy with what each allows."""
    parts = (one.split() for one in text.split(";"))
    return {part[0]: part[1:] for part in parts}


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/desk/login/", "/desk/", "/no-such-page"])
def test_it_lets_a_page_run_files_of_ours_alone(client: Client, address: str):
    """Acceptance row C20."""
    policy = read_policy(client.get(address, follow=True).headers[HEADER])

    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert not any(one in LETTING for allowed in policy.values() for one in allowed)


@pytest.mark.django_db
def test_it_lets_an_answer_of_the_api_do_nothing(client: Client):
    """Acceptance row C20."""
    answer = client.post("/api/v1/context", {}, content_type="application/json")

    policy = read_policy(answer.headers[HEADER])
    assert policy == {"default-src": ["'none'"], "frame-ancestors": ["'none'"]}
