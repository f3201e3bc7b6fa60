"""Which of the ranked rows are taken: few, from several sessions, each thing once.

Owns the caps and what counts as saying the same. Does not own rights (`candidates`)
nor scores (`fusion`).

>>> seats = Seats(per_session=1)
>>> seats.take(4)
>>> seats.is_full(4), seats.is_full(5)
(True, False)
"""

from collections.abc import Iterable
from dataclasses import dataclass

from recall.fusion import Ranked
from recall.pack import Pack
from recall.types import Policy

SIMILARITY = 0.9  # of two rows' words, from where on they may say the same
# An addition of one of these changes what is said.
TELLING = frozenset(
    "不没别未无非莫勿戒爱恨怕厌〇零一二两三四五六七八九十百千万半前后早晚上下天日"
    "0123456789.:%"
)
FILLERS = str.maketrans("", "", "的了吧啊呀呢嘛哦啦哈噢很也，。！？、；…～~!? \n")


def choose(
    pack: Pack, ranked: Ranked, *, policy: Policy, pinned: Iterable[int] = ()
) -> list[int]:
    """Return the places in `ranked` of the few, best first, each statement once.

    At most `top_k`, at most `per_session` of one session, none that a pinned row (by
    place in the pack) already says. Rows that match nothing are left out, unless the
    policy fills or the question is blank.
    """
    takes_all = policy.fill or ranked.legs.is_blank
    seats = Seats(per_session=policy.per_session)
    said = Said(pack)
    for row in pinned:
        said.add(row)
    chosen: list[int] = []
    for place in ranked.order.tolist():
        if len(chosen) == policy.top_k:
            break
        row = int(ranked.legs.rows[place])
        session = int(pack.session[row])
        if not (takes_all or ranked.is_match[place]) or seats.is_full(session):
            continue
        if said.add(row):
            seats.take(session)
            chosen.append(place)
    return chosen


class Seats:
    """Counts the rows taken of each session; rows of no session have no limit."""

    def __init__(self, *, per_session: int | None) -> None:
        self._limit = per_session
        self._taken: dict[int, int] = {}

    def is_full(self, session: int) -> bool:
        """Tell whether a session, by its place in the pack, gives no more rows."""
        if self._limit is None or session < 0:
            return False
        return self._taken.get(session, 0) >= self._limit

    def take(self, session: int) -> None:
        """Count one row of a session."""
        self._taken[session] = self._taken.get(session, 0) + 1


@dataclass(frozen=True)
class Statement:
    """What of a row decides whether another says the same."""

    subject: int
    polarity: int
    due_at: int
    about: tuple[int, str]
    bare: str
    words: frozenset[int]

    @classmethod
    def of(cls, pack: Pack, row: int) -> "Statement":
        return cls(
            subject=int(pack.subject[row]),
            polarity=int(pack.polarity[row]),
            due_at=int(pack.due_at[row]),
            about=pack.about(row),
            bare=pack.text(row).translate(FILLERS),
            words=frozenset(pack.terms_of(row).tolist()),
        )

    def says_the_same_as(self, other: "Statement") -> bool:
        """Tell whether two rows say the same thing.

        Whose it is and when it is due must agree, and of one thing no liking is a
        dislike. Then the texts are equal but for particles and punctuation, whatever
        they were read as, or nearly all words are shared and one text only adds to the
        other.
        """
        if self.subject != other.subject or self.due_at != other.due_at:
            return False
        is_opposite = self.polarity * other.polarity < 0
        if is_opposite and self.about == other.about:
            return False
        if self.bare == other.bare:
            return True
        if is_opposite:
            return False
        return self._overlaps(other) and adds_little(self.bare, other.bare)

    def _overlaps(self, other: "Statement") -> bool:
        mine, its = len(self.words), len(other.words)
        if mine < SIMILARITY * its or its < SIMILARITY * mine:
            return False  # no overlap could be enough; spares most of the work
        shared = len(self.words & other.words)
        return shared >= SIMILARITY * (mine + its - shared)


class Said:
    """The statements of a pack that were taken so far."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._statements: list[Statement] = []

    def add(self, row: int) -> bool:
        """Take a row unless its statement was taken before; tell whether it was new."""
        statement = Statement.of(self._pack, row)
        if any(statement.says_the_same_as(other) for other in self._statements):
            return False
        self._statements.append(statement)
        return True


def adds_little(one: str, other: str) -> bool:
    """Tell whether the longer text keeps the shorter and adds nothing telling.

    >>> adds_little("住十二号楼", "住在十二号楼"), adds_little("住2号楼", "住12号楼")
    (True, False)
    """
    shorter, longer = sorted((one, other), key=len)
    kept, added = 0, set()
    for character in longer:
        if kept < len(shorter) and character == shorter[kept]:
            kept += 1
        else:
            added.add(character)
    return kept == len(shorter) and not added & TELLING
