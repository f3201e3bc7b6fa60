"""Emoji inside a clause: words where they stand for one, nothing where they adorn one.

Owns which emoji are things and which are faces, hearts and gestures: those end a clause
as a full stop does, and are left where they are. Does not own the cutting.

>>> spell_out("我对🥜花生过敏，超爱吃🍓"), spell_out("好累😭明天还上班")
('我对花生过敏，超爱吃草莓', '好累😭明天还上班')
"""

import re

from memories.extraction.lexicon.emoji import THINGS

# Faces, hands, hearts and sparkles; what else there is names or adorns a thing.
_FELT = (
    r"\u2600-\u263a\u270a-\u270d\u2728\u2763\u2764"
    r"\U0001f389\U0001f38a\U0001f440-\U0001f465\U0001f483\U0001f48b-\U0001f4af\U0001f525"
    r"\U0001f590-\U0001f5a4\U0001f600-\U0001f64f\U0001f90c-\U0001f93a\U0001f970-\U0001f97a"
)
_THING = re.compile(
    rf"(?![{_FELT}])[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
)
# What wants a thing behind it.
_WANTS = re.compile(
    r"(?:[吃喝养爱怕对想要买点订做煮炒烤烧抱撸遛喂玩弹打看学]|喜欢|讨厌|[只条个杯碗份头匹朵盆块串])(?:了|过|着|点)?$"
)
# After a particle, or before whoever does the next thing, it ends what was said.
_ENDED = re.compile(r"[了的啦吧呀啊呢哦嘛哈]$")
_BEGINS = re.compile(
    r"[我你他她它咱俺]|讨厌|喜欢|不|[今明昨后前][天晚早]|但|不过|然后|所以|因为|还|就|下[周次午]|晚上|早上|周"
)


def spell_out(text: str) -> str:
    """Return a text with the emoji of things as words, or without them.

    One that a verb wants becomes its word, unless the word stands beside it already.
    """
    return _THING.sub(_spell, text)


def _spell(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 6) : match.start()]
    after = match.string[match.end() : match.end() + 6]
    word = THINGS.get(match[0][0], "")
    if word and _WANTS.search(before) and not after.startswith(word):
        return word
    is_border = not before or _ENDED.search(before) or _BEGINS.match(after)
    return match[0] if is_border else ""
