"""What looks like a time and is none: idioms, habits, names, places, titles, goods.

Owns the phrases that are taken out before the rules look, and the words around a bare
date that make a name of it. Owns no dates.

>>> is_namesake("五一广场见", 0, 2), is_namesake("五一我去上海", 0, 2)
(True, False)
"""

import re

from memsys.kernel.text.timewords.numerals import NUMBER, SMALL_NUMBER
from memsys.kernel.text.timewords.phrases import PART, WEEK

_DAY = "[一二三四五六日天]"
_IDIOMS = (
    r"一天到晚|[有总]一?天(?!前)|有朝一日|七上八下|天天(?:早上|晚上|下午)?",
    r"周周(?!末)|周而复始|周六福|周大福|周五行|一年到头|年头到年尾|三天两头",
    r"[一二三]月(?:不见|没见|未见|不知|一次|两次|三次)|十月怀胎|六月飞?雪|七月流火",
    r"[先以之然]后天|后天(?:性|的?努力|形成|养成|培养|教育|免疫|失明|习得|因素|条件|环境)"
    r"|后天(?=[^。!?\n]{0,12}先天)|[当目]前天|之前年|[以之目]前年",
    rf"马上就?[到是]?{WEEK}{_DAY}|马上就?[到是]?{WEEK}末|这一[天日]|这年头",
    r"今生今世|今朝有酒|今朝醉|明朝那些|前年(?:轻|龄|代)|早晚(?=[要会得都有])|春捂秋冻|人间四月天",
)
_TITLES = (
    r"《[^《》\n]{1,40}》",
    r"清明上河|七夕青鸟|春节(?:联欢|序曲)|春晚|明日方舟|今日头条|今日说法|昨日(?:重现|青空)",
    r"昨日之日|明日之(?:子|后|星|丸)|明日香|明天会更好|今夜有戏|昨天今天明天|午夜凶铃"
    r"|yesterday once more|black friday|good night|tomorrow x together",
    rf"周[六日]夜(?:现场|鹰)|周末夜狂热|黑色星期{_DAY}|疯狂星期{_DAY}|周一见(?=是|这)",
    r"二月红|五月(?:天(?!气|天)|花(?!开|海))|八月(?:照相馆|长安)|四月(?:是你的|物语)"
    r"|七月与安生|十月围城|九月九的酒|四月一日灵异|三月街|八月迷情|七月(?:半仙|上(?!旬))",
)
_GOODS = (
    r"[吃煮包买做炸]元宵|元宵[真好馅]|元宵(?=是[甜咸]|[甜咸和跟]|汤圆)"
    r"|圣诞(?:老人|树|帽|袜|鹿|歌|卡|雪橇|颂|结)|腊八(?:粥|蒜|面)|清明(?:果|粿)"
    r"|(?:端午|中秋|重阳)(?:粽|月饼|糕)|小年(?:轻|糕|纪|代|龄|青)|[从大]小年"
    r"|(?:十一|五一|六一|七一|八一|五四|九一八)(?:中学|小学|事变|运动(?!会)|起义)",
)
_ASKED_AGE = (
    rf"(?:今年|去年|明年|前年|后年)(?:[都才也就快要刚满]|已经|马上|虚岁|周岁)*"
    rf"(?:多大|几岁|{NUMBER}周?岁|(?!五[一四]|六一|三八|十一$){SMALL_NUMBER}(?:了|$|[,，。!！、]))"
    r"|今年(?:[在读上念是刚升])*(?:[大高研]|初(?![一二三]?[月个号]))[一二三四](?![月个号])"
)
_GREETINGS = (
    r"(?:春节|过年|元旦|新年|圣诞|中秋|国庆|端午|元宵|七夕|情人|平安夜|儿童|母亲|父亲)"
    r"节?(?:好|快乐|安康|愉快)|周末(?:愉快|快乐)"
    r"|早(?:上|安)?好|晚上好|中午好|下午好",
)
# Habits recur, so they name no stretch of time.
_RANGE = rf"{WEEK}{_DAY}(?:一?直?到|至|~|-){WEEK}?{_DAY}"
_DUTY = r"一般|通常|每天|天天|要|(?<![记觉晓])得|上班|上课|营业|开门|双休|住校"
_HABITS = (
    rf"(?:每一?(?:个|逢|到|隔)?(?:年|月|{WEEK}|天|晚|早|日|夜)|逢年)(?:末|上|里)?"
    rf"{_DAY}?(?:的)?(?:{SMALL_NUMBER}[月号日])*(?:春节|中秋|国庆)?"
    rf"(?:{PART}|[早晚])?(?:{SMALL_NUMBER}点半?)?",
    rf"(?<![上下这本个从自打]){_RANGE}"
    rf"(?:(?=.{{0,6}}(?:都|{_DUTY}))|(?!.{{0,12}}(?:了|过|哪|来着|那)))",
    rf"(?<=[从自打]){_RANGE}(?=.{{0,8}}(?:{_DUTY}))",
)
_NUMBERS = (
    rf"(?:农历|阴历)?{SMALL_NUMBER}月{SMALL_NUMBER}[折票号楼](?=线|楼|院|桌)",
    r"(?:比分|比数)[^,，。]{0,4}\d+[:：]\d+|点钟?方向",
    rf"(?:编号|尾号|房号|座位号?|门牌号?|工号|学号|单号)是?{SMALL_NUMBER}号",
)
FALSE_FRIENDS = re.compile(
    "|".join(
        (
            *_TITLES,
            *_IDIOMS,
            *_GOODS,
            _ASKED_AGE,
            *_GREETINGS,
            *_NUMBERS,
            *_HABITS,
        )
    )
)
# 明天见 at the end of a chat asks about nothing.
FAREWELLS = re.compile(
    rf"(?:[明后]天|明儿|明[早晚]|下周|{WEEK}{_DAY})再?(?:见|聊)[吧啦哦咯喽呀了嘛啊~!。]*"
    r"(?=$|[,，。!?\s])"
)

