"""Reads Cantonese function words as Mandarin, so that one set of rules serves both.

Owns the map; it is applied only to text that is plainly Cantonese, since 系 or 食 mean
other things in Mandarin. Every word maps to one of the same length, so that places in
the text stay true and what is kept is the text as it was said.

>>> read_as_mandarin("我唔鍾意食鳳爪")
'我不喜欢吃凤爪'
"""

import re
from functools import lru_cache

from memsys.kernel.text.clean import fold

_CANTONESE = re.compile(
    r"[唔咗喺嘅冇佢嗰啲係哋瞓嚟嘢乜咩噉攞畀諗嗌踎]|鍾意|屋企|聽日|尋日|琴日|阿媽|曱甴|(?<!可)憎(?![恨惡恶])|好驚(?![訝喜險人])"
)
# 係 and 食 are read before folding would make 系 of the one.
_WORDS = (
    ("鍾意", "喜欢"), ("钟意", "喜欢"), ("中意", "喜欢"), ("應承", "答应"), ("应承", "答应"),
    ("返工", "上班"), ("返學", "上学"), ("屋企", "家里"), ("邊度", "哪里"), ("邊個", "哪个"),
    ("乜嘢", "什么"), ("乜野", "什么"), ("點解", "为何"), ("而家", "现在"), ("依家", "现在"),
    ("細個", "小时"), ("阿媽", "妈妈"), ("阿爸", "爸爸"), ("老豆", "老爸"), ("唔使", "不用"),
    ("驚", "怕"), ("唔", "不"), ("咗", "了"), ("喺", "在"), ("係", "是"), ("嘅", "的"),
    ("冇", "没"), ("佢", "他"), ("食", "吃"), ("飲", "喝"), ("睇", "看"), ("憎", "恨"),
    ("緊", "着"), ("返", "回"), ("嚟", "来"), ("俾", "给"), ("畀", "给"), ("瞓", "睡"),
    ("我哋", "我们"), ("佢哋", "他们"), ("喇", "了"), ("隻", "只"), ("嘢", "物"), ("住喺", "住在"), ("㗎", "的"),
)  # fmt: skip
_MAP = dict(_WORDS)
_PATTERN = re.compile("|".join(sorted(_MAP, key=len, reverse=True)))


def read_as_mandarin(text: str) -> str:
    """Fold a text for matching, character by character; Cantonese is read across."""
    if _CANTONESE.search(text):
        text = _PATTERN.sub(lambda match: _MAP[match[0]], text)
    return "".join(map(_fold_char, text))


@lru_cache(maxsize=16384)
def _fold_char(char: str) -> str:
    folded = fold(char)
    return folded if len(folded) == 1 else char
