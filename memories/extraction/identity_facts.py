"""Who the user is: where they live, what they do, what they study, how old they are.

Owns the attributes of which a person has one at a time, each in its own slot.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [(d.key, d.value) for d in find(read(cut("我搬到上海浦东了，在银行上班", now=now)))]
[('city', '上海浦东'), ('workplace', '银行')]
"""

import re
from collections.abc import Iterator, Sequence

from memories.extraction.drafts import Draft, as_said, statement
from memories.extraction.facts import Attribute, find_attributes
from memories.extraction.lexicon.places import PLACE
from memories.extraction.lexicon.work import DEGREE, GRADE, JOB, JOB_NAME, TRADE
from memories.extraction.stance import SECOND, THIRD, Reading
from memories.slots import slot_key
from memsys.kernel.text.timewords.numerals import SMALL_NUMBER

_NOT_A_CITY = (
    r"^(?:新(?!疆|加坡|西兰|乡|竹|北|界)|这|那|公司|宿舍|家|一起|楼|同|男|女|朋友|学校|隔壁"
    r"|外面|酒店|医院|单位|哪|父母|爸|妈|一|几|他|她|你|老|二|三|四|出租|医)"
)
_NOT_A_WORKPLACE = (
    r"^(?:家|公司$|这|那|外面|单位$|哪|一起|办公室|楼|外地|周|晚|努力|认真|同|一家公司|当前)"
    r"|换|找|考虑|思考|想|准备|忙|寻|几份|学习|好好"
)
_END = r"(?=$|了|的(?!话|时候)|啦|呀|嘛|哦|吧|已|,|都|也|好|快|第|\d|[一二三四五六七八九十两])"
_SOFT = "[嘛啊呀哈哦呢啦]?"
_DATE = rf"(?:农历|阴历|阳历)?(?:{SMALL_NUMBER}|正|腊)月(?:初|廿)?{SMALL_NUMBER}[号日]?"

