"""When two plans are the same by their words: 北京出差 and 去北京出差.

Owns comparing what is planned, without its day. Pure, as the rest of the package.

>>> is_same_plan("演唱会", "小美看演唱会"), is_same_plan("上海出差", "北京出差")
(True, False)
"""

import re

# Words that a plan may have and its ending lacks, and the other way round.
_LIGHT = re.compile(r"[去来看听吃喝玩做办参加见上下到在的了那这个场次趟和跟与]")
_MIN_CHARS = 2


def is_named(words: str) -> bool:
    """Tell whether words name a thing well enough to find a plan by it."""
    return len(_LIGHT.sub("", words)) >= _MIN_CHARS


def is_same_plan(one: str, other: str) -> bool:
    """Tell whether all that one names is named by the other, in neighbouring characters."""
    return _covers(one, other) or _covers(other, one)


def _covers(plan: str, named: str) -> bool:
    """Tell whether each telling character of `named` stands in a pair of `plan`."""
    if not is_named(named):
        return False
    pairs = {plan[place : place + 2] for place in range(len(plan) - 1)}
    told = [False] * len(named)
    for place in range(len(named) - 1):
        if named[place : place + 2] in pairs:
            told[place] = told[place + 1] = True
    rest = (char for char, is_told in zip(named, told, strict=True) if not is_told)
    return not _LIGHT.sub("", "".join(rest)) and any(told)
