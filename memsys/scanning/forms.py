"""The forms in which a text may be stored: folded, escaped, in hex, in Base64.

>>> "e78cab" in forms_of("猫").texts
True
"""

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from memsys.kernel.text.clean import fold

WINDOW_BYTES = 1 << 20


@dataclass(frozen=True)
class Forms:
    """The forms as text, and as bytes; the longest has `overlap` bytes."""

    texts: tuple[str, ...]
    data: tuple[bytes, ...]

    @property
    def overlap(self) -> int:
        return max(map(len, self.data))

    def are_in(self, data: bytes) -> bool:
        """Say whether one of them is in some bytes."""
        return any(form in data for form in self.data)

    def are_in_any(self, windows: Iterable[bytes]) -> bool:
        """Say whether one of them is in a stream of bytes, over its borders too."""
        rest = b""
        for window in windows:
            seen = rest + window
            if self.are_in(seen):
                return True
            rest = seen[-self.overlap :]
        return False


def forms_of(text: str) -> Forms:
    """Return the forms of a text in which stores, queues and logs keep it."""
    plain = {text, fold(text)}
    escaped = {json.dumps(one)[1:-1] for one in plain}
    quoted = {json.dumps(one, ensure_ascii=False)[1:-1] for one in plain}
    doubled = {json.dumps(one)[1:-1] for one in escaped}
    words = plain | escaped | quoted | doubled | {quote(one) for one in plain}
    raw = [one.encode() for one in plain | escaped | quoted]
    coded = {code for data in raw for code in _base64(data)}
    hexed = {data.hex() for data in raw} | {data.hex().upper() for data in raw}
    texts = sorted(words | coded | hexed)
    wide = [one.encode("utf-16-le") for one in sorted(plain)]
    return Forms(tuple(texts), tuple([*(one.encode() for one in texts), *wide]))


def _base64(data: bytes) -> Iterator[str]:
    """Yield what is in the Base64 of anything that has these bytes in it."""
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + data).decode()
        # What depends on the bytes around is cut off at both ends.
        start = -(-before * 8 // 6)
        end = (before + len(data)) * 8 // 6
        if end - start >= 8:
            yield coded[start:end]