TABLE = (
    Attribute("city", rf"(?:家里?|们)?(?:就|还|现在)?(?:定居|住)(?:在|于|到)?(?P<value>{PLACE})"),
    Attribute("city", r"(?:家|们)?住(?:在)?(?P<value>[a-z][a-z ]{3,20})$"),
    Attribute("city", r"(?:定居|住)(?:在|于)(?P<value>[一-龥]{2,6})$", never=_NOT_A_CITY),
    Attribute("city", rf"(?:从{PLACE})?搬(?:家)?(?:到|来|去|回|至)了?(?P<value>{PLACE})"),
    Attribute("city", r"搬(?:到|去)了?(?P<value>[一-龥]{2,6}?)了?$", never=_NOT_A_CITY),
    Attribute("city", rf"(?:调|换|转|跳槽|派|回)(?:到|去|来)了?(?P<value>{PLACE})(?=工作|上班|了$)"),
    Attribute(
        "city",
        rf"人?在(?P<value>{PLACE})(?:这边)?(?=上班|工作|读|念|上学|上大学|生活|打工|实习|定居"
        r"|租|跑|开|教|卖|送|修|种|写|搞|干|混|摆摊|念书|经营|买了?房|有了?(?:自己|房|家)|做|当|待了|呆了|漂着|一个人住|独居|合租|住|开了?[一家]|(?:都|也|已经|快)*[一二三四五六七八九十两\d]+多?年)",
    ),
    Attribute("city", rf"留在(?P<value>{PLACE})(?!过年|玩|吃)"),
    Attribute("major", r"(?:现在|目前)(?:在)?(?:读|学|念)(?P<value>[一-龥]{2,6})$", never="书|习|校|会"),
    Attribute("city", rf"(?:人在|(?<=我)(?:现在|目前)?在)(?P<value>{PLACE})$"),
    Attribute("city", rf"来(?P<value>{PLACE})(?=.{{0,4}}年了?$|上班|工作|读书|发展|打拼)"),
    Attribute("hometown", rf"是(?:一?个|地地道道的?|土生土长的?"
        rf"|正宗的?)?(?P<value>{PLACE})(?:本地)?人(?!$^)"),
    Attribute("hometown", rf"(?:老家|家乡)(?:是|在)(?P<value>{PLACE}|[一-龥]{{2,6}}(?=的|$))"),
    Attribute("hometown", rf"(?:来自|从小在)(?P<value>{PLACE})"),
    Attribute("hometown", rf"(?<=我)们?家(?:就|是)?在(?P<value>{PLACE})"),
    Attribute("job", rf"(?:干|做|当)了?(?:快|都|有)?{SMALL_NUMBER}[多几来]?年的?(?P<value>{JOB}|{TRADE})", is_outright=True),
    Attribute("hometown", rf"在(?P<value>{PLACE})(?:长大|长到|出生|土生土长)"),
    Attribute("hometown", rf"(?<=我)(?:家|老家|一个|这个)?(?P<value>{PLACE})[人的]{_SOFT}$"),
    Attribute("hometown", rf"(?:老家|家乡)(?P<value>[一-龥]{{2,4}})的{_SOFT}$", never="那|乡|我|[好香甜鲜美]|特产"),
    Attribute("job", rf"是(?:在[一-龥]{{2,6}})?(?:一名|一个|一位|个|名|位|一枚)?(?:当"
        rf"|做)?(?P<value>{JOB})(?:一枚|出身)?(?=$|的$|了$|,|嘛|啦|呀)"),
    Attribute("job", rf"(?:做|干|搞|写|拍|画)(?P<value>{TRADE})(?:这一?行|行业|工作)?的"),
    Attribute("job", r"是(?:做|干|搞)(?P<value>[一-龥a-z]{2,8}?)(?:这一?行|行业"
        r"|工作)?的[嘛呀啦呢]?$", is_outright=True, never="^(?:饭|梦|什么|啥|错)"),
    Attribute("job", rf"(?:做|搞|干|写|从事)(?P<value>{TRADE}){_END}", is_outright=True),
    Attribute("job", rf"在[一-龥a-z]{{2,10}}?(?:做|搞|干|写)(?P<value>{TRADE}){_END}"),
    Attribute("job", r"(?:跑|开)(?P<value>网约车|滴滴|出租车?|货车|大货车?|大车|长途车?|公交车?|地铁|火车|高铁|卡车|校车|救护车|吊车|挖掘机|业务)"
        r"(?:的|$)", is_outright=True),
    Attribute("job", r"是(?P<value>跑船|开车|种地|种田|养[猪鸡鱼蜂牛羊]|打鱼|捕鱼|放羊|修车|杀猪|卖[菜鱼肉]|摆摊|拉货|送货|跑腿|看门|打铁|算命|说书|唱戏|写诗|画画|拍片)的",
        is_outright=True),
    Attribute("job", r"(?:现在|目前)?在家(?:全职)?(?P<value>带娃|带孩子|当全职)(?=$|呢|的|了)"),
    Attribute("job", r"(?:跑|送)(?P<value>外卖|快递|货|水|报纸|牛奶)(?:的|$)", is_outright=True),
    Attribute("job", rf"(?:自己)?(?:开了?|经营着?|盘了?|管着?)(?:一?[家间个])?(?P<value>[^,了开家间个]{{0,6}}(?:店|馆|厂|民宿|餐厅|诊所"
        rf"|工作室|客栈|农场|酒吧|小卖部|公司|铺子?|摊子?|档口|超市|作坊)){_END}", is_outright=True, never="别人|人家|这|那|^的"),
    Attribute("job", rf"在[一-龥a-z]{{2,10}}?(?:当|做)(?P<value>{JOB}){_END}"),
    Attribute("job", rf"(?:当|做)(?:了(?:.{{1,3}}年的?)?)?(?P<value>{JOB}){_END}"),
    Attribute("job", r"在[一-龥a-z]{0,6}(?:中学|小学|大学|高中|初中|学校|机构|幼儿园|培训班"
        r"|补习班)教(?P<value>[一-龥]{1,5}?)(?=$|的|,)"),
    Attribute("job", rf"(?<=我)(?:这么|这)?(?:一个|一名|个)(?P<value>{JOB_NAME})"),
    Attribute("job", r"(?<=我)(?:在[一-龥a-z]{2,8}?)?是?(?:跑|卖|开|修|写|画|拍|管|带|教|做|搞|干|送|种"
        r"|养)(?P<value>[一-龥a-z]{2,10})的$", never="^(?:饭|梦|什么|啥|错|好)"),
    Attribute("job", rf"(?:做|干|跑|教|卖|开|送)(?P<value>[一-龥a-z]{{2,8}}?)(?:都|也|已经|快"
        rf"|有)*{SMALL_NUMBER}[多几来]?年(?:多|半)?了?$", is_outright=True, never="^(?:了|过|得)"),
    Attribute(
        "job",
        rf"教(?:了{SMALL_NUMBER}[多几]?年的?)?(?P<value>(?:小学|初中|中学|高中|大学|[一二三四五六]年级|[初高大][一二三])?(?:语文|数学|英语|英文|物理"
        r"|化学|生物|历史|地理|政治|音乐|美术|体育|钢琴|舞蹈|书法|编程|日语|法语|吉他))(?:的|课)?$",
        is_outright=True,
    ),
    Attribute("job", r"是?教(?P<value>[一-龥]{2,5}?)的$", is_outright=True),
    Attribute("job", rf"(?<=我)(?P<value>{JOB_NAME})$"),
    Attribute("job", r"的?(?:职业|工作|本职"
        r"|主业)就?是(?P<value>[一-龥a-z]{2,8})$", never="^(?:什么|啥|为)"),
    Attribute("job", rf"(?:转行|改行)(?:去|来)?(?:做|当|干|成)了?(?P<value>{JOB}|{TRADE}"
        rf"|[一-龥]{{2,6}})"),
    Attribute("job", rf"从事(?P<value>{TRADE}|[一-龥]{{2,6}}?)(?:这一?行|行业|工作|$)"),
    Attribute("workplace", r"在(?P<value>[一-龥a-z]{2,12}?)(?:里|这边)?(?:上班|工作|任职"
        r"|实习|规培|打工|兼职|坐诊|当学徒)(?!状态|日)", never=rf"{_NOT_A_WORKPLACE}|^{PLACE}$"),
    Attribute("workplace", r"在(?P<value>[一-龥a-z]{0,8}(?:公司|设计院|研究院|研究所|事务所|厂|银行|学校"
        r"|幼儿园|医院|机关|局|集团|工作室|店|餐厅|酒店|机构))(?=做|当|带|画|管|写|搞|干|跑|教|打工|卖|站|坐"
        r"|收银|负责)", never=_NOT_A_WORKPLACE),
    Attribute("job", r"(?:已经|早就|刚|都)?(?P<value>退休)(?:了|[一二三四五六七八九十几多两\d]+年)", never=""),
    Attribute("workplace", r"在(?P<value>[一-龥a-z]{2,8}(?:事务所|设计院|研究院|研究所|集团|出版社|律所|券商|电视台|报社)"
        r"|体制内|国企|央企|外企|大厂|互联网大厂)(?:呢|的)?$", is_outright=True),
    Attribute("major", r"(?:是|读|念)?学(?:的是?)?(?P<value>[一-龥]{2,8}?)(?:专业)?的(?=$|你)"),
    Attribute("major", r"(?:读|念)(?P<value>[一-龥]{2,8}?)(?:专业)?的(?=$|你)", never="书|^完"),
    Attribute("major", r"学的是?(?P<value>[一-龥]{2,8}?)(?:专业)?$"),
    Attribute("major", rf"(?:读|念|修)的?是?(?P<value>[一-龥]{{2,8}}?)(?:专业|系|{DEGREE})"),
    Attribute("major", r"的?专业就?是(?P<value>[一-龥]{2,10})$"),
    Attribute("major", r"是(?P<value>[一-龥]{2,8})专业的"),
    Attribute("major", r"(?:大学|后来|本科|研究生|硕士|博士)(?:就|是)*(?:读|学|念)(?:了|的是?)(?P<value>[一-龥]{2,6})$"),
    Attribute("major", r"来(?:这边|这里)?(?:读|念|学|上)(?P<value>[一-龥]{2,8})的$"),
    Attribute("dream_school", r"(?:目标|想考|梦校)(?:院校|学校|大学)?(?:就|是|:)*(?P<value>[一-龥]{1,8}(?:大学|学院|大|[一二三]中|附中))$"),
    Attribute("school", r"(?:在|是)(?P<value>[一-龥]{2,10}(?:大学|学院|中学|高中|[一二三]中|附中)"
        r"|[一-龥]{1,3}大)(?=读|念|上|的)"),
    Attribute("grade", rf"(?:是|读|上|念|升|快)?(?P<value>{GRADE})(?=$|了|的|学生|党|狗|嘛|啦|,)"),
    Attribute("age", rf"(?:今年|都|已经|刚满?|才|快|马上)*(?P<value>{SMALL_NUMBER})周?岁(?:了"
        rf"|啦)?$", is_outright=True),
    Attribute("age", r"(?:才|刚|都|已经|马上|快|也|就)+(?P<value>[1-6]\d|[二三四五六]十[一二三四五六七八九]?)岁?(?:了|啦|啊|而已)?$", is_outright=True),
    Attribute("age", r"(?<=我)(?P<value>[1-6]\d)(?:岁|了)+$"),
    Attribute("age", r"(?P<value>\d\d?|[二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九])岁生日", is_outright=True),
    Attribute("age", r"今年(?:都|已经|刚|才|快)?(?P<value>\d\d|[二三四五六]?十[一二三四五六七八九]?)了?$"),
    Attribute("generation", r"是(?:个|标准)?(?P<value>[0-9][05]|[零〇七八九][零〇五])后"),
    Attribute("birthday", rf"的?(?:阳历|农历|阴历)?生日就?[是在]+(?P<value>{_DATE})"),
    Attribute("birthday", rf"(?P<value>{_DATE})就?是我的?生日"),
    Attribute("zodiac", r"是?个?(?P<value>(?:白羊|牡羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|双鱼)座)"),
    Attribute("animal_sign", r"属(?P<value>[鼠牛虎兔龙蛇马羊猴鸡狗猪])的?$"),
    Attribute("blood_type", r"是?(?P<value>(?:ab|[abo])型)血?(?=$|的|,)"),
    Attribute("mbti", r"是?个?(?P<value>[ie][ns][tf][jp])(?![a-z])"),
    Attribute("height", r"(?:身高|有)?(?P<value>一米[五六七八九][零一二三四五六七八九]?|1米\d\d?|1\.\d\d?米"
        r"|1\d\dcm)"),
    Attribute(
        "family_status",
        r"是?(?:个|目前|坚定的?)?(?P<value>单身|已婚|未婚|离异|不婚主义|不婚族|丁克|母胎单身|母胎solo)(?!狗|公寓|节)",
        is_outright=True,
    ),
    Attribute("family_status", r"(?:[跟和][^,]{1,6})?(?P<value>结婚|离婚|异地恋?|恋爱|同居)(?:已经|都|快)?[一二三四五六七八九十两\d]{1,3}年"),
    Attribute("family_status", r"(?P<value>没有?(?:对象|男朋友|女朋友|男友|女友))$", is_outright=True),
    Attribute("family_status", r"[跟和][^,]{1,6}(?P<value>在一起)(?:已经|都|快)?[一二三四五六七八九十两\d]{1,3}年"),
    Attribute("nickname", r"(?:笔名|网名|艺名|小名|昵称)就?(?:叫|是)做?(?P<value>[^,的]{1,8})$", is_outright=True),
    Attribute("family_status", r"(?P<value>脱单|谈恋爱|订婚|有对象|有男朋友|有女朋友|有男友|有女友)了$"),
)  # fmt: skip