_FESTIVE = r"国庆|建军|元旦|中秋|重阳|端午|清明|元宵|除夕|冬至|夏至|立[春夏秋冬]|小满|谷雨|白露|小年"
_BARE = re.compile(
    rf"[一二三四五六七八九十]{{1,2}}月份?|(?:{_FESTIVE}|五[一四]|六一|圣诞|春节|过年|七夕|腊八)节?"
    rf"|{WEEK}(?:{_DAY}|末)|(?:情人|母亲|父亲|儿童|劳动|妇女|教师)节|{SMALL_NUMBER}号"
    r"|[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}|[春夏秋冬]天?|[月年][初底末]|[去前今明]年[春夏秋冬]天"
)
_STOP = r"$|[,，。!！?？;；\s]|[吗呀啊哦吧嘛呢]"
_PERSON = (
    r"(?:[表堂]?[哥弟姐妹]{1,2}|[爷奶爸妈叔舅姑婶]{1,2}|外[公婆]|[大小]?姨妈?|儿子|女儿|孩子|宝宝"
    r"|同学|同事|同桌|闺蜜|朋友|室友|邻居|老师|学生|前任|男神|女神|偶像|演员|歌手|作家|角色|人物|主角"
    r"|网红|主播|猫|狗|猫咪|狗狗|兔子|仓鼠|鹦鹉|乌龟)"
)
_MEDIA = (
    r"[首部本档](?:老|英文|日本|国产|动画)?"
    r"(?:歌|曲子|诗|电影|片子?|剧|电视剧|书|小说|综艺|节目|动漫)"
)
_NAMED_AFTER = re.compile(
    rf"是(?:[我你他她]|[我你他她咱]们)?(?:家|班里?|公司)?的?(?:一?[个位只条]|那[个位])?"
    rf"{_PERSON}(?:养的)?(?:{_STOP})"
    rf"|是[^,，。!！?？\s]{{0,6}}(?:名字?|小名|外号|昵称|网名|笔名|艺名)(?:{_STOP}|的)"
    rf"|(?:这|是一?){_MEDIA}"
)
_CUSTOM = re.compile(
    r"节?的?(?:由来|来历|来源|习俗|传说|意义|寓意)|节?有(?:什么|啥|哪些)(?:习俗|讲究|说法)"
    rf"|节?(?:到底)?(?:是|在)(?:什么时候|哪一?天|几月|几号|周几|星期几|农历几)(?:的|{_STOP})"
    r"|节?(?:[你我他她]们?|大家|人们)?(?:家里?|那边|那里|老家)?(?:一般|通常|往往|都会|总是)"
    r"|节?(?:一般|通常)?放几天|是什么(?:意思|节|梗)|份?有(?:几|多少)天"
    # Wishes and star signs.
    r"|节?(?:快乐|愉快|安康|吉祥)(?!吗)|份?的?(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手"
    r"|摩羯|水瓶|双鱼)"
)
_SURNAMES = (
    r"[王李张刘陈杨赵黄吴孙胡朱郭罗梁宋郑谢韩唐冯董萧曹袁邓许"
    r"沈彭吕苏卢蒋蔡魏薛叶潘杜姚谭廖邹熊崔邱秦孟尹黎贺龚周]"
)
_SURNAME = re.compile(rf"(?<![小老大姓也或子谢行紧慌主一两几]){_SURNAMES}$")
_INTRODUCED = re.compile(
    r"(?:名叫|名字[叫是]|外号叫?|(?<![妈爸人])叫做?"
    rf"|(?<![妈爸人])叫{_SURNAMES})$"
)
_LIKED = re.compile(r"(?:什么时候|喜欢|讨厌|最?爱|害?怕)过?$")
_HABITUAL = re.compile(
    r"(?:有时候?|经常|常常|总是|平时|通常|一般|偶尔|老是)(?:[我你他她]们?)?(?:在|都|会)?$"
    # Behind a habit that was taken out: 每周都会在周末打球.
    r"|\0(?:都会?|会)在?$"
)
_ENDED = re.compile(rf"节?(?:{_STOP}|(?P<more>的)|了)")
# What stands behind which kind of day to make a place or a person of it.
_GIVEN = re.compile(rf"(?:{_FESTIVE})(?!节|假|那|期间|前|后)")
_PLACES = (
    (re.compile(_FESTIVE), re.compile(r"[叔婶](?![叔婶])|[哥姐](?![哥姐妹们几])")),
    (re.compile(rf"{_FESTIVE}|.*[月一四]$"),
     re.compile(r"(?:路(?!过)|大?街|大道|村|镇|中学|小学|大厦|照相馆)(?![上边口头里])")),
    (re.compile(r"五[一四]|六一"),
     re.compile(r"广场|桥|站(?![着在])|班(?![次车上])|大队|劳动奖|[勋奖]章|奖学金|商圈")),
    (re.compile(".*月"), re.compile(r"[花书]店|酒店|客栈|酒馆")),
    (re.compile(WEEK), re.compile(r"餐厅|西餐|酒吧|咖啡|书店|饭店|便利店|画家|厅(?!里)|福|小姐(?!姐)|先生(?!生)|女孩|男孩")),
)  # fmt: skip


def is_namesake(text: str, begin: int, finish: int) -> bool:
    """Tell whether a bare date, as matched, is the name of something or a mere topic."""
    words = text[begin:finish]
    if not _BARE.fullmatch(words):
        return False
    before, after = text[max(0, begin - 6) : begin], text[finish : finish + 24]
    if _HABITUAL.search(before):
        return True
    if _GIVEN.match(text, begin) and _SURNAME.search(before):
        return True
    if _NAMED_AFTER.match(after) or _CUSTOM.match(after):
        return True
    ended = _ENDED.match(after)
    if ended and (_INTRODUCED.search(before) or _is_liked(before, ended)):
        return True
    return any(day.match(words) and noun.match(after) for day, noun in _PLACES)


def _is_liked(before: str, ended: re.Match[str]) -> bool:
    """Tell whether a day is liked as such: 最爱周五, but 最爱周五的课 names one."""
    return not ended["more"] and _LIKED.search(before) is not None
