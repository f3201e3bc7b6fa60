"""What a person reads when memsys is ready."""

import json
from pathlib import Path

import pytest

from memsys.running.welcome import describe, read_sign_ins


def test_it_names_the_addresses_and_how_to_stop(tmp_path: Path) -> None:
    text = describe(base_url="http://127.0.0.1:8001", folder=tmp_path)

    assert "http://127.0.0.1:8001/api/v1/" in text
    assert "http://127.0.0.1:8001/desk/" in text
    assert "Ctrl-C" in text
    assert "Sign-ins" not in text


def test_it_shows_how_to_sign_in_to_the_demo_data(tmp_path: Path) -> None:
    sign_ins = [
        {"what": "Desk", "address": "/desk/", "user": "officer", "password": "p w"},
        {"what": "Chat service", "key": "memsys_1.abc"},
    ]
    (tmp_path / "sign_ins.json").write_text(json.dumps(sign_ins))

    text = describe(base_url="http://127.0.0.1:8001", folder=tmp_path)

    assert "address  http://127.0.0.1:8001/desk/" in text
    assert "password p w" in text
    assert "key      memsys_1.abc" in text


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"what": "x"}'])
def test_it_shows_no_sign_ins_from_a_broken_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "sign_ins.json").write_text(content)

    assert read_sign_ins(tmp_path) == []
