"""Works out again, without the database, what the chain's trigger worked out.

Owns the digests of `audit_triggers.sql` in Python and the walk along one chain that
compares them. Reads nothing: rows come in order, in the texts of `audit_rows.sql`.

>>> Replay("deeds-07").report(head=None).entries
0
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from uuid import UUID

MAX_FAULTS = 1000
MAX_SUSPECTS = 200


class FaultKind(StrEnum):
    """What can be wrong with a chain, with published heads, or with sealed reads."""

    CHANGED_ENTRY = "changed-entry"
    CHANGED_PAYLOAD = "changed-payload"
    MISSING_ENTRIES = "missing-entries"
    SWAPPED_ENTRIES = "swapped-entries"
    FORK = "fork"
    BROKEN_LINK = "broken-link"
    CUT_TAIL = "cut-tail"
    WRONG_HEAD = "wrong-head"
    REWRITTEN = "rewritten"
    STRAY_PAYLOAD = "stray-payload"
    MISSING_FILE = "missing-file"
    CUT_FILE = "cut-file"
    EDITED_FILE = "edited-file"
    CHANGED_READS = "changed-reads"
    MISSING_READS = "missing-reads"
    CHANGED_BATCH = "changed-batch"
    MISSING_BATCH = "missing-batch"
    STRAY_BATCH = "stray-batch"


@dataclass(frozen=True)
class Fault:
    """One thing wrong; `seq` is where, or None when it is not one entry."""

    kind: FaultKind
    seq: int | None
    text: str


@dataclass(frozen=True)
class Head:
    """The last sequence number of a chain and its digest at some moment."""

    chain: str
    seq: int
    digest: bytes


@dataclass(frozen=True)
class ChainReport:
    """What the walk along a chain found; of `fault_count` the first are kept."""

    chain: str
    entries: int
    erased_payloads: int
    fault_count: int
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class StoredEntry:
    """A row of `audit_rows.sql`, its fields in that order."""

    id: UUID
    chain: str
    seq: int
    at: str | None
    actor: str
    action: str
    object_ref: str
    field_names: str
    reason_code: str
    commitment: bytes
    previous: bytes
    digest: bytes
    salt: bytes | None
    body: str | None

    def is_erased(self) -> bool:
        """Say whether it once had a payload that is gone now."""
        return self.body is None and self.commitment != b""


def first_link(chain: str) -> bytes:
    """Return what the first entry of a chain has for its predecessor's digest."""
    return hashlib.sha256(chain.encode("utf-8")).digest()


def digest_of(entry: StoredEntry) -> bytes:
    """Return the digest that the trigger gave an entry with these columns."""
    texts = [
        _quote(str(entry.id)), _quote(entry.chain), str(entry.seq), _quote(entry.at),
        _quote(entry.actor), _quote(entry.action), _quote(entry.object_ref),
        entry.field_names, _quote(entry.reason_code), _quote(entry.commitment.hex()),
    ]  # fmt: skip
    row = "[" + ", ".join(texts) + "]"
    return hashlib.sha256(entry.previous + row.encode("utf-8")).digest()


def commitment_of(*, salt: bytes, body: str) -> bytes:
    """Return what an entry commits to when this is its payload."""
    return hashlib.sha256(salt + body.encode("utf-8")).digest()


def _quote(text: str | None) -> str:
    """Write a string as PostgreSQL writes it in jsonb."""
    return json.dumps(text, ensure_ascii=False)


