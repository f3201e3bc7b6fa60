"""How people say that something is so no longer, and what has taken its place.

Owns patterns over folded clauses. `GONE` is said of a state, `LEFT` of a deed that is
an event too, `TURNS` of one whose name is the new state.

>>> LEFT[0].pattern.search("我从腾讯离职了")["value"]
'腾讯'
"""

import re

from memories.extraction.facts import Attribute
from memories.extraction.lexicon.places import PLACE
from memories.extraction.lexicon.work import JOB, TRADE

_SINCE = r"(?:其实|已经|早就?|现在|目前|如今|都|也|再|就|是|好久|很久)*"
_NO = rf"{_SINCE}(?:不|没有?|没再|不再)(?:再|继续)?"
_DONE = "(?:好久|很久|一阵子)?(?:了|啦|咯)"
_ORG = r"(?P<value>(?!这|那|哪|家|公司|单位|一|学校|宿舍|外面|老家|国|朋友|[我你他她它])[一-龥a-z]{2,10}?)"
_NOT_ORG = rf"(?:岗|部|部门|组|班|专业|行)$|^(?:{PLACE}$|工作|上班|别的|新|其他|其它|大[一二三四]|线上|线下|岗|部门|组|隔壁|另|夜班|白班|现场|下)|换|找|岗位"

GONE = (
    Attribute("city", rf"{_NO}(?:在)?(?:住|定居|待|呆|生活)(?:在)?(?P<value>{PLACE})(?:那边|这边)?{_DONE}"),
    Attribute("city", rf"{_NO}(?:在)(?P<value>{PLACE})(?:那边|这边)?(?:住|待|呆|生活|漂|混|工作|上班|租房)?{_DONE}"),
    Attribute("city", rf"{_SINCE}(?:从(?P<value>{PLACE})搬(?:走|出来|离))(?:了|$)"),
    Attribute("city", rf"{_SINCE}离开(?P<value>{PLACE})[^,了]{{0,5}}了"),
    Attribute("workplace", rf"{_NO}(?:在){_ORG}(?:里|那边|这边)?(?:上班|干|做|工作|任职|实习|打工){_DONE}", never=rf"^{PLACE}$"),
    Attribute("workplace", rf"(?:不|没有?){_SINCE}在{_ORG}(?:了|啦)$", is_outright=True, never=rf"^{PLACE}|^[乎意行线状场]|现场|状态|身边|附近|楼|群|床"),
    Attribute("job", rf"{_NO}(?:当|做|干|是)(?P<value>{JOB}|{TRADE})(?:这一?行|工作)?{_DONE}"),
    Attribute("family_status", rf"{_NO}(?P<value>单身|异地恋?){_DONE}"),
    Attribute("trait", rf"{_NO}(?P<value>吃素|吃斋|社恐|失眠|宅){_DONE}", is_many=True),
    Attribute("skill", rf"{_NO}(?:学|练)(?P<value>[一-龥a-z]{{2,6}}?){_DONE}$", is_many=True, never="^(?:会|了|习)|下去|进去"),
)  # fmt: skip

LEFT = (
    Attribute("workplace", rf"从{_ORG}(?:离职|辞职|跳槽|走人|辞|裸辞|离开|出来|退出|毕业|滚蛋)了?", never=rf"^{PLACE}$"),
    Attribute("workplace", rf"(?:离开|辞了|辞掉了?){_ORG}(?:的工作|的班|了$)", never=rf"^{PLACE}"),
    Attribute("workplace", rf"(?:被){_ORG}(?:裁|开除|辞退|优化)(?:掉)?了"),
    Attribute("workplace", rf"把{_ORG}的(?:工作|班|活)(?:给)?辞"),
)  # fmt: skip

NEW = (
    Attribute("workplace", r"(?:新公司|新东家|新单位)(?:就|也)*(?:是|叫)(?P<value>[一-龥a-z]{2,10})$"),
    Attribute("workplace", rf"(?:跳槽|转|跳|调|入职|加入)(?:去|到|来|进|至)?了?{_ORG}(?:上班|工作|了|$)", never=_NOT_ORG, is_outright=True),
    Attribute("workplace", rf"(?:又|重新)?(?:回|回到|去|到|进)了?{_ORG}(?:上班|任职|工作|入职)了$", never=_NOT_ORG),
    Attribute("workplace", rf"(?:现在|目前|如今)在{_ORG}(?=(?:做|搞|干|当)(?:{JOB}|{TRADE}))", never=_NOT_ORG),
)  # fmt: skip

