"""Postal addresses, down to a door.

Owns what makes a place exact: a road with a number, an estate with a building, a
building with a unit or a room, a house in a village. A city or a district alone is no
address and stays, for where somebody lives is worth remembering. Without such a number
only a village with its township is found.

    >>> view = View.of("老家在太康县王集乡李楼村三组18号")
    >>> span = next(find_addresses(view))
    >>> view.text[span.start : span.end]
    '太康县王集乡李楼村三组18号'
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.view import Span, View

_HAN = "\u4e00-\u9fff"
_COUNT = "0-9一二三四五六七八九十百零〇"
_NUMBER = rf"(?:[甲乙丙丁附]?[{_COUNT}]{{1,5}}[甲乙丙丁]?|[a-z](?![a-z]))(?:-[0-9]{{1,4}}){{0,3}}"
_UNIT = r"(?:号(?:宿舍|公寓|教工)?楼|号院|栋|幢|座|塔|单元|楼|层|支?弄|室|房间|房|寝室|宿舍|门|户|号)"
# 教室 and 办公室 are rooms of no address; 号线 and 号选手 count other things.
_NOT_A_DOOR = r"(?!线|选手|机|球|出发|晚|早|上午|下午|前|后|见|到|开|考|放|发|就|才|的)"
_UNITS = rf"(?: ?{_NUMBER} ?{_UNIT}{_NOT_A_DOOR})"
_NOT_COUNTED = rf"(?![{_COUNT}点分年月日个元块人万米平斤度%.:/-])"
_ROOM = (
    rf"(?: ?(?:[a-z]?[{_COUNT}]{{3,4}}[a-z]?|[0-9]{{1,2}}[a-h](?![a-z]))"
    rf"(?:室|房间?|号房?|寝室?)?{_NOT_COUNTED})"
)
_ROAD = re.compile(
    rf"(?<![的这那知难味频报管渠轨赛隧一走上公半出思套线铁马网])(?:路|街|道|巷|胡同|弄|[一二三四五六七八九十]条)"
    rf"(?:[东南西北中上下]段?|[一二三四五六]段)?"
    rf"(?P<units>{_UNITS}{{1,6}}(?: ?[{_COUNT}]{{2,5}}{_NOT_COUNTED})?)"
    rf"|(?<=一)(?:路|道|街|巷)(?P<first>{_UNITS}{{1,6}})"
)
_BUILDING_UNIT = r"(?:号(?:宿舍|公寓)?楼|栋|幢|座|单元|号院|舍)"
_BUILDING = re.compile(
    rf"(?P<units>(?:[a-z0-9一二三四五六七八九十]{{1,3}}{_BUILDING_UNIT}){_UNITS}{{0,4}}"
    rf"(?: ?[0-9]{{1,2}}-?[0-9]{{2,4}}(?:室|房|寝室?)?{_NOT_COUNTED}|{_ROOM}|(?<=[室房舍户]))"
    rf")"
)
# An estate's name with a building in it; parks and schools are no estates.
_ESTATE_NAME = (
    r"(?:小区|花园|家园|嘉园|公寓|新村|家属院|社区|大院|山庄|别墅|豪庭|名邸|(?<![公儿校物乐田果花家嘉])园"
    r"|苑|坊|公馆|soho)"
)
_ESTATE = re.compile(
    rf"{_ESTATE_NAME}(?:[一二三四五六七八九十东南西北]{{1,2}}[区期])?"
    rf"(?P<units> ?[a-z{_COUNT}]{{1,4}} ?(?:号楼|号院|栋|幢|座|单元){_UNITS}{{0,4}}{_ROOM}?"
    rf"| ?[0-9]{{2,4}} ?楼(?![上下梯层])"
    rf"| ?[a-z]?[0-9]{{1,3}}(?:-[0-9]{{1,4}}){{1,2}}{_NOT_COUNTED}"
    r"|(?:[东南西北大正后]门|楼下|门口|里面?)?的?(?:丰巢|蜂巢|快递柜|自提柜|菜鸟|驿站))"
)
# With a word before it that says that one lives there, any name and building will do.
_LIVES = r"(?:[住搬寄送]在?到?|家在|家是|地址(?:是|在|:)?|(?:快递|外卖|东西)[到放送]?)"
_NO_HOME = re.compile(
    r"公园|幼儿园|学校|校园|医院|图书馆|商场|机场|航站|车站|食堂|教学|展厅|电影院|影城|地铁"
)
_LED = re.compile(
    rf"{_LIVES}[{_HAN}0-9a-z ·]{{2,16}}?"
    rf"(?P<units>(?<![0-9])[0-9一二三四五六七八九十]{{1,3}}(?:号楼|栋|幢|座|弄){_UNITS}{{0,4}}{_ROOM}?"
    rf"|(?<![0-9-])[a-z]?[0-9]{{1,3}}-[0-9]{{1,2}}-[0-9]{{2,4}}(?:室|房)?(?![0-9-])"
    rf"|(?<=[店馆厦场心际o寓邸府城湾里庭轩楼座])(?: ?[a-z][0-9]?座?)?{_ROOM}"
    rf"|(?:宿舍楼?|寝室) ?(?:[0-9]{{1,2}}[-#栋])?{_ROOM})"
)
_DORMITORY = re.compile(
    r"(?:宿舍楼?|寝室)(?:号|就?是|在|:| ){0,3}(?:[东南西北]区)?"
    rf"(?P<units>[0-9]{{1,2}}(?:[-#]|栋|号楼){_ROOM})"
)
_VILLAGE = re.compile(
    rf"(?:[{_HAN}]家|(?<=[{_HAN}]))(?<![我你他她们咱全农乡个本关到回在去来进这那])[村屯寨](?:[东西南北]头)?"
    rf"(?P<units>[{_COUNT}]{{1,3}}[组队社]{_UNITS}{{0,2}}|{_UNITS}{{1,3}})"
)
_TOWNSHIP = re.compile(
    rf"(?<=[{_HAN}][省市县区州旗])[{_HAN}]{{1,5}}?(?:镇|乡|街道)"
    rf"(?P<units>[{_HAN}]{{1,5}}?(?:村|屯|社区|寨))(?![里上民委口])"
)
# Regions that an address may begin with; what stands before one is not part of it.
_REGION = re.compile(
    "北京|天津|上海|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南"
    "|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆"
    "|香港|澳门"
)
# Words after which an address begins.
_LEAD = re.compile(
    r".*(?:住址?在?|地址|位于|寄到|寄给|寄往|寄|送到|发到|发往|搬到|搬去|来到?|回到?|去|到|放在?"
    r"|宿舍|公司|单位|学校|老家|我家|家|在|是|叫|就|这里|那里|[:，。！？；、 \n(])",
    re.DOTALL,
)
_PART_OF_PLACE = re.compile(rf"[{_HAN}0-9a-z-]")
_FURTHER = re.compile(
    rf"[{_HAN}a-z]{{0,10}}?{_UNITS}{{1,4}}{_ROOM}?"
    rf"|[{_HAN}a-z]{{1,10}}?(?:大厦|大楼|广场|中心|公寓|酒店|国际|小区|花园|园区?|苑|城|soho){_ROOM}"
    r"|(?:[东南西北]门|楼下|门口|旁边?)?的?(?:丰巢|蜂巢|快递柜|自提柜|菜鸟驿站|驿站)(?:快递)?柜?"
)
_REACH = 40
_MAX_NAMES = 3


def find_addresses(view: View) -> Iterator[Span]:
    """Propose each place that is named down to a door, with its region."""
    text = view.text
    for form in (_ROAD, _ESTATE, _VILLAGE, _TOWNSHIP, _BUILDING, _DORMITORY, _LED):
        position = 0
        while match := form.search(text, position):
            place = match.start("units") if form is _LED else match.start()
            start = _start(text, max(position, place - _REACH), place)
            position = _end(text, match.end())
            is_named = start < place or form not in (_ROAD, _LED)
            is_public = form is _LED and _NO_HOME.search(text, start, match.end())
            if is_named and not is_public:
                yield Span(start, position)


def _start(text: str, earliest: int, anchor: int) -> int:
    """Walk back over the road's name and the region, as far as allowed."""
    start = anchor
    while start > earliest and _PART_OF_PLACE.match(text, start - 1):
        start -= 1
    if region := _REGION.search(text, start, anchor):
        return region.start()
    lead = _LEAD.match(text, start, anchor)
    return lead.end() if lead else start


def _end(text: str, end: int) -> int:
    """Take in further units that follow a name: 阳光花园3单元502室."""
    for _ in range(_MAX_NAMES):
        more = _FURTHER.match(text, end)
        if not more:
            break
        end = more.end()
    return end
