"""Chinese and Arabic numbers as they stand in time words.

Owns the pattern and its reading up to 9,999; 半 ("half") is left to the rules.

>>> read_number("二十四"), read_number("两"), read_number("08")
(24, 2, 8)
"""

import re

DIGITS = {
    "零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5,
    "六": 6, "七": 7, "八": 8, "九": 9, "壹": 1, "贰": 2, "叁": 3,
}  # fmt: skip
UNITS = {"十": 10, "廿": 20, "卅": 30, "百": 100, "千": 1000}

NUMBER = r"(?:\d{1,4}|[零〇一二两三四五六七八九十廿卅百]{1,6})"
SMALL_NUMBER = r"(?:\d{1,2}|[零〇一二两三四五六七八九十廿卅]{1,4})"

# Two digits in a row are two guesses: nobody says 二三 for 23.
_PAIRS = "一两|一二|两三|二三|三四|三五|四五|五六|六七|七八|八九"
ROUGH_NUMBER = (
    rf"(?:[二三四五六七八九]?十)?(?:{_PAIRS})"
    r"|(?:\d{1,2}|[一两二三四五六七八九十])[-~到至、](?:\d{1,2}|[两二三四五六七八九十]{1,2})"
)
_ROUGH = re.compile(
    rf"(?P<tens>[二三四五六七八九]?十)?(?=(?:{_PAIRS})$)(?P<low>.)(?P<high>.)"
)


def read_number(words: str) -> int:
    """Read a number that `NUMBER` matched.

    >>> read_number("一百二十"), read_number("二零二六"), read_number("廿三")
    (120, 2026, 23)
    """
    if words.isdecimal():
        return int(words)
    if all(char in DIGITS for char in words):
        return int("".join(str(DIGITS[char]) for char in words))
    total, digit = 0, 0
    for char in words:
        if char in DIGITS:
            digit = DIGITS[char]
        elif char in "廿卅":
            total += UNITS[char]
        else:
            total += (digit or 1) * UNITS[char]
            digit = 0
    return total + digit


def read_range(words: str) -> tuple[int, int]:
    """Read a number told roughly as its two ends: 两三 is 2 to 3.

    >>> read_range("两三"), read_range("十五六"), read_range("三-五"), read_range("12")
    ((2, 3), (15, 16), (3, 5), (12, 12))
    """
    low, joiner, high = re.split(r"([-~到至、]|$)", words, maxsplit=1)
    if joiner:
        ends = sorted((read_number(low), read_number(high)))
        return ends[0], ends[1]
    match = _ROUGH.fullmatch(words)
    if match is None:
        return read_number(words), read_number(words)
    tens = read_number(match["tens"]) if match["tens"] else 0
    return tens + DIGITS[match["low"]], tens + DIGITS[match["high"]]
