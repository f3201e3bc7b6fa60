"""Postal addresses, down to a door.

Owns what makes a place exact: a road with a number, an estate with a building, or a
building with a unit or a room. A city or a district alone is no address and stays, for where somebody lives is
worth remembering. Without such a number nothing is found.
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.view import Span, View

_HAN = "\u4e00-\u9fff"
_COUNT = "0-9一二三四五六七八九十百零"
_NUMBER = rf"(?:[{_COUNT}]{{1,5}}|[a-z](?![a-z]))(?:-[0-9]{{1,4}}){{0,3}}"
_UNIT = r"(?:号楼|号院|栋|幢|座|单元|楼|层|弄|室|房间|房|寝室|宿舍|门|户|号)"
# 教室 and 办公室 are rooms of no address; 号线 and 号选手 count other things.
_NOT_A_DOOR = r"(?!线|选手|机|球|出发|晚|早|上午|下午|前|后|见|到|开|考|放|发|就|才|的)"
_UNITS = rf"(?: ?{_NUMBER} ?{_UNIT}{_NOT_A_DOOR})"
_ROAD = re.compile(
    rf"(?<![知难味频报管渠轨赛隧一走上公半出思套线铁马网])(?:路|街|道|巷|胡同|弄)(?:[东南西北中]段?)?"
    rf"(?P<units>{_UNITS}{{1,6}}(?:[{_COUNT}]{{2,5}}(?![{_COUNT}点分年月日个]))?)"
    rf"|(?<=一)(?:路|道|街|巷)(?P<first>{_UNITS}{{1,6}})"
)
_BUILDING = re.compile(
    rf"(?P<units>(?:[a-z0-9一二三四五六七八九十]{{1,3}}(?:号楼|栋|幢|座|单元|号院|舍)){_UNITS}{{0,4}}"
    rf"(?: ?[0-9]{{1,2}}-?[0-9]{{2,4}}(?:室|房|寝室?)?(?![{_COUNT}点分年月日个元块])"
    rf"|(?<=[室房舍户]))"
    rf")"
)
# An estate's name with a building in it; parks and schools are no estates.
_ESTATE = re.compile(
    r"(?:小区|花园|家园|嘉园|公寓|新村|家属院|(?<![公儿校物乐田果花家嘉])园|苑|坊|公馆)"
    r"(?:[一二三四五六七八九十东南西北]{1,2}[区期])?"
    rf"(?P<units> ?[{_COUNT}]{{1,4}} ?(?:号楼|号院|栋|幢|座|单元){_UNITS}{{0,4}}"
    rf"(?:[0-9]{{3,4}}(?:室|房)?(?![{_COUNT}点分年月日个元块]))?| ?[0-9]{{2,4}} ?楼(?![上下梯层]))"
)
# Regions that an address may begin with; what stands before one is not part of it.
_REGION = re.compile(
    "北京|天津|上海|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南"
    "|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆"
    "|香港|澳门"
)
# Words after which an address begins.
_LEAD = re.compile(
    r".*(?:住址?在?|地址|位于|寄到|寄给|寄往|寄|送到|发到|发往|搬到|搬去|来到?|回到?|去|到"
    r"|宿舍|公司|单位|学校|老家|我家|家|在|是|叫|就|这里|那里|[:，。！？；、 \n(])",
    re.DOTALL,
)
_PART_OF_PLACE = re.compile(rf"[{_HAN}0-9a-z-]")
_FURTHER_UNITS = re.compile(rf"[{_HAN}]{{0,8}}?{_UNITS}{{1,4}}")
_REACH = 40
_MAX_NAMES = 3


def find_addresses(view: View) -> Iterator[Span]:
    """Propose each place that is named down to a door, with its region."""
    for pattern in (_ROAD, _ESTATE, _BUILDING):
        position = 0
        while match := pattern.search(view.text, position):
            start = _start(view.text, max(position, match.start() - _REACH), match)
            position = _end(view.text, match.end())
            if start < match.start() or pattern is not _ROAD:
                yield Span(start, position)


def _start(text: str, earliest: int, match: re.Match[str]) -> int:
    """Walk back over the road's name and the region, as far as allowed."""
    start = anchor = match.start()
    while start > earliest and _PART_OF_PLACE.match(text, start - 1):
        start -= 1
    if region := _REGION.search(text, start, anchor):
        return region.start()
    lead = _LEAD.match(text, start, anchor)
    return lead.end() if lead else start


def _end(text: str, end: int) -> int:
    """Take in further units that follow a name: 阳光花园3单元502室."""
    for _ in range(_MAX_NAMES):
        more = _FURTHER_UNITS.match(text, end)
        if not more:
            break
        end = more.end()
    return end
