"""What the user told about a thing: what a film is about, what moved them most.

Owns opinions and contents in the user's own telling. They have no slot and say nothing
about who the user is.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [d.kind for d in find(read(cut("这部剧讲的是五家人的故事，很温馨", now=now)))]
['topic']
"""

import re
from collections.abc import Collection, Iterator, Sequence

from memories.extraction.drafts import Draft, statement
from memories.extraction.narration import MAX_FOLLOWING, content
from memories.extraction.stance import SECOND, Reading

_WORK = "电影|影片|片子|片|剧|电视剧|书|小说|歌|曲子|专辑|节目|漫画|动画|游戏|展览|展|故事|文章|演出|话剧|讲座|纪录片|散文|诗"
_TOLD = re.compile(
    rf"^(?:我(?:看|读|听)的|它|里面|主要|内容)?(?:[这那]?(?:部|本|首|个|场|篇|款|集)?(?:{_WORK}))?(?:主要|就|里)*"
    r"(?:讲述了?|讲述?的(?:就)?是|讲了|说的(?:就)?是|描写的?(?:是|了)|围绕|的主题(?:是|关于))[^,]{4,}"
)
_MOST = re.compile(
    r"^是(?:一)?[部本首档款](?:叫做?|名叫|名为)?[^,]{2,}"
    r"|^(?:我)?(?:觉得|认为)?(?:里面)?最(?:让我|令我|打动我|吸引我|有意思|有趣|精彩|感人|震撼|难忘|喜欢|印象深刻|感动|好看|搞笑)"
    r"[^,是]{0,8}(?:地方|部分|场景|片段|情节|一?段|章节|环节|一幕|的)就?是[^,]{3,}"
)
_FOUND = re.compile(
    rf"^我(?:真的|也)?(?:觉得|认为)[这那](?:部|本|首|场|次|家|篇|款|座)(?:{_WORK}|[一-龥]{{2,4}}之[旅行]|餐厅|店|旅行)[^,]{{3,}}"
)
_TO_YOU = re.compile(r"[你您]|谢谢|建议|推荐")
_PROCESS = re.compile(r"(?:怎么|如何)(?:做|弄|煮|烤)|做法|步骤|过程|方法|配方")
_STEPS = re.compile(r"先.{2,}(?:再|然后|接着|最后)|(?:再|然后).{2,}最后")
MAX_TEXT_CHARS = 160


def find(
    readings: Sequence[Reading], *, taken: Collection[int] = ()
) -> Iterator[Draft]:
    """Find what a message tells about works and things."""
    told = {readings[place].clause.sentence for place in taken}
    for place, reading in enumerate(readings):
        if reading.clause.sentence in told or not _is_told(reading):
            continue
        words = content(reading)
        if any(pattern.search(words) for pattern in (_TOLD, _MOST, _FOUND)):
            told.add(reading.clause.sentence)
            spoken = [reading, *_rest(readings, place)]
            yield _draft(place, statement(*spoken), words)


def _rest(readings: Sequence[Reading], place: int) -> list[Reading]:
    """Give what the sentence goes on to say, whoever it is about in the story."""
    sentence = readings[place].clause.sentence
    rest = readings[place + 1 : place + 1 + MAX_FOLLOWING]
    return [r for r in rest if r.clause.sentence == sentence and _is_told(r)]


def _is_told(reading: Reading) -> bool:
    if not reading.is_plain or reading.is_wished or reading.subject == SECOND:
        return False
    return _TO_YOU.search(reading.clause.folded) is None


def find_steps(readings: Sequence[Reading], *, asked: str) -> Iterator[Draft]:
    """Find the steps that answer how the user does a thing."""
    own = [r for r in readings if _is_told(r)]
    if not own or not _PROCESS.search(asked):
        return
    text = statement(*own)
    if _STEPS.search("".join(r.clause.folded for r in own)):
        yield _draft(0, text[:MAX_TEXT_CHARS], own[0].clause.folded)


def _draft(place: int, text: str, words: str) -> Draft:
    return Draft(kind="topic", key="", value=words, polarity=0, text=text, place=place)
