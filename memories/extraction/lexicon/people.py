"""Words for people other than the two who talk.

Owns kinship and roles, and names as people write them in chat (阿杰, 小李).

>>> re.fullmatch(KIN, "室友") is not None
True
"""

import re

from memories.extraction.lexicon.tables import any_of, words_of

_KIN = words_of(
    "妈妈 妈咪 老妈 妈 爸爸 老爸 爸 爹 娘 父母 爸妈 父亲 母亲 爷爷 奶奶 姥姥 姥爷 外婆 外公 阿公 阿婆",
    "哥哥 哥 姐姐 姐 弟弟 弟 妹妹 妹 兄弟 姐妹 姑姑 姑妈 姑 小姨 姨妈 姨 阿姨 舅舅 舅妈 舅 叔叔 叔",
    "婶婶 婶 伯伯 伯母 大伯 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 侄子 侄女 外甥 外甥女",
    "老公 老婆 丈夫 妻子 媳妇 男朋友 女朋友 男友 女友 对象 未婚夫 未婚妻 前任 前男友 前女友 前夫 前妻",
    "儿子 女儿 闺女 孩子 娃 宝宝 孙子 孙女 婆婆 公公 岳父 岳母 丈母娘 家人 家里人 亲戚",
    "闺蜜 朋友 好友 哥们 哥们儿 基友 死党 发小 室友 舍友 同屋 同学 同桌 同事 领导 老板 上司 经理 组长",
    "主管 总监 下属 老师 导师 班主任 教授 师兄 师姐 师弟 师妹 学长 学姐 学弟 学妹 学生们 徒弟 师傅",
    "客户 甲方 房东 邻居 隔壁 粉丝 网友 医生 大夫 护士姐姐 教练 中介 司机师傅 班长 队长 学委 组员 店员 店家 校长",
    "阿妈 阿爸 阿爷 阿嫲 细佬 家姐 老细 老豆 老母 朋友们 同事们",
)
# Trades that are also a person's own: 我是老师 is the user, 老师讨厌我 is not.
KIN = "(?:" + any_of(_KIN) + ")(?!生)"

_PRONOUNS = r"他们?|她们?|它们?|牠|ta|佢哋?|人家|别人|有的?人|有些人|大家|谁|某人|对方|某些人|那谁|那个人|那家伙"
# 阿杰, 小李, 老周, 王哥: the rest of the clause has to go on.
NAME = (
    r"(?:阿(?!姨|弥)[一-龥]|小(?!时候|区|心|猫|狗|说|学|时|吃|孩|众)[一-龥]"
    r"|(?![跟和同给找陪与对向被让叫请把为问帮我你他她当做是名个位])[一-龥](?:哥|姐|总|工|老师|医生)(?=[一-龥]))"
)
OTHERS = re.compile(
    rf"(?:(?:这|那|有)个?)?(?:{_PRONOUNS}|(?:个|位|一个|一位)?{KIN}|\[姓名\]|{NAME})"
)
OWN_OTHERS = re.compile(
    rf"(?:我|咱|俺|我们|咱们)(?:的|家|家里|那个|那|这个|有个|有一个|认识的?)?"
    rf"(?:[一-龥]{{0,4}}的)?(?:一?个|位)?(?:大学|高中|初中|小学|公司|以前的|新来的|新)?{KIN}"
)
WITH_OTHERS = re.compile(
    rf"我(?:和|跟|同|与)(?:我|你)?(?:的|家)?[一-龥]{{0,2}}?(?:{KIN}|{_PRONOUNS})"
)
FIRST = re.compile(
    r"我(?!们的|国)|咱|俺|本人|偶(?!尔|然)|自己(?![的人])|老子|本宝宝|人在"
)
VIEWED_OTHERS = re.compile(
    rf"我.{{0,4}}(?:知道|觉得|认为|发现|记得|猜|看)(?:{_PRONOUNS}|(?:我|咱)?{KIN})"
)
SECOND = re.compile(r"你(?!好)|您|妳|宝贝|亲爱的")
