"""A pack as bytes: what the cache keeps.

Owns the format. Does not own the cache, nor when a pack is too old. Nothing in it is
executable, and decoding copies no array.

A header of 64 bytes, then a JSON table of contents, then the arrays. In the header,
big-endian: 0 magic (4), 4 format (4), 8 relationship id (16), 24 pack version (8),
32 length of everything (8), 40 length of the contents (4), 44 CRC-32 of all that
follows the header (4), the rest zero. So a script in the cache can compare versions
by the 8 bytes at `VERSION_OFFSET`: as an unsigned number or byte by byte, for string
comparison there may follow a locale. A header alone is a floor: it holds a version
and no memories.

>>> floor = encode_floor(relationship=UUID(int=1), version=7)
>>> read_version(floor), is_floor(floor)
(7, True)
"""

import json
import math
import struct
import zlib
from typing import Any
from uuid import UUID

import numpy as np

from recall.errors import PackCorrupt
from recall.pack import CATEGORIES, TIMES, Pack
from recall.pack_columns import Array

MAGIC = b"MPAK"
FORMAT = 3
RELATIONSHIP_OFFSET = 8  # 16 bytes
VERSION_OFFSET = 24  # 8 bytes, unsigned, big-endian
VERSION_SIZE = 8
HEADER_SIZE = 64

_HEADER = struct.Struct(">4sI16sQQII16x")
_ALIGNMENT = 16
_PER_ROW = (*TIMES, *CATEGORIES, "importance", "stability_days", "polarity", "session",
            "lengths", "tie_order", "has_vector", "vectors")  # fmt: skip
_COLUMNS = {
    "ids": "|u1",
    **dict.fromkeys(TIMES, "<i8"),
    "importance": "<f8",
    "stability_days": "<f8",
    "polarity": "|i1",
    **dict.fromkeys(CATEGORIES, "<u2"),
    "session": "<i4",
    "sessions": "|u1",
    "evidence": "|u1",
    "evidence_ends": "<u4",
    "strings": "|u1",
    "string_ends": "<u4",
    "vocabulary": "<u8",
    "terms": "<u4",
    "counts": "<u2",
    "term_ends": "<u4",
    "lengths": "<u4",
    "tie_order": "<u4",
    "has_vector": "|b1",
    "vectors": "<f2",
}


def encode(pack: Pack) -> bytes:
    """Return a pack as bytes; equal packs give equal bytes."""
    arrays: list[Array] = [
        np.ascontiguousarray(getattr(pack, name), dtype)
        for name, dtype in _COLUMNS.items()
    ]
    contents = {
        "model": pack.embedding_model,
        "since": pack.since,
        "names": pack.names,
        "shapes": [array.shape for array in arrays],
    }
    head = json.dumps(contents, separators=(",", ":")).encode()
    body = b"".join(
        part
        for chunk in (head, *(array.tobytes() for array in arrays))
        for part in (chunk, bytes(_padding(len(chunk))))
    )
    return _header(pack.relationship, pack.version, len(head), body) + body


def decode(data: bytes, *, relationship: UUID) -> Pack:
    """Return the pack in `data`, its arrays being views into `data`.

    Raises:
        PackCorrupt: not a pack, damaged or cut, a mere floor, or of another
            relationship.
    """
    version, head_size = _check_header(data, relationship)
    try:
        contents = json.loads(data[HEADER_SIZE : HEADER_SIZE + head_size])
        columns = _read_columns(data, head_size, contents["shapes"])
        pack = Pack(
            relationship=relationship,
            version=version,
            since=int(contents["since"]),
            embedding_model=contents["model"],
            names=contents["names"],
            **columns,
        )
        sizes = {len(getattr(pack, name)) for name in _PER_ROW}
    except (ValueError, KeyError, TypeError, IndexError) as exc:
        raise PackCorrupt("the contents do not fit the data") from exc
    if sizes != {len(pack)}:
        raise PackCorrupt("the columns have different lengths")
    return pack


def encode_floor(*, relationship: UUID, version: int) -> bytes:
    """Return a value that holds a version and no memories."""
    return _header(relationship, version, 0, b"")


def read_version(data: bytes) -> int:
    """Return the version in a header, without checking the rest.

    Raises:
        PackCorrupt: too short for a header, or without the magic.
    """
    if len(data) < HEADER_SIZE or not data.startswith(MAGIC):
        raise PackCorrupt("not a pack")
    return int.from_bytes(data[VERSION_OFFSET : VERSION_OFFSET + VERSION_SIZE])


def is_floor(data: bytes) -> bool:
    """Tell whether `data` is a header alone."""
    return len(data) == HEADER_SIZE and data.startswith(MAGIC)


def _header(relationship: UUID, version: int, head_size: int, body: bytes) -> bytes:
    return _HEADER.pack(
        MAGIC,
        FORMAT,
        relationship.bytes,
        version,
        HEADER_SIZE + len(body),
        head_size,
        zlib.crc32(body),
    )


def _check_header(data: bytes, relationship: UUID) -> tuple[int, int]:
    if len(data) < HEADER_SIZE:
        raise PackCorrupt("too short for a header")
    magic, form, owner, version, size, head_size, checksum = _HEADER.unpack_from(data)
    if magic != MAGIC or form != FORMAT:
        raise PackCorrupt("not a pack of this format")
    if owner != relationship.bytes:
        raise PackCorrupt("a pack of another relationship")
    if size != len(data) or head_size == 0:
        raise PackCorrupt("cut short, too long, or a floor")
    if zlib.crc32(memoryview(data)[HEADER_SIZE:]) != checksum:
        raise PackCorrupt("the checksum does not match")
    return version, head_size


def _read_columns(
    data: bytes, head_size: int, shapes: list[list[int]]
) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    start = HEADER_SIZE + head_size + _padding(head_size)
    for (name, dtype), shape in zip(_COLUMNS.items(), shapes, strict=True):
        column = np.frombuffer(data, dtype, math.prod(shape), start).reshape(shape)
        start += column.nbytes + _padding(column.nbytes)
        columns[name] = column
    return columns


def _padding(size: int) -> int:
    return -size % _ALIGNMENT
