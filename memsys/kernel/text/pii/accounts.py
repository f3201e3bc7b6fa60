"""Handles: e-mail, WeChat, QQ, Alipay and other networks.

Owns the words under which people pass a handle on, and the disguises of those words.
A handle is found only where such a word stands right before it, so that 微信怎么改头像
or QQ糖 stay untouched; an e-mail address is found by its form alone.
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.view import Span, View

_MAIL_AT = re.compile(
    r"@| @ | ?[(\[{<]at[)\]}>] ?|艾特|小老鼠"
    r"| at (?=[a-z0-9-]{1,63} ?(?:dot|点))|#(?=[a-z0-9-]{1,63}\.(?:com|cn|net))"
)
_MAIL_NAME = re.compile(r"[a-z0-9._%+-]")
_TOP_DOMAIN = r"(?:com|cn|net|org|edu|gov|io|me|cc|top|xyz|vip|hk|tw|jp|info|co)"
_MAIL_HOST = re.compile(
    r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,24}"
    rf"|[a-z0-9-]{{1,63}}(?:(?:\.|点| ?dot ?)[a-z0-9-]{{1,63}}){{0,3}}"
    rf"(?:点| ?dot ?){_TOP_DOMAIN}(?![a-z])"
)

# What may stand between the name of a network and a handle in it. The first group are
# words that promise a handle; without one of them a handle must look like one.
_PROMISE = r"号码|号|账号|帐号|账户|u?id|搜索|搜|加我|加|是|为|叫|:|="
_FILLER = r"我的|我|给你|一下|聊聊|聊|私|找|吧|哦|呀|哈|嘛|同号|[ ~\"'“”「(\[/，,-]"
_LINK = rf"(?P<link>(?:{_PROMISE}|{_FILLER}){{0,7}})"
_PROMISED = re.compile(_PROMISE)
_NO_MORE_LETTERS = r"(?![a-z0-9_-])"
# A number that counts something is no handle: 企鹅10000只.
_NOT_COUNTED = r"(?!\d)(?! ?(?:只|个|块|元|分|岁|万|千|百|次|步|人|年|条|张))"

_WECHAT_NAME = (
    r"(?:微[ ._·*+-]?信|威信|薇信|徽信|魏信|维信|微❤|薇❤|v❤|(?<![a-z0-9])[vw]信|wechat|weixin"
    r"|(?<![a-z0-9])(?:vx|wx|v(?= ?:))|绿泡泡|绿色软件|卫星号|卫星(?= ?:)|企微"
    r"|(?:加|\+|扫|我的?)(?:个|下|一下|我|你)?(?:vx?|wx|薇|微|v信)(?![a-z]))"
)
_WECHAT = re.compile(
    rf"{_WECHAT_NAME}{_LINK}"
    rf"(?P<value>[a-z][a-z0-9_-]{{4,19}}{_NO_MORE_LETTERS}|[1-9]\d{{5,10}}{_NOT_COUNTED})"
)
_WECHAT_ID = re.compile(r"(?P<value>(?<![a-z0-9_])wxid_[a-z0-9]{6,30})")
_NO_HANDLE = re.compile(
    r"(?:iphone|ipad|ios|android|windows|mac|huawei|mate|vivo|oppo|redmi|app|emoji"
    r"|wechat|weixin|tencent|http|www|version|official|moments|sticker|alipay|taobao)"
    r"[\d-]{0,4}(?:pro|max|plus|s)?$"
)

_QQ_NAME = (
    r"(?:(?<![a-z0-9])qq|扣扣|叩叩|抠抠|蔻蔻|企鹅|球球|秋秋|丘丘"
    r"|(?:加|我的?|扣|有)(?:个|下|一下|我|你)?q(?![a-z])|(?<![a-z0-9])q(?= ?[:号]))"
)
_QQ = re.compile(
    rf"{_QQ_NAME}(?:群|小号|大号)?{_LINK}"
    rf"(?P<value>[1-9]\d{{4,10}}{_NOT_COUNTED}"
    rf"|[1-9](?:[ -]?\d){{4,10}}{_NOT_COUNTED}(?! ?\d))"
)

_ALIPAY = re.compile(
    rf"(?:支付宝|支付鸨|(?<![a-z0-9])(?:zfb|alipay)){_LINK}"
    r"(?P<value>[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}"
    r"|(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)|2088\d{12}(?!\d))"
)

_SOCIAL_NAME = (
    r"(?:抖音|快手|小红书|微博|b站|哔哩哔哩|知乎|贴吧|陌陌|探探|soul|推特|脸书|电报|飞机"
    r"|(?<![a-z0-9])(?:ins|ig|instagram|twitter|telegram|tg|line|whatsapp|facebook|fb"
    r"|snapchat|discord|skype|kakao|tiktok|steam|钉钉))"
)
_SOCIAL = re.compile(
    rf"{_SOCIAL_NAME}{_LINK}"
    r"(?P<value>@[a-z0-9_.\u4e00-\u9fff-]{2,30}"
    rf"|[a-z0-9][a-z0-9_.-]{{3,29}}{_NO_MORE_LETTERS})"
)


def find_emails(view: View) -> Iterator[Span]:
    """Propose the text around each at sign, however it is written."""
    text = view.text
    for at in _MAIL_AT.finditer(text):
        host = _MAIL_HOST.match(text, at.end())
        if not host:
            continue
        start, earliest = at.start(), max(at.start() - 64, 0)
        while start > earliest and _MAIL_NAME.match(text, start - 1):
            start -= 1
        while start < at.start() and text[start] in ".%+-":
            start += 1
        if start < at.start():
            yield Span(start, host.end())


def find_wechat(view: View) -> Iterator[Span]:
    """Propose handles after the network's name, and raw account ids."""
    yield from every(_WECHAT_ID, view.text)
    yield from _handles(_WECHAT, view.text)


def find_qq(view: View) -> Iterator[Span]:
    """Propose numbers after the network's name, spoken ones included."""
    for text in dict.fromkeys((view.text, view.spoken)):
        yield from every(_QQ, text)


def find_alipay(view: View) -> Iterator[Span]:
    """Propose the address, mobile or account number after the name."""
    yield from every(_ALIPAY, view.text)


def find_social(view: View) -> Iterator[Span]:
    """Propose handles in other networks."""
    for span in _handles(_SOCIAL, view.text):
        value = view.text[span.start : span.end]
        promised = _PROMISED.search(before(view, span, characters=3))
        if value.startswith("@") or promised or re.search(r"[a-z].*\d|_", value):
            yield span


def _handles(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Leave out product names, and bare words that nothing promised."""
    position = 0
    while match := pattern.search(text, position):
        position = match.start() + 1
        value, promised = match["value"], _PROMISED.search(match["link"])
        looks_like_one = re.search(r"[0-9_]", value) and not value.isdigit()
        if (promised or looks_like_one or value[0] == "@") and not _NO_HANDLE.match(
            value
        ):
            yield Span(*match.span("value"))
