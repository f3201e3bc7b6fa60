"""The sentence that is kept: the model's, if it only uses what the user said.

Owns that judgement. A sentence with a word of its own, in the other script, or with its
denial turned, gives way to the user's clauses as they were said.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> said = read(cut("橘猫我养了一只，叫年糕", now=now))
>>> choose_text("用户养了一只叫年糕的橘猫", said=said, sources=said, needed="年糕")
'用户养了一只叫年糕的橘猫'
>>> choose_text("用户养了一条叫年糕的柯基", said=said, sources=said, needed="年糕")
'橘猫我养了一只，叫年糕'
"""

import re
from collections.abc import Sequence

from memories.extraction.drafts import statement
from memories.extraction.lexicon.tables import words_of
from memories.extraction.stance import Reading
from memories.language_model.words import letters
from memsys.kernel.text.clean import clean_text, truncate_graphemes
from memsys.kernel.text.privacy import mask

MAX_TEXT_CHARS = 160
MAX_STATEMENT_CHARS = 300
# Words that frame a statement and tell nothing; in both scripts.
_FRAMES = sorted(
    words_of(
        "用户 用戶 我们 我們 自己 本人 喜欢 喜歡 讨厌 討厭 感到 觉得 覺得 名字 名叫 一只 一隻",
        "打算 计划 計劃 职业 職業 工作 住在 因为 因為 的 了 是 在 有 和 与 與 跟 也 都 会 會 要 很",
        "最 对 對 把 被 给 給 一 个 個 只 隻 这 這 那 着 著 过 過 就 还 還 吃 喝 看 听 聽 玩 做 养 養",
        "叫 我 不 爱 愛 从 從 到 去 来 來 于 於 而 所 以 怕",
    ),
    key=len,
    reverse=True,
)
_TURNS = re.compile(
    "不|没|沒|别|別|无|無|未|讨厌|討厭|怕|恨|烦|煩|过敏|過敏|恶心|噁心|难|難|嫌|忌|戒|禁"
)


def choose_text(
    text: str, *, said: Sequence[Reading], sources: Sequence[Reading], needed: str = ""
) -> str:
    """Give a grounded sentence, or the clauses in which the fact was said.

    `sources` are the clauses whose words it may use, `needed` what it must name. What
    is given is clean and has passed the privacy filter.
    """
    spoken = statement(*said)
    kept = _filtered(text)
    is_fit = (
        0 < len(kept) <= MAX_TEXT_CHARS
        and letters(needed) in letters(kept)
        and bool(_TURNS.search(kept)) == bool(_TURNS.search(spoken))
        and not re.search("[?？\\n]", kept)
        and is_grounded(kept, [one.clause.text for one in (*said, *sources)])
    )
    return kept if is_fit else _filtered(spoken)


def is_grounded(text: str, sources: Sequence[str]) -> bool:
    """Tell whether a text is put together from its sources, in their script.

    Its pieces are words of a source, at least two characters on end, or words of the
    frame between them; one character of a source may stand alone, but not beside
    another, or 花 and 生 would make 花生.

    >>> is_grounded("用户怕狗", ["我怕狗"]), is_grounded("用户怕蛇", ["我怕狗"])
    (True, False)
    """
    # Pieces do not reach over the end of a clause.
    said = "|".join(map(_written, sources))
    rest = _written(text)
    was_single = False
    while rest:
        length = _piece(rest, said) or _frame(rest)
        if not length and (was_single or rest[0] not in said):
            return False
        was_single = not length
        rest = rest[length or 1 :]
    return True


def _piece(rest: str, said: str) -> int:
    """Give how many characters stand in a source together, 0 for fewer than two."""
    length = 0
    while length < len(rest) and rest[: length + 1] in said:
        length += 1
    return length if length > 1 else 0


def _frame(rest: str) -> int:
    """Give the length of the frame's word that comes next, or 0."""
    return next((len(word) for word in _FRAMES if rest.startswith(word)), 0)


def _written(text: str) -> str:
    """Give letters and digits as they are written, in the script that they have."""
    return "".join(filter(str.isalnum, text.lower()))


def _filtered(text: str) -> str:
    kept = mask(clean_text(text)).text
    return truncate_graphemes(kept, max_chars=MAX_STATEMENT_CHARS).strip()
