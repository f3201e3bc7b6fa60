"""Handles: WeChat, QQ, Alipay and other networks.

Owns the words under which people pass a handle on, and the disguises of those words.
A handle is found only where such a word stands right before it, or right after it
(lily_88是我的微信), so that 微信怎么改头像 or QQ糖 stay untouched.
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.phones import GAP
from memsys.kernel.text.pii.view import Span, View

# What may stand between the name of a network and a handle in it. The first group are
# words that promise a handle; without one of them a handle must look like one.
_PROMISE = r"号码|号|账号|帐号|账户|u?id|搜索|搜|加我|加|是|为|叫|:|="
_FILLER = (
    r"我的|我|给你|你|成|改|一下|下|记|聊聊|聊|私|找|发|换|吧|哦|呀|哈|嘛|啦|呗|就|这个|也|新|的|现在"
    r"|名字|全?拼音?|缩写|同号|同q|[^\w\ue000\n@。!！?？;；]"
)
_LINK = rf"(?P<link>(?:{_PROMISE}|{_FILLER}){{0,8}})"
_PROMISED = re.compile(_PROMISE)
_NO_MORE_LETTERS = r"(?![a-z0-9_-])"
# A number that counts something is no handle: 企鹅10000只.
_NOT_COUNTED = r"(?!\d)(?! ?(?:只|个|块|元|分|岁|万|千|百|次|步|人|年|条|张|天|级|位|名|币|点|公里|米|度))"
_LETTER = r"(?:[a-z0-9_-]|下划线|下横线|底线|减号|中杠)"

_WECHAT_WORD = (
    r"(?:微[ ._·*+-]?[信❤]|[威薇徽魏维溦喂歪围唯伟卫未味伪]信|[薇威徽维微v]❤?x|[薇威徽维v]❤|(?<![a-z0-9])[vw] ?信|we ?chat"
    r"|wei ?xin|绿泡泡?|绿色的?(?:那个)?(?:软件|图标|泡泡|app)|绿聊|卫星号?|🛰|企微)"
)
_WECHAT_NAME = (
    rf"(?:{_WECHAT_WORD}|(?<![a-z0-9])(?:[vw][ ❤]?x|v(?= ?[:=]|❤))"
    r"|(?:加|\+|扫|搜|同|我的?)(?:个|下|一下|我|你)?(?:v ?x?|w ?x|薇|微|威|v信)(?![a-z])"
    r"|(?:加|\+)(?:个|我)?v(?!i[pdae]|al|r|pn|log|ue|lan|oice)|[薇威微](?= ?[:=]))"
)
_WECHAT = re.compile(
    rf"{_WECHAT_NAME}{_LINK}"
    rf"(?P<value>[a-z]{_LETTER}{{4,19}}{_NO_MORE_LETTERS}"
    rf"|\d{{1,6}}[a-z_][a-z0-9_-]{{3,18}}{_NO_MORE_LETTERS}|[1-9]\d{{5,10}}{_NOT_COUNTED})"
)
_WECHAT_ID = re.compile(r"(?P<value>(?<![a-z0-9_])wxid_[a-z0-9]{6,30})")
_NO_HANDLE = re.compile(
    r"(?:iphone|ipad|ios|android|windows|mac|huawei|mate|vivo|oppo|redmi|app|emoji"
    r"|wechat|weixin|tencent|http|www|version|official|moments|sticker|alipay|taobao"
    r"|gps|starlink|sputnik|python|word|excel|office|ppt|pdf|mp[34]|(?:chat)?gpt|[rg]tx|airpods"
    r"|galaxy|note|pixel|switch|kindle|covid|usb|wifi|bmw)"
    r"[\d-]{0,4}(?:pro|max|plus|s)?$"
)

_QQ_WORD = (
    r"(?:(?<![a-z0-9])q ?q|扣扣|叩叩|抠抠|蔻蔻|口口|小?企鹅|🐧|球球|秋秋|丘丘|扣q|q扣)"
)
_QQ_NAME = (
    rf"(?:{_QQ_WORD}"
    r"|(?:加|\+|我的?|扣|有)(?:个|下|一下|我|你)?q(?![a-z])"
    r"|(?<![a-z0-9])q(?= ?[:=号]|我))"
)
_QQ = re.compile(
    rf"{_QQ_NAME}(?:群|小号|大号|邮箱)?{_LINK}"
    rf"(?P<value>[1-9]\d{{4,10}}{_NOT_COUNTED}"
    rf"|[1-9](?:[ _-]?\d){{4,10}}{_NOT_COUNTED}(?! ?\d))"
)

_ALIPAY_NAME = r"(?:支付宝|支付鸨|支付寳|支fu宝|(?<![a-z0-9])(?:zfb|alipay))"
_ALIPAY = re.compile(
    rf"{_ALIPAY_NAME}{_LINK}"
    r"(?P<value>[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}"
    rf"|(?:\+?86[ -]?)?1[3-9]\d(?:{GAP})?\d{{4}}(?:{GAP})?\d{{4}}(?!\d)|2088\d{{12}}(?!\d)"
    rf"|(?=[a-z_-]{{0,15}}\d)[a-z][a-z0-9_-]{{5,19}}{_NO_MORE_LETTERS})"
)

_SOCIAL_WORD = (
    r"(?:抖音|某音|快手|视频号|小红书|小红薯|某书|微博|围脖|b站|哔哩哔哩|知乎|贴吧|陌陌|探探"
    r"|soul|推特|脸书|电报|纸?飞机|闲鱼|旺旺"
    r"|(?<![a-z0-9])(?:ins|ig|instagram|twitter|telegram|tg|line|whatsapp|facebook|fb"
    r"|snapchat|discord|skype|kakao|tiktok|steam|xhs|bilibili|钉钉))"
)
_SOCIAL = re.compile(
    rf"{_SOCIAL_WORD}{_LINK}"
    r"(?P<value>@[a-z0-9_.\u4e00-\u9fff-]{2,30}"
    rf"|[a-z0-9][a-z0-9_.-]{{3,29}}(?:#\d{{4}})?{_NO_MORE_LETTERS})"
)
# The account that a password is told for.
_LOGIN = re.compile(
    r"(?:账号|帐号|用户名|登录名|username|user|account)(?:是|为|:|=| ){0,3}"
    r"(?P<value>[a-z0-9][a-z0-9_.-]{2,40})(?=[^a-z0-9\ue000]{0,4}(?:密码|口令|password|pwd|pass)"
    r"[是为:= ]{0,3}[!-~\ue000])"
)

# The name after the handle: 20394857是我的扣扣, lily_88 加微信.
_NAMED_AFTER = (
    r"(?:[ ,，:)（(”\"-]{0,3}(?:(?=[这就是我俺本])(?:这个?|就|才|都)?(?:就?是)?(?:我|俺|本人)?(?:的)?"
    r"(?:新|小号|大号|工作)?|[加搜]个?)|[ ,，（(]{1,3})"
)
_ENDS_NAME = r"(?:号码|号|账号|id)?(?=$|[^\w]|[哦喔呀哈啊呢吧啦加记搜别了有])"


def _named_after(word: str, value: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<value>(?<![a-z0-9_@.-]){value}){_NAMED_AFTER}{word}{_ENDS_NAME}"
    )


_WECHAT_AFTER = _named_after(
    rf"(?:{_WECHAT_WORD}|vx|wx)", r"(?=[a-z-]{0,18}[\d_])[a-z][a-z0-9_-]{5,19}"
)
_QQ_AFTER = _named_after(rf"(?:{_QQ_WORD}|q)", r"[1-9]\d{4,10}")
_SOCIAL_AFTER = _named_after(
    _SOCIAL_WORD, r"(?=[a-z.-]{0,18}[\d_])[a-z0-9][a-z0-9_.-]{3,29}"
)
# Over other words (企鹅号换了，现在是…) only what can hardly be anything else.
_OVER_WORDS = r"(?P<words>[^a-z0-9\ue000\n。!！?？;；]{1,14})"
_WECHAT_NEARBY, _SOCIAL_NEARBY = (
    re.compile(
        rf"{word}{_OVER_WORDS}(?P<value>[a-z][a-z0-9_.-]{{5,19}}){_NO_MORE_LETTERS}"
    )
    for word in (rf"(?:{_WECHAT_WORD}|(?<![a-z0-9])[vw]x)", _SOCIAL_WORD)
)
_PASSED_ON = re.compile("[加搜换叫是:呗记名拼]|[给发][你您]|我的")
_HARDLY_A_WORD = re.compile(r".*_|(?=.*\d.*\d).*[a-z].*[a-z].*[a-z]")
_NUMBER_NEARBY = re.compile(
    rf"(?:{_WECHAT_WORD}|{_QQ_WORD})(?!音乐|飞车|农场|空间|游戏|炫舞|群|宠物|支付|钱|运动|步|上|里)"
    rf"[^a-z0-9\ue000\n。!！?？;；]{{1,12}}(?:是|:|叫|为|[给发][你您])(?P<value>[1-9]\d{{5,9}})"
    rf"{_NOT_COUNTED}"
)
# Words that promise a handle elsewhere; one may search there for anything.
_SOCIAL_PROMISED = re.compile(r"号|账|帐|id|[是为叫加:=]")


def find_wechat(view: View) -> Iterator[Span]:
    """Propose handles at the network's name, and raw account ids."""
    yield from every(_WECHAT_ID, view.text)
    for text in view.readings:
        yield from _handles(_WECHAT, text)
    for form in (_WECHAT_AFTER, _WECHAT_NEARBY):
        yield from _handles(form, view.text)


