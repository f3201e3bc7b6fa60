"""Real names that people give as their own.

Owns the words of a self-introduction and what a Chinese full name looks like: a family
name and one or two characters. Nicknames without a family name (阿澈, 小满) stay: they
are how the user wants to be called. Names of others are not looked for.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memsys.kernel.text.pii.detector import every
from memsys.kernel.text.pii.view import Span, View

_DATA = Path(__file__).parent.parent / "data"
_INTRODUCES = (
    r"(?:我叫做?|我(?:的)?(?:名字|真名|本名|全名|大名|姓名)(?:就?是|叫做?|:)"
    r"|(?:真名|本名|真实姓名|真实名字|姓名|全名|大名|名字)(?:就?是|叫做?|:| )) ?"
)
# What may follow a name; inside a longer word it would be no name (王者荣耀).
_ENDS_NAME = r"(?=$|[^\u4e00-\u9fff]|今年|是|的|啊|呀|哦|呢|吧|啦|来自|在|也|和|跟|你|很|男|女|住)"
_NOT_GIVEN = (
    "你他她它我们了的个过着在不好是什么为哥姐总师来去到就都也很吗呢吧啊呀回吃喝走停"
)


@cache
def _pattern() -> re.Pattern[str]:
    words = _listed("surnames.txt")
    double = [word for word in words if len(word) == 2]
    single = "".join(word for word in words if len(word) > 2)
    return re.compile(
        rf"{_INTRODUCES}(?P<value>(?:{'|'.join(double)}|[{single}])"
        rf"[\u4e00-\u9fff]{{1,2}}?){_ENDS_NAME}"
    )


@cache
def _words() -> frozenset[str]:
    return frozenset(_listed("not_names.txt"))


def _listed(file: str) -> list[str]:
    lines = (_DATA / file).read_text(encoding="utf-8").splitlines()
    return " ".join(line for line in lines if not line.startswith("#")).split()


def find_names(view: View) -> Iterator[Span]:
    """Propose the full name in a self-introduction."""
    yield from every(_pattern(), view.text)


def is_name(view: View, span: Span) -> bool:
    """Refuse words that only begin like a name."""
    name = view.text[span.start : span.end]
    if len(set(name)) == 1:  # a doubled character is a pet name: 周周
        return False
    return name not in _words() and not set(name[1:]) & set(_NOT_GIVEN)
