"""The file of an export, stored in pieces as it is written, and read piece by piece.

Owns how large a piece is, and that no more than one is held in memory. The pieces are
in the database, so that an erasure finds them.

>>> pieces = Pieces(lambda number, data: None, size=2)
>>> pieces.write(b"abc"), pieces.count
(3, 1)
"""

from collections.abc import Callable, Iterator
from hashlib import sha256

from consent.models import ExportChunk, ExportRun
from memsys.kernel.scope import Purpose, access_scope

PIECE_BYTES = 1 << 20


class Pieces:
    """A file that can be written but neither read nor sought; `store` keeps a piece."""

    def __init__(
        self, store: Callable[[int, bytes], None], *, size: int = PIECE_BYTES
    ) -> None:
        self.count = 0
        self.size_bytes = 0
        self._store, self._size = store, size
        self._digest = sha256()
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        """Take bytes, and store each piece that is full."""
        self._waiting += data
        while len(self._waiting) >= self._size:
            self._keep(self._size)
        return len(data)

    def flush(self) -> None:
        """Do nothing: a piece is stored when it is full, and the last one at the end."""

    def finish(self) -> str:
        """Store what is left; return the SHA-256 of the whole file, in hex."""
        if self._waiting:
            self._keep(len(self._waiting))
        return self._digest.hexdigest()

    def _keep(self, size: int) -> None:
        piece = bytes(self._waiting[:size])
        del self._waiting[:size]
        self._digest.update(piece)
        self._store(self.count, piece)
        self.count += 1
        self.size_bytes += size


def add_piece(run: ExportRun, number: int, data: bytes) -> None:
    """Store a piece, inside a scope of the user."""
    ExportChunk.objects.create(
        global_user_id=run.global_user_id, export=run, number=number, data=data
    )


def delete_pieces(run: ExportRun) -> int:
    """Delete the file, inside a scope of the user; return how many pieces it had."""
    pieces = ExportChunk.objects.filter(
        global_user_id=run.global_user_id, export_id=run.pk
    )
    return pieces.delete()[0]


def read_pieces(run: ExportRun) -> Iterator[bytes]:
    """Yield the file piece by piece, each read in a scope of its own."""
    number = 0
    while True:
        with access_scope(Purpose.JOB, user=run.global_user_id):
            found = ExportChunk.objects.filter(
                global_user_id=run.global_user_id, export_id=run.pk, number=number
            )
            data = found.values_list("data", flat=True).first()
        if data is None:
            return
        yield bytes(data)
        number += 1
