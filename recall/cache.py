"""Keeps packs in Valkey, each under its relationship, never older over newer.

Owns the compare-and-set and the floor that an erasure leaves, which a slow reader
with an old pack cannot pass, and the one pipeline that a context asks. Whatever is
missing or wrong here only costs time.

>>> write(pack)  # doctest: +SKIP
>>> read(relationship_id, version=7).pack  # doctest: +SKIP
"""

import logging
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from identity.versions import read_memory_version
from memories import working_memory
from memories.working_memory import Standing, Turn
from memsys.kernel.valkey import Unreachable, get_valkey
from recall.errors import PackCorrupt
from recall.pack import Pack
from recall.pack_codec import (
    HEADER_SIZE,
    VERSION_OFFSET,
    VERSION_SIZE,
    decode,
    encode,
    encode_floor,
    is_floor,
    read_version,
)

logger = logging.getLogger("memsys.packs")

FLOOR_SECONDS = 600  # outlives the longest request

# Bytes are compared one by one: string order may follow a locale. A floor takes the
# place of every pack: after a restore of the database one of a higher version may be old.
_WRITE = f"""
local kept = redis.call('GETRANGE', KEYS[1], {VERSION_OFFSET}, {VERSION_OFFSET + VERSION_SIZE - 1})
local given = string.sub(ARGV[1], {VERSION_OFFSET + 1}, {VERSION_OFFSET + VERSION_SIZE})
local order = 0
for i = 1, #kept do
  order = string.byte(given, i) - string.byte(kept, i)
  if order ~= 0 then break end
end
local is_pack = redis.call('STRLEN', KEYS[1]) > {HEADER_SIZE}
if ARGV[3] == 'floor' then
  if order < 0 and not is_pack then return 0 end
elseif #kept > 0 and order <= 0 then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""


def key_of(relationship_id: UUID) -> str:
    """Return the key of a relationship's pack."""
    return f"memsys:pack:{{{relationship_id}}}"


@dataclass(frozen=True)
class Kept:
    """What the cache gave of a relationship; None for what it has not, or not fresh."""

    pack: Pack | None = None
    turns: tuple[Turn, ...] | None = None


def read(
    relationship_id: UUID, *, version: int | None, standing: Standing | None = None
) -> Kept:
    """Return the pack if it is at least of `version`, and the turns of `standing`.

    Without one of them its part is not asked for. One pipeline.
    """
    has_turns = standing is not None and standing.session is not None
    pipeline = get_valkey().pipeline(transaction=False)
    if version is not None:
        pipeline.get(key_of(relationship_id))
    if has_turns:
        working_memory.ask(pipeline, relationship_id)
    try:
        answers = pipeline.execute(raise_on_error=False)
    except Unreachable:
        logger.warning("packs.unreachable")
        return Kept()
    return Kept(
        pack=_to_pack(answers.pop(0), relationship_id, version)
        if version is not None
        else None,
        turns=working_memory.read_copy(answers.pop(0), standing)
        if standing is not None and has_turns
        else None,
    )


def _to_pack(data: Any, relationship_id: UUID, version: int) -> Pack | None:
    if not isinstance(data, bytes):
        return None
    try:
        if is_floor(data) or read_version(data) < version:
            return None
        return decode(data, relationship=relationship_id)
    except PackCorrupt:
        logger.warning("packs.corrupt", extra={"relationship": str(relationship_id)})
        return None


def write(pack: Pack) -> None:
    """Keep a pack unless a newer one, or a floor at its version, is there."""
    _put(pack.relationship, encode(pack), settings.PACK_TTL_SECONDS, "pack")


def forget(relationship_id: UUID) -> None:
    """Drop the pack after an erasure, and leave a floor that older ones cannot pass."""
    version = read_memory_version(relationship_id)
    floor = encode_floor(relationship=relationship_id, version=max(version - 1, 0))
    _put(relationship_id, floor, FLOOR_SECONDS, "floor")


def _put(relationship_id: UUID, data: bytes, seconds: int, form: str) -> None:
    try:
        get_valkey().eval(_WRITE, 1, key_of(relationship_id), data, seconds, form)
    except Unreachable:
        logger.warning("packs.unreachable")
