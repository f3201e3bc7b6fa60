"""Chinese and Arabic numbers as they stand in time words.

Owns the pattern and its reading up to 9,999; 半 ("half") is left to the rules.

>>> read_number("二十四"), read_number("两"), read_number("08")
(24, 2, 8)
"""

DIGITS = {
    "零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5,
    "六": 6, "七": 7, "八": 8, "九": 9, "壹": 1, "贰": 2, "叁": 3,
}  # fmt: skip
UNITS = {"十": 10, "廿": 20, "卅": 30, "百": 100, "千": 1000}

NUMBER = r"(?:\d{1,4}|[零〇一二两三四五六七八九十廿卅百]{1,6})"
SMALL_NUMBER = r"(?:\d{1,2}|[零〇一二两三四五六七八九十廿卅]{1,4})"


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