TURNS = (
    ("family_status", re.compile(r"(?:和|跟|同)[^,]{1,6}(?P<value>分手|离婚|分|离|掰|断|复合|和好|在一起|结婚|领证|订婚)了$")),
    ("family_status", re.compile(r"(?:我|我们|俩|昨天|上周|今天|\0|刚|已经|去年|又|终于|$)*(?P<value>分手|离婚|失恋|恢复单身|变回单身|被甩|和好|复合|结婚|领证|订婚)(?:(?:都|快|已经)?[^,我]{1,4}[年月天周]多?)?[了啦](?:$|[啊呀哦呢])")),
    ("workplace", re.compile(r"(?:我|刚|已经|今天|昨天|上周|上个月|终于|正式|去年|裸|被|\0)*(?P<value>离职|辞职|失业|裸辞|被裁|退休|辞工|不上班)了(?:$|[啊呀哦呢])")),
)  # fmt: skip
NOT_TURNED = re.compile(
    r"[他她你谁妈爸哥姐弟妹]|朋友|同[事学]|闺蜜|室友|差点|没|想|要|打算|准备|如果|快|不|别|听说|老板|领导|邻居|明星|爸妈|父母"
)
# 最近能吃辣了, 我开始吃肉了.
TAKES_TO = re.compile(
    r"(?:(?:最近|现在|已经|又|终于|居然|也|都|慢慢|渐渐|可以|能|敢|会)*(?:能|可以|敢|会|开始|重新)(?:开始)?(?:吃(?!得消|亏|醋|力|饭|了|上|东西|药|完|苦)|喝(?!水|药|了|上)|碰|接受(?!不))(?:点|一点|些)?)"
    r"(?P<what>[^,了我你他她]{1,6}?)了[啊呀哦]?$"
)
# 我现在敢坐飞机了, 我敢一个人睡了: what was feared is done.
DARES = re.compile(
    r"(?:最近|现在|已经|又|终于|居然|也|都|慢慢|渐渐)*敢(?P<what>(?:坐|摸|看|养|抱|靠近|面对|一个人)[^,了我你他她]{1,6}?)了[啊呀哦]?$"
)
# 可以叫我宝宝了, 以后可以提我爸了: a request of silence is lifted.
MAY_SAY = re.compile(
    r"(?:可以|能|随便|允许你?|不介意你?)(?:再|随便)?(?:叫我|喊我|提起?|聊起?|说起?|问)(?P<what>[^,了]{1,8}?)了[啊呀哦吧]?$"
)
# 戒奶茶了 is a fact of its own, and it ends the liking.
QUITS = re.compile(
    r"把(?P<what1>[^,了我你他她]{1,5}?)(?:给)?戒(?:掉)?了|戒(?:掉)?了?(?P<what>[^,了我你他她]{1,5}?)(?:了|啦|$)"
)
# 以前爱喝可乐，现在早戒了: the thing stands in the clause before.
NO_MORE_OF_IT = re.compile(
    r"^(?:现在|如今|最近|目前|早就?|已经|都|就|也|再也|一口|一点儿?|完全|彻底|\0)*(?:不(?:再)?(?:吃|喝|碰|爱|喜欢|看|玩|抽|听|追)|戒)(?:它|了|掉|啦)*$"
)
# 以前怕打雷，现在好多了.
GOT_OVER = re.compile(
    r"^(?:现在|如今|最近|早就?|已经|都|就|也|\0)*(?:不怕|好多|没事|好|不(?:会)?过敏)(?:它)?了$"
)
FEARED_BEFORE = re.compile(
    r"(?:怕|害怕|恐惧)(?P<what>[^,了的得我你他她]{1,8}?)(?:了|的)?$|对(?P<allergen>[^,对]{1,8}?)过敏$"
)
LIKED_BEFORE = re.compile(
    r"(?:喜欢|爱|天天|每天|总是?|迷)(?:上)?(?:吃|喝|看|听|玩|抽|追)?(?P<what>[^,了的得我你他她]{1,8}?)(?:了|的)?$"
)
# 对芒果不过敏, 不讨厌下雨天了: what was so is not.
UNALLERGIC = re.compile(
    r"对(?P<what>[^,对]{1,8}?)(?:其实|已经|现在|又|是|都|根本|并|完全|也)*(?:不|没有?)(?:会)?(?:再)?过敏(?:了|的)?[啊呀哦嘛]?$"
)
RECONCILED = re.compile(
    r"(?:现在|其实|已经|也|都|倒|慢慢|就)*(?:不(?:再|那么|怎么)?|没那么|没有那么)(?:讨厌|反感|排斥|嫌弃|抗拒)(?P<what>[^,我你他她]{1,10}?)(?P<end>了)?[啊呀哦]?$"
)
YOU = re.compile("^(?:以后)?[你您](?:们)?(?:以后|就|也)?")
TO_COME = re.compile(r"[明后下]|以后|将来|等会|待会|过两|过几")
