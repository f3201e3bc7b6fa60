"""Real names that people give as their own.

Owns the words of a self-introduction and of a form, and what a Chinese full name looks
like: a family name and one or two characters. Nicknames without a family name (阿澈,
小满) stay: they are how the user wants to be called. Names of others are not looked
for, except where a form asks for one (收件人, 户名).

    >>> view = View.of("我姓欧阳，单名一个靖")
    >>> [view.text[span.start : span.end] for span in find_names(view)]
    ['欧阳，单名一个靖']
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rjieba

from memsys.kernel.text.pii.detector import every
from memsys.kernel.text.pii.view import Span, View

_DATA = Path(__file__).parent.parent / "data"
_SAYS = r"(?:其实|本来|就|也|应该)?(?:是|叫做?|写的?是?|填|:|=)"
# A song, a cat or somebody else has a name, too.
_OTHERS = "歌书剧影片戏猫狗它店色曲牌群队他她手角公星演"
_OWN = rf"(?<![{_OTHERS}])(?<![{_OTHERS}]的)"
_FORM = (
    rf"(?:{_OWN}(?:真名儿?|本名|原名|全名|大名|实名|真实姓名|真实名字|姓名)"
    r"|收件人?|收货人?|寄件人|联系人|户名|收款人|付款人|投保人|申请人|开户名|开户人|持卡人|乘客"
    r"|乘车人|入住人|户主)"
)
_PAPER = r"(?:身份证|户口本|护照|证件|驾照|学生证|实名认证)上?(?:的|写的|登记的)?"
_NAME_WORD = rf"{_OWN}名字"
_WORDY = "和成于连解时全单向关"  # family names that are mostly something else
# After these words a name comes, whatever it looks like.
_CALLED = r"(?:我叫做?[:“\"「 ]{0,2})"
_STRONG = (
    rf"(?:我名叫|我的名是|我的?(?:真名|本名|原名|全名|大名)(?![{_WORDY}])"
    rf"|{_FORM}(?:姓名|名字)?[,， ]?{_SAYS}|{_NAME_WORD}{_SAYS}|{_PAPER}(?:名字|姓名)?{_SAYS})"
    r"[:“\"「 ]{0,2}"
)
# After these an ordinary word is as likely: 本人程序员, 大名鼎鼎.
_WEAK = (
    rf"(?:(?<!日)本人|鄙人|(?:^|[，,。 ])在下|{_FORM}|{_PAPER}(?:名字|姓名)|(?:^|[，,。；、 ])名字"
    r"|(?:你好|您好|大家好|哈喽|嗨|hi|hello)[呀啊,，!！~ ]{0,2}我是"
    r"|我是(?=[^，,。\ue000\n]{2,4}[，, ](?:今年|来自|男|女|\d|电话|手机|住)))[,，]? ?"
)
# 寄到某处，吴思琪收: not 钱没收, 税照收.
_RECEIVES = r"(?<![没未已要该能先再可照通必拒签查接验丰征税创营回来])[（( ]{0,2}收(?![\u4e00-\u9fff])"
# What may follow a name; inside a longer word it would be no name (王者荣耀).
_ENDS_NAME = (
    r"(?=$|[^\u4e00-\u9fff]|今年|是|的|啊|呀|哦|喔|呢|吧|啦|来自|在|也|和|跟|你|很|男|女|住"
    r"|刚|以前|现在|目前|其实|请|以后|可以|毕业|认识|多多|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|性别|学生|生于"
    r"|出生|籍贯|身份证|手机|电话|微信|快\d|就是|这个|那个|大家|大学|高兴|喜欢|外号|昵称|小名|英文|不过"
    r"|但|因为|所以|平时|爱好|收(?![\u4e00-\u9fff]))"
)
_NOT_GIVEN = (
    "你他她它我们了的个过着在不好是什么为哥姐总师来去到就都也很吗呢吧啊呀回吃喝走停"
)
_GIVEN = rf"(?![{_NOT_GIVEN}])[\u4e00-\u9fff]"
# After 真名是 no verb comes: there is a 魏来, too.
_GIVEN_AS_SAID = r"(?![你他她它我们了的个过着吗呢吧啊呀什么])[\u4e00-\u9fff]"
_SINGLE_NAME = (
    # 他姓陈，名校毕业
    r"[,，、 ]?(?:名(?![校牌下家次额片词人气义声])|单名|单字|叫|名字(?:叫|是)|大名)(?:一个|单一个|单|个|叫|是|字)?"
)
# Nobody is called so, but dishes, callings and crowds are: 我叫黄焖鸡, 本人江苏人.
_NO_LAST_CHARACTER = frozenset("鸡鸭饭粥饼汤菜餐奶茶酒")
_NO_LAST_CHARACTER_UNLESS_SAID = frozenset("人员者派座族党粉迷控狗媛仔团队号生")
_FAMILY_AND_TITLE = re.compile(
    "(?:师傅|老师|先生|女士|小姐|医生|教授|经理|老板|阿姨|同学)$"
)
# With a middle dot, as names of other peoples are written: 阿依古丽·买买提.
_DOTTED = re.compile(
    rf"(?:{_CALLED}|{_STRONG})(?P<value>[\u4e00-\u9fff]{{1,8}}(?:·[\u4e00-\u9fff]{{1,8}}){{1,3}})"
)
_LATIN = re.compile(
    r"(?:my name is|(?:名字|姓名|拼音)(?:的?拼音)?(?:是|:)|我叫) ?(?P<value>(?:wang|li|zhang|liu"
    r"|chen|yang|huang|zhao|wu|zhou|xu|sun|ma|zhu|hu|guo|he|gao|lin|luo|zheng|liang|xie|song"
    r"|tang|han|feng|deng|cao|peng|zeng|xiao|tian|dong|pan|yuan|cai|jiang|yu|du|ye|cheng|wei"
    r"|su|lu|ding|ren|yao|shen|zhong|cui|tan|fan|shi|jia|fu|bai|zou|meng|xiong|qin|qiu|hou"
    r"|lei|long|tao|gu|mao|hao|gong|shao|wan|qian|dai|mo) [a-z]{2,12}(?: [a-z]{2,6})?"
    r"|[a-z]{2,12} (?:wang|li|zhang|liu|chen|yang|huang|zhao|wu|zhou|xu|zhu|guo|lin|luo"
    r"|zheng))(?![a-z])"
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ...], ...]:
    """Return the patterns after strong words, after weak ones, and in two parts."""
    words = _listed("surnames.txt")
    double = "|".join(word for word in words if len(word) == 2)
    single = "".join(word for word in words if len(word) > 2)
    family = rf"(?:{double}|[{single}])"
    full, as_said = (
        rf"(?P<value>{family}(?:{given}{{1,2}}"
        rf"|(?P<gap>[ ·*./-]){given}(?:(?P=gap){given})?)){_ENDS_NAME}"
        for given in (_GIVEN, _GIVEN_AS_SAID)
    )
    two_parts = rf"{family}{_SINGLE_NAME}(?!老){_GIVEN}{{1,3}}?"
    received = rf"{family}{_GIVEN}{{2}}|(?<=\ue000[，, ]){family}{_GIVEN}"
    return (
        (re.compile(_CALLED + full), re.compile(_STRONG + as_said)),
        (
            re.compile(rf"{_WEAK}(?![{_WORDY}]){full}"),
            re.compile(rf"(?:^|[，,。 \n])(?P<value>{received}){_RECEIVES}"),
            re.compile(
                rf"(?<=\ue000)[（( ](?P<value>{family}{_GIVEN}{{1,2}})(?=[)） ]|$)"
            ),
            re.compile(
                rf"(?:^|[，,。: \n])(?P<value>{family}{_GIVEN}{{2}})(?=[ :]\ue000)"
            ),
        ),
        (re.compile(rf"姓(?P<value>{two_parts})字?{_ENDS_NAME}"), _DOTTED, _LATIN),
    )


@cache
def _words() -> frozenset[str]:
    return frozenset(_listed("not_names.txt"))


def _listed(file: str) -> list[str]:
    lines = (_DATA / file).read_text(encoding="utf-8").splitlines()
    return " ".join(line for line in lines if not line.startswith("#")).split()


def find_names(view: View) -> Iterator[Span]:
    """Propose the full name in a self-introduction or a form."""
    strong, weak, plain = _patterns()
    for form in plain:
        yield from every(form, view.text)
    for form in (*strong, *weak):
        for match in form.finditer(view.text):
            name = match["value"]
            if _is_name(name) and (form in strong or _is_no_phrase(name)):
                yield Span(*match.span("value"))


def _is_name(name: str) -> bool:
    """Refuse words that only begin like a name."""
    if len(set(name)) == 1:  # a doubled character is a pet name: 周周
        return False
    if name[-1] in _NO_LAST_CHARACTER or _FAMILY_AND_TITLE.search(name):
        return False
    return name not in _words()


def _is_no_phrase(name: str) -> bool:
    """Refuse what begins with a word of the dictionary, or ends like a group."""
    is_word = rjieba.cut(name[:2], False) == [name[:2]]
    return not is_word and name[-1] not in _NO_LAST_CHARACTER_UNLESS_SAID