_STUDY = re.compile(
    rf"(?:读|念)(?P<major>[一-龥]{{2,6}}?)(?P<grade>{DEGREE}[一二三四五]年级)"
)
_NICKNAME = re.compile(
    r"(?:(?:可以|以后|就|请|都)+(?:叫|喊)我(?P<a>[^,的了]{1,6}?)(?:吧|就行|就好|就可以|好了|好啦|哦|呀)?"
    r"|(?:叫|喊)我(?P<b>[^,的了]{1,6}?)(?:吧|就行|就好|就可以|好了|好啦)"
    r"|^(?:你好|您好|嗨|哈喽|hi|hello)*我(?:的)?(?:名字)?就?叫做?(?P<c>[a-z]{2,12}|[^,的了a-z]{2,4}?)[啦呀哦哈]?)$"
)
_OF_OTHERS = re.compile(r"^(?:大家|朋友们?|同学们?|同事们?|他们|身边(?:的)?人)$")
_NOT_A_NAME = re.compile(
    r"\[|起|名|一|什么|啥|吃|去|来|回|怎|滚|别|说|做|干|出|早|上|下|你|他|她|它|不|车|外卖|醒|住|停|嚷|苦|好|屈|板|快递|滴滴|代驾|服务"
    r"|大家|阿姨|叔叔|(?:我)?[妈爸哥姐弟妹]|闺蜜|朋友|同[事学]|医生|救护|救命|破|绝|唤|价|座|阵|号|卖"
)
_ANSWERS = (
    (
        re.compile(r"做什么工作|什么工作|做啥的|做什么的|干什么的|干嘛的|干啥的|什么职业|哪一?行"),
        Attribute("job", rf"^(?:是|个|名|我|一名|一个)*(?P<value>{JOB})(?:一枚)?$"),
    ),
    (
        re.compile(r"(?:住|在)(?:哪|什么地方)|哪个城市|哪座城市|坐标"),
        Attribute("city", rf"^(?:我|人|住|在|坐标)*(?P<value>{PLACE})$"),
    ),
    (
        re.compile(r"(?:哪里|哪儿|什么地方)人|老家(?:在)?哪"),
        Attribute("hometown", rf"^(?:我|是|老家)*(?P<value>{PLACE})人?$"),
    ),
    (
        re.compile(r"学什么|什么专业|读什么"),
        Attribute("major", r"^(?:我|是|学)*(?P<value>[一-龥]{2,8})$", never="没|不|还|再|想|看|考虑|啥|什么|都|哪|猜|秘密"),
    ),
)  # fmt: skip


