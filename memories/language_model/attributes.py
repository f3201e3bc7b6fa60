"""The attributes that a fact about a person may have, by the names a model uses.

Owns the table. A name that is not in it is kept as `other`, where values never take each
other's place.

>>> find_attribute("所在城市"), find_attribute("车")
(('city', False), ('other', True))
"""

from memories.language_model.words import letters

OTHER = "other"
PET = "pet"
AIM = "aim"
_ONE = {
    "city": "城市 居住地 住地 住处 所在地 所在城市 居住城市",
    "hometown": "家乡 老家 籍贯 故乡",
    "job": "工作 职业 occupation",
    "workplace": "工作单位 单位 公司 工作地点",
    "major": "专业",
    "school": "学校 大学",
    "grade": "年级",
    "age": "年龄",
    "generation": "年代",
    "birthday": "生日",
    "zodiac": "星座",
    "animal_sign": "属相 生肖",
    "blood_type": "血型",
    "mbti": "",
    "height": "身高",
    "family_status": "婚恋状况 婚姻状况 感情状况 婚恋",
    "nickname": "称呼 昵称 小名",
}
_MANY = {
    PET: "宠物",
    "skill": "技能 学习 特长",
    "routine": "习惯 作息",
    "health": "健康 健康状况 疾病",
    "trait": "性格 性格特点 特点",
    "quit": "戒掉 戒除",
    "family": "家庭 家人 家庭成员",
    AIM: "打算 目标 愿望 计划",
}
_NAMES = {
    letters(word): (name, table is _MANY)
    for table in (_ONE, _MANY)
    for name, words in table.items()
    for word in (name, *words.split())
}


def find_attribute(about: str) -> tuple[str, bool]:
    """Give the attribute that some words name, and whether a person has several."""
    named = letters(about.partition(":")[0].partition("：")[0])
    return _NAMES.get(named, (OTHER, True))


def list_attributes() -> list[str]:
    """Give the names of all attributes, in the order in which they are explained."""
    return [*_ONE, *_MANY]
