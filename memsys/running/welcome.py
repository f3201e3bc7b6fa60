"""Owns what a person reads when memsys is ready.

describe(base_url="http://127.0.0.1:8000", folder=Path(".memsys"))
"""

import json
from pathlib import Path


def describe(*, base_url: str, folder: Path) -> str:
    """Return the addresses, the sign-ins of the demo data, and how to stop."""
    lines = [
        "",
        "memsys is ready.",
        "",
        f"  API    {base_url}/api/v1/",
        f"  Desk   {base_url}/desk/",
        f"  Logs   {folder / 'logs'}",
    ]
    sign_ins = read_sign_ins(folder)
    if sign_ins:
        lines += ["", "Sign-ins of the demo data:"]
    for sign_in in sign_ins:
        lines += ["", *_describe_sign_in(sign_in, base_url)]
    if any("totp" in sign_in for sign_in in sign_ins):
        lines += [
            "",
            "  The desk asks for a second step: add the secret `totp` to an app that",
            "  makes codes by time, or ask `manage.py desk_code USER` for the code.",
        ]
    return "\n".join([*lines, "", "Ctrl-C stops everything; the data stays.", ""])


def read_sign_ins(folder: Path) -> list[dict[str, str]]:
    """Read what `load_demo` left for people to sign in with; empty if nothing."""
    try:
        content = json.loads((folder / "sign_ins.json").read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [
        {str(key): str(value) for key, value in entry.items() if value}
        for entry in content
        if isinstance(entry, dict)
    ]


def _describe_sign_in(sign_in: dict[str, str], base_url: str) -> list[str]:
    lines = [f"  {sign_in.get('what', 'Sign-in')}"]
    for key, value in sign_in.items():
        if key != "what":
            is_path = key == "address" and value.startswith("/")
            shown = base_url + value if is_path else value
            lines.append(f"    {key:<9}{shown}")
    return lines