def find(readings: Sequence[Reading], *, asked: str = "") -> Iterator[Draft]:
    """Find what a message tells about who the user is.

    `asked` is the folded line that the persona said before: a bare 护士 is a fact only
    as the answer to it.
    """
    for place, reading in enumerate(readings):
        yield from find_attributes(reading, place, TABLE)
        yield from _study(reading, place)
        yield from _nickname(reading, place)
    if readings and asked:
        yield from _answer(readings[0], asked)


def _study(reading: Reading, place: int) -> Iterator[Draft]:
    """Read 读化学博士二年级 as a grade too; the major is in the table."""
    match = _STUDY.search(reading.clause.folded)
    if match is None or not reading.states_own or reading.is_wished:
        return
    yield Draft(
        kind="fact",
        key=slot_key(kind="fact", about="grade"),
        value=as_said(reading.clause, *match.span("grade")),
        polarity=1,
        text=statement(reading),
        place=place,
        corrects=reading.corrects,
    )


def _nickname(reading: Reading, place: int) -> Iterator[Draft]:
    match = _NICKNAME.search(reading.clause.folded)
    if match is None or not reading.is_plain:
        return
    head = reading.clause.folded[: match.start()]
    if reading.subject == THIRD and not _OF_OTHERS.match(head):
        return
    span = match.span(next(name for name in "abc" if match[name]))
    is_name = not _NOT_A_NAME.match(reading.clause.folded[slice(*span)])
    is_told = re.search(r"别|不|他|她|妈|爸|们|人", head) and not _OF_OTHERS.match(head)
    if not is_name or is_told:
        return
    yield Draft(
        kind="fact",
        key=slot_key(kind="fact", about="nickname"),
        value=as_said(reading.clause, *span),
        polarity=1,
        text=statement(reading),
        place=place,
    )


def _answer(reading: Reading, asked: str) -> Iterator[Draft]:
    if reading.subject in (SECOND, THIRD):
        return
    for question, attribute in _ANSWERS:
        if question.search(asked):
            yield from find_attributes(reading, 0, (attribute,))