class Replay:
    """A walk along one chain; `published` maps sequence numbers to kept digests."""

    def __init__(
        self, chain: str, published: Mapping[int, set[bytes]] | None = None
    ) -> None:
        self.chain = chain
        self._published = published or {}
        self._entries = self._erased = self._last_seq = self._fault_count = 0
        self._links = {first_link(chain)}
        self._faults: list[Fault] = []
        self._suspects: list[StoredEntry] = []

    def add(self, entry: StoredEntry) -> None:
        """Check the next entry, by (seq, id), against what came before."""
        computed = digest_of(entry)
        is_changed = computed != entry.digest
        if is_changed:
            self._suspect(entry)
        self._check_place(entry, check_link=not is_changed)
        self._check_payload(entry)
        kept = self._published.get(entry.seq)
        if kept and kept != {entry.digest}:
            self._note(
                FaultKind.REWRITTEN, entry.seq, "it is not the entry that was published"
            )
        # A faulty entry is reported once: its successor may match either digest.
        links = {entry.digest, computed}
        self._links = self._links | links if entry.seq == self._last_seq else links
        self._last_seq = max(self._last_seq, entry.seq)
        self._entries += 1

    def report(self, *, head: Head | None) -> ChainReport:
        """Check the end of the chain and return all that was found."""
        self._check_head(head)
        last_published = max(self._published, default=0)
        if last_published > self._last_seq:
            self._note(
                FaultKind.CUT_TAIL,
                last_published,
                f"it was published, and the chain ends at {self._last_seq}",
            )
        faults = self._with_swaps_named()
        return ChainReport(
            chain=self.chain,
            entries=self._entries,
            erased_payloads=self._erased,
            fault_count=self._fault_count - len(self._faults) + len(faults),
            faults=tuple(faults),
        )

    def _check_place(self, entry: StoredEntry, *, check_link: bool) -> None:
        if entry.seq <= self._last_seq:
            self._note(FaultKind.FORK, entry.seq, "another entry has its number too")
        elif entry.seq > self._last_seq + 1:
            first, last = self._last_seq + 1, entry.seq - 1
            text = "it is gone" if first == last else f"{first} to {last} are gone"
            self._note(FaultKind.MISSING_ENTRIES, first, text)
        elif check_link and entry.previous not in self._links:
            self._note(
                FaultKind.BROKEN_LINK, entry.seq, "it does not follow the one before"
            )

    def _check_payload(self, entry: StoredEntry) -> None:
        self._erased += entry.is_erased()
        if entry.body is None or entry.salt is None:
            return
        if commitment_of(salt=entry.salt, body=entry.body) != entry.commitment:
            self._note(
                FaultKind.CHANGED_PAYLOAD,
                entry.seq,
                "its payload is not the one it commits to",
            )

    def _check_head(self, head: Head | None) -> None:
        last = self._last_seq
        if head is None:
            if self._entries:
                self._note(FaultKind.WRONG_HEAD, None, "the head is missing")
        elif head.seq > last:
            first = last + 1
            span = f"{first} to {head.seq} are" if head.seq > first else f"{first} is"
            self._note(FaultKind.CUT_TAIL, first, f"{span} gone from the end")
        elif head.seq < last:
            text = f"the head stands at {head.seq}, behind the last entry {last}"
            self._note(FaultKind.WRONG_HEAD, None, text)
        elif head.digest not in self._links:
            text = "the head's digest is not the last entry's"
            self._note(FaultKind.WRONG_HEAD, last, text)

    def _suspect(self, entry: StoredEntry) -> None:
        if len(self._suspects) < MAX_SUSPECTS:
            self._suspects.append(replace(entry, salt=None, body=None))
        self._note(
            FaultKind.CHANGED_ENTRY, entry.seq, "its digest is not that of its columns"
        )

    def _with_swaps_named(self) -> list[Fault]:
        """Return the faults, two entries in each other's place as one of them."""
        faults, swaps = self._faults, []
        for one, other in combinations(self._suspects, 2):
            if _are_swapped(one, other):
                text = f"it and {other.seq} stand in each other's place"
                swaps.append(Fault(FaultKind.SWAPPED_ENTRIES, one.seq, text))
                places = {one.seq, other.seq}
                faults = [fault for fault in faults if not _marks(fault, places)]
        return [*swaps, *faults]

    def _note(self, kind: FaultKind, seq: int | None, text: str) -> None:
        self._fault_count += 1
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(Fault(kind, seq, text))


def _are_swapped(one: StoredEntry, other: StoredEntry) -> bool:
    return (
        digest_of(replace(one, seq=other.seq)) == one.digest
        and digest_of(replace(other, seq=one.seq)) == other.digest
    )


def _marks(fault: Fault, places: set[int]) -> bool:
    """Say whether a fault is but the mark of entries that are in a wrong place."""
    if fault.kind is FaultKind.BROKEN_LINK:
        return fault.seq is not None and fault.seq - 1 in places
    is_of_place = fault.kind in (FaultKind.CHANGED_ENTRY, FaultKind.WRONG_HEAD)
    return is_of_place and fault.seq in places
