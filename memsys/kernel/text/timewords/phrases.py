"""The words of time as data: day words, hours of the day, seasons, tense.

Owns phrase tables only; the rules that read them are in the modules beside this one.
What only looks like a time is in `namesakes`. All of it is simplified script: text is
folded before matching.

>>> DAY_WORDS["大前天"]
-3
"""

from memsys.kernel.text.timewords.numerals import ROUGH_NUMBER, SMALL_NUMBER

DAY_WORDS = {
    "大大前天": -4, "大大后天": 4,
    "大前天": -3, "前天": -2, "昨天": -1, "今天": 0, "明天": 1, "后天": 2, "大后天": 3,
    "前日": -2, "昨日": -1, "今日": 0, "明日": 1, "后日": 2, "大前日": -3, "大后日": 3,
    "前儿": -2, "昨儿": -1, "今儿": 0, "明儿": 1, "后儿": 2,
    "寻日": -1, "㖊日": -1, "琴日": -1, "听日": 1,
}  # fmt: skip

# Day words cut short before a part of the day: 昨晚, 今早, 聽晚.
SHORT_DAYS = {"大前": -3, "前": -2, "昨": -1, "寻": -1, "㖊": -1, "琴": -1, "今": 0,
              "明": 1, "听": 1}  # fmt: skip
# Two days in one breath: the first of them.
DAY_PAIRS = {"前昨": -2, "昨前": -2, "昨今": -1, "今明": 0, "明后": 1}

# Hours from a day's midnight; above 24 they run into the next morning.
DAY_PARTS = {
    "凌晨": (0, 6), "清晨": (5, 9), "清早": (5, 10), "大清早": (5, 10),
    "一早": (5, 10), "一大早": (5, 10), "早晨": (5, 12), "早上": (5, 12),
    "上午": (8, 12), "晌午": (11, 14), "中午": (11, 14), "午后": (12, 18),
    "下午": (12, 18), "傍晚": (17, 20), "黄昏": (17, 20), "晚上": (18, 30),
    "夜里": (18, 30), "夜晚": (18, 30), "夜间": (18, 30), "深夜": (22, 30),
    "大晚上": (18, 30), "半夜": (23, 29), "大半夜": (23, 29), "午夜": (23, 26),
    "前半夜": (19, 25), "上半夜": (19, 25), "后半夜": (24, 30), "下半夜": (24, 30),
    "晏昼": (12, 18), "白天": (6, 18), "大白天": (6, 18), "晚间": (18, 24), "朝早": (5, 12), "上昼": (8, 12), "下昼": (12, 18),
}  # fmt: skip
SHORT_PARTS = {"早": (5, 12), "晨": (5, 12), "朝": (5, 12), "晚": (18, 30),
               "夜": (18, 30)}  # fmt: skip
NOON_AND_AFTER = 12
NIGHT_BEGINS = 18

PART = "|".join(sorted(DAY_PARTS, key=len, reverse=True))
CLOCK = (
    rf"(?P<hour>{ROUGH_NUMBER}|{SMALL_NUMBER})"
    r"(?:点(?:钟|整|多(?!余))?|时(?=\d+分)|:(?=\d\d))"
    rf"(?P<minute>半|(?P<quarter>[一1三3])刻|{SMALL_NUMBER}(?=分)|\d\d(?!\d)"
    r"|(?:零[一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?)(?![个点多几块元岁次天人条]))?分?"
)
# What follows 点 when it counts points and bits, not hours.
NOT_A_CLOCK = (
    r"(?!建议|意[见思义]|要[求点素领]|感[想受悟触]|收[获益]|注意|体[会验悟]|心[得意]|教训|启[示发]"
    r"|原[因则]|理由|说[明法]|看(?:法|不|得|起来|上去)|想(?:法|不)|[也都][不没]|[儿胃没不声零头滴赞击])"
)

WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
WEEK = r"(?:周|星期|礼拜)"
STEPS = {"上上上": -3, "上上": -2, "上": -1, "这": 0, "本": 0, "今": 0, "呢": 0,
         "下": 1, "下下": 2, "下下下": 3}  # fmt: skip
STEP = r"(?P<step>上{1,3}|下{1,3}|[这本]|[今呢](?=个))(?:一?个|一)?"
# 马上周五, 晚上周杰伦, 楼下周边: the 上 or 下 belongs to the word before.
NOT_INSIDE = r"(?<![马早晚网路身赶加爱遇碰跟楼底脚手线以之一])"

YEAR_WORDS = {"大前年": -3, "前年": -2, "去年": -1, "旧年": -1, "上年": -1, "今年": 0,
              "本年": 0, "明年": 1, "来年": 1, "出年": 1, "后年": 2}  # fmt: skip
SEASONS = {"春": (3, 3), "夏": (6, 3), "秋": (9, 3), "冬": (12, 3), "暑假": (7, 2),
           "寒假": (1, 2), "上半年": (1, 6), "下半年": (7, 6)}  # fmt: skip
SEASON = (
    r"(?P<season>[春夏秋冬](?=天|季|日|末|初|夜|$|我|他|她|的)|暑假|寒假|[上下]半年)"
)

# Words around a bare date that say which way it points.
AHEAD = (
    r"要(?!是)|会(?!儿)|报了|订了|订好|抢到|打算|准备|计划|约|就能|就可以|就(?:到|放|回|走|要)|即将|快到|到时|记得|别忘"
    r"|[一不]见不散|见(?:面)?[吧哦啦!！]?$|报名|提醒|等着|再(?!也)|想去|改到|改成|得去|应该"
)
BEHIND = (
    r"了(?![吗么没])|过(?![年节来去生夜得冬完])|那天|那次|那晚|那会儿?|来着|刚|曾"
    r"|的时候|咗|为什么|干嘛去|到现在|至今|以来"
)
# Close before a date, these say that it is still to come, to a query too.
COMING = r"(?:快到?|就?要到|马上就?[是到要]?|即将到?|等到?|距离?|(?<![分脱隔逃])离)了?$"
# A query looks back, unless the date goes straight on to a plan and nothing is asked.
PLANNED = (
    r"(?:[你我]们?|咱们?)?(?:有空|有时间|得空|得闲|忙不忙|怎么安排|有(?:什么|啥)(?:安排|打算|计划)"
    r"|怎么过(?=$|[,，。!?]))"
    r"|(?:我们?|咱们?|我和你|你和我|俺)?(?:[就也都还得想]|可能|可以|必须)?"
    r"(?:要(?![是了过])|打算|准备(?!了)|计划|得去|会去|该[去要])"
    r"(?!.*(?:了(?!$|[,，。!])|过(?![年节生])|[吗么呢吧?]|什么|啥|哪|谁|几|怎|咋|多少|来着|的$))"
)
