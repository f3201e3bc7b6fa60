"""What others say, written without quotation marks: 室友：我对花粉过敏.

Owns who or what stands before the colon. It puts the marks that the writer left out,
and what stands in marks is not read (`clauses`).

>>> as_quoted("室友：我对花粉过敏"), as_quoted("备注：我对花粉过敏")
('室友：“我对花粉过敏”', '备注：我对花粉过敏')
"""

import re

from memories.extraction.lexicon.people import KIN, NAME

_SAYS = (
    r"(?:刚|刚刚|刚才|今天|昨天|昨晚|又|还|突然|在(?:群里|朋友圈|微博|评论区))*"
    r"(?:(?:跟|和|对|给|问)我?)?(?:说|讲|问|喊|道|回复?|回我|评论|留言|吐槽|抱怨|发(?:来|了|的)?(?:消息|微信|语音|短信|朋友圈|微博|帖子?|动态|弹幕)?|告诉我)(?:了|道|的是|一句)?"
)
_WHO = rf"(?:我|咱|俺)?(?:们)?(?:家|的|那个)?(?:大学|高中|公司)?(?:{KIN}|{NAME}[一-龥]?|小[一-龥]|阿[一-龥]|他|她|他们|她们|对方|有人|网友|楼主|博主|主播|客服|前台|群友|路人)"
_WORK = (
    r"(?:刚|刚刚|今天|昨天|我)*(?:看到|刷到|读到|听到|翻到|转|转发|分享)(?:了|一?[个条篇段首句]|别人的?)*(?:帖子|评论|微博|视频|段子|笔记|新闻|文章|弹幕|朋友圈|歌|话|文案|签名|说说)?(?:里|上|里面)?(?:说|写|写着|写道|讲|的是)?"
    r"|(?:转发|群里|群聊|微信群|私信|短信|转一?[个下]|转自|原文|原话|歌词|台词|文案|题目|例句|译文|段子|标题|签名|范文|模板|旁白|书里|小说里|剧里|电影里|新闻里?|帖子里?|评论区?|网上|有句(?:话|歌词|台词))"
    r"(?:里|上)?(?:说|写|写着|唱|讲)?(?:是|的是)?(?:这样的?|这么(?:说|写|唱)的?)?"
    r"|(?:帮我)?翻译(?:一下|下)?|.{0,6}(?:用英语怎么说|英文是)"
)
_REPORT = re.compile(
    rf"^(?P<head>[^\n，。！？,!?“”\"「」:：]{{0,6}}?(?:{_WHO}(?:{_SAYS})?|{_WORK})\s*[:：])(?P<said>[^\n“”\"「」『』]+)$",
    re.MULTILINE,
)
# 歌词是这样的，我在北京上班: told by its name alone, after a comma too.
_RECITED = re.compile(
    r"^(?P<head>[^\n，。！？,!?“”]{0,4}(?:歌词|台词|原文|原话|文案|段子)(?:就)?是(?:这样的?|这么(?:说|写|唱)的?)?[，,]|^(?:刚|刚刚|今天|昨天|我)*(?:在)?(?:抖音|b站|微博|小红书|知乎|快手|豆瓣|贴吧|网上|朋友圈|公众号|热搜)(?:上|里)?(?:刷到|看到|看见)的[，,：:])(?P<said>[^\n“”\"「」『』]+)$",
    re.MULTILINE,
)


def as_quoted(text: str) -> str:
    """Put marks of quotation around what a line only reports."""
    for pattern in (_REPORT, _RECITED):
        text = pattern.sub(_quoted, text)
    return text


def _quoted(match: re.Match[str]) -> str:
    said = match["said"]
    body = said.lstrip()
    return f"{match['head']}{said[: len(said) - len(body)]}“{body}”"