def find_qq(view: View) -> Iterator[Span]:
    """Propose numbers at the network's name, spoken ones included."""
    for text in view.readings:
        for form in (_QQ, _QQ_AFTER, _NUMBER_NEARBY):
            yield from every(form, text)


def find_alipay(view: View) -> Iterator[Span]:
    """Propose the address, mobile or account number after the name."""
    yield from every(_ALIPAY, view.text)


def find_social(view: View) -> Iterator[Span]:
    """Propose handles in other networks, and log-ins told with their password."""
    yield from every(_LOGIN, view.text)
    for span in _handles(_SOCIAL, view.text):
        value = view.text[span.start : span.end]
        promised = _SOCIAL_PROMISED.search(before(view, span, characters=3))
        if value.startswith("@") or promised or re.search(r"[a-z].*\d|_", value):
            yield span
    for form in (_SOCIAL_AFTER, _SOCIAL_NEARBY):
        yield from _handles(form, view.text)


def _handles(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Leave out product names, and bare words that nothing promised."""
    position = 0
    while match := pattern.search(text, position):
        position = match.start() + 1
        if _is_meant(**match.groupdict()) and not _NO_HANDLE.match(match["value"]):
            yield Span(*match.span("value"))


def _is_meant(value: str, link: str = "=", words: str = "") -> bool:
    """Say whether words promise the handle, or it looks like one by itself."""
    if words:
        return bool(_PASSED_ON.search(words) and _HARDLY_A_WORD.match(value))
    looks_like_one = re.search(r"[0-9_]|线|杠|号", value) and not value.isdigit()
    return bool(_PROMISED.search(link) or looks_like_one or value[0] == "@")
