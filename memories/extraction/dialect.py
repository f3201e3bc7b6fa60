"""Reads Cantonese and dialects of Mandarin as Mandarin: one set of rules serves all.

Owns the maps. The Cantonese one is applied only to text that is plainly Cantonese,
since 系 or 食 mean other things in Mandarin. Every word maps to one of the same length,
so that places in the text stay true and what is kept is the text as it was said.

>>> read_as_mandarin("我唔鍾意食鳳爪"), read_as_mandarin("额稀罕咥面")
('我不喜欢吃凤爪', '我喜欢吃面')
"""

import re
from functools import lru_cache

from memsys.kernel.text.clean import fold

_CANTONESE = re.compile(
    r"[唔咗喺嘅冇佢嗰啲係哋瞓嚟嘢乜咩俾噉攞畀諗嗌踎攰搵㗎啱]|鍾意|屋企|我個[仔女]|成日|細路|嗰陣|聽日|尋日|琴日|阿媽|曱甴|(?<!可)憎(?![恨惡恶])|好驚(?![訝喜險人])"
)
# 係 and 食 are read before folding would make 系 of the one.
_WORDS = (
    ("鍾意", "喜欢"), ("钟意", "喜欢"), ("中意", "喜欢"), ("應承", "答应"), ("应承", "答应"),
    ("返工", "上班"), ("返學", "上学"), ("屋企", "家里"), ("邊度", "哪里"), ("邊個", "哪个"),
    ("乜嘢", "什么"), ("乜野", "什么"), ("點解", "为何"), ("而家", "现在"), ("依家", "现在"),
    ("細個", "小时"), ("阿媽", "妈妈"), ("阿爸", "爸爸"), ("老豆", "老爸"), ("唔使", "不用"),
    ("驚", "怕"), ("唔", "不"), ("咗", "了"), ("喺", "在"), ("係", "是"), ("嘅", "的"),
    ("冇", "没"), ("佢", "他"), ("食", "吃"), ("飲", "喝"), ("睇", "看"), ("憎", "恨"),
    ("唔食得", "不能吃"), ("唔飲得", "不能喝"), ("食唔得", "不能吃"), ("飲唔得", "不能喝"), ("唔掂得", "不能碰"),
    ("我個仔", "我儿子"), ("我個女", "我女儿"), ("細佬", "弟弟"), ("家姐", "姐姐"), ("俾人", "被人"), ("畀人", "被人"),
    ("行山", "爬山"), ("行街", "逛街"), ("打邊爐", "吃火锅"), ("飲茶", "喝茶"), ("放榜", "出分"), ("開工", "上班"),
    ("放工", "下班"), ("收工", "下班"), ("得閒", "有空"), ("攰", "累"), ("諗", "想"), ("搵", "找"), ("晒", "了"),
    ("啱啱", "刚刚"), ("聽晚", "明晚"), ("成日", "整天"), ("陪住", "陪着"), ("敏感", "过敏"), ("睇住", "看着"), ("緊", "着"), ("返", "回"), ("嚟", "来"), ("俾", "给"), ("畀", "给"), ("瞓", "睡"),
    ("我哋", "我们"), ("佢哋", "他们"), ("喇", "了"), ("隻", "只"), ("嘢", "物"), ("住喺", "住在"), ("㗎", "的"),
)  # fmt: skip
_MAP = dict(_WORDS)
_PATTERN = re.compile("|".join(sorted(_MAP, key=len, reverse=True)))

# The north and the west. 稀罕 and 额 mean something else elsewhere, so it counts what
# stands around them: 我可稀罕, 稀罕吃; 额家, 额爱吃.
_DIALECT = {
    "俺": "我", "恁": "你", "咥": "吃", "啥子": "什么", "咋子": "怎么", "莫得": "没有", "晓得": "知道",
    "咋个": "怎么", "屋头": "家里", "遭不住": "受不了", "耍朋友": "谈恋爱", "婆娘": "老婆", "老汉儿": "老爸爸",
    "稀罕": "喜欢", "额": "我",
}  # fmt: skip
_DIALECT_WORDS = re.compile(
    r"俺|恁|咥|啥子|咋子|莫得|晓得|咋个|屋头|遭不住|耍朋友|婆娘|老汉儿"
    r"|稀罕(?=[吃喝看听玩穿咥])|(?<=[我俺可老贼最])稀罕"
    r"|(?<![金数名余差总限税面巨份定全])额(?=[稀家们爱喜不在是想要吃咥媳妈爸娃骑种]|今天|昨天|明天)"
)


def read_as_mandarin(text: str) -> str:
    """Fold a text for matching, character by character; Cantonese is read across."""
    if _CANTONESE.search(text):
        text = _PATTERN.sub(lambda match: _MAP[match[0]], text)
    text = _DIALECT_WORDS.sub(lambda match: _DIALECT[match[0]], text)
    return "".join(map(_fold_char, text))


@lru_cache(maxsize=16384)
def _fold_char(char: str) -> str:
    folded = fold(char)
    return folded if len(folded) == 1 else char
