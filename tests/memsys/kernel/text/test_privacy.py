"""The privacy filter."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memsys.kernel.text.privacy import DETECTORS, mask

HANDED_OUT = Path(__file__).resolve().parents[5] / "shared" / "data" / "pii_zh.jsonl"
PIECES = re.split(
    r"\|",
    "13800138000|138|0013|8000|1|3|8|0|86|+|+86 |00|0571-87654321|座机|电话|10000000"
    "|6222020000000000000|11010519491231002X|130503670401001|111000000101000|卡|身份证"
    "|微信|号|是|:|：| |-|.|一|三|abc12345|wx_abc|a|@|qq|q|加|.com|点|艾特|密码|hunter2!|！|，|\n"
    "|住在|北京|路|街|88号|3号楼|502室|我叫|王小明|名|京A12345|·|护照|E12345678|[手机号]|[|手机号|]"
    "|sk-|abcdefghijklmnop|token|=|助记词|抖音|@小鹿|支付宝|订单号|元|¥|(|)|V|➕|x|X|l|o"
    "|前三位|后面|中间|半|转802|(0)|852|香港|打|本人|姓|单名一个|户名|收|，吴思琪收|你好|我是|是我的"
    "|村|三组|大厦|花园|3-2-501|镇|区|座机|企鹅|下划线|点com|[at]|at gmail|🐧|💚|🛰|🀄|○|京a|粤B"
    "|\u0336|\u200b|\u200d|\ufe0f|\u20e3|①|㏂|⑬|Ⅳ|ﷺ|\ud83d|\ue000|👨|１|３|８",
)
ANY_TEXT = st.text(st.characters(categories=None), max_size=20) | st.lists(
    st.sampled_from(PIECES), max_size=14
).map("".join)


def test_it_masks_each_kind_and_keeps_the_rest() -> None:
    """Acceptance row 78."""
    message = (
        "手机13800138000，身份证11010519491231002X，卡6222020000000000000，"
        "微信wx_abc12345，密码是hunter2！我爱猫"
    )

    masked = mask(message)

    assert masked.text == (
        "手机[手机号]，身份证[身份证号]，卡[银行卡号]，微信[微信号]，密码是[密码]！我爱猫"
    )
    assert masked.counts == {
        "mobile": 1,
        "id_card": 1,
        "bank_card": 1,
        "wechat": 1,
        "password": 1,
    }


@pytest.mark.parametrize(
    "mobile",
    [
        "13800138000",
        "138 0013 8000",
        "138-0013-8000",
        "138 - 0013 - 8000",
        "138.0013.8000",
        "1380 0138 000",
        "138 001 38000",
        "1 3 8 0 0 1 3 8 0 0 0",
        "１３８００１３８０００",
        "+86 13800138000",
        "+8613800138000",
        "＋86-138-0013-8000",
        "(+86)13800138000",
        "0086 13800138000",
        "8613800138000",
        "138\u200b0013\u200d8000",
        "①③⑧⓪⓪①③⑧⓪⓪⓪",
        "1️⃣3️⃣8️⃣0️⃣0️⃣1️⃣3️⃣8️⃣0️⃣0️⃣0️⃣",
        "一三八零零一三八零零零",
        "幺三八〇〇幺三八〇〇〇",
        "壹叁捌零零壹叁捌零零零",
        "1三8零0一3八0零0",
        "138oo138ooo",
        "+1 415 555 2671",
        "+852 9123 4567",
        "0085291234567",
    ],
)
def test_it_masks_a_mobile_however_it_is_written(mobile: str) -> None:
    assert mask(f"打给我{mobile}，随时").text == "打给我[手机号]，随时"


@pytest.mark.parametrize(
    "landline",
    [
        "0571-87654321",
        "057187654321",
        "（0571）87654321",
        "010 6543 2109",
        "021-65432109",
        "０２１－６５４３２１０９",
        "+44 20 7946 0958",
    ],
)
def test_it_masks_a_landline(landline: str) -> None:
    assert mask(f"家里{landline}哦").text == "家里[固定电话]哦"


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("座机87654321", "座机[固定电话]"),
        ("身份证110101199003078312好", "身份证[身份证号]好"),
        ("号码110105 19491231 002x", "号码[身份证号]"),
        ("老的130503670401001", "老的[身份证号]"),
        ("身份证号440305199512240041打错了", "身份证号[身份证号]打错了"),
        ("身份证：440524 1988 0101 0014", "身份证：[身份证号]"),
        ("卡号 6217 0000 1000 1234 569", "卡号 [银行卡号]"),
        ("4111 1111 1111 1111", "[银行卡号]"),
        ("银行卡6222021234567890123", "银行卡[银行卡号]"),
        ("发wang.li+1@mail.example.com.cn吧", "发[邮箱]吧"),
        ("13800138000@qq.com", "[邮箱]"),
        ("wang＠gmail．com13800138000", "[邮箱][手机号]"),
        ("邮箱wang艾特gmail点com", "邮箱[邮箱]"),
        ("wang (at) gmail.com", "[邮箱]"),
        ("我的微信号是 Lucky_Star88", "我的微信号是 [微信号]"),
        ("加V：moon_2001", "加V：[微信号]"),
        ("➕VX sunny1998", "➕VX [微信号]"),
        ("绿泡泡搜 ahua_0912", "绿泡泡搜 [微信号]"),
        ("薇❤️ kitty886", "薇❤️ [微信号]"),
        ("wxid_a1b2c3d4e5f6", "[微信号]"),
        ("扣扣：987654321", "扣扣：[QQ号]"),
        ("加我q 二四六八一三五七九", "加我q [QQ号]"),
        ("支付宝是zhang.san@163.com", "支付宝是[支付宝账号]"),
        ("支付寶賬號13566667777", "支付寶賬號[支付宝账号]"),
        ("密码：Abc@1234，别说", "密码：[密码]，别说"),
        ("密码改成了summer2024", "密码改成了[密码]"),
        ("验证码是 839201", "验证码是 [密码]"),
        ("wifi密码88888888", "wifi密码[密码]"),
        ("sk-abcdefghijklmnop1234", "[密钥]"),
        ("护照 EA1234567", "护照 [证件号]"),
        ("沪B·D8888停在楼下", "[车牌号]停在楼下"),
        ("京AD12345是新能源", "[车牌号]是新能源"),
        ("车牌粤b12345", "车牌[车牌号]"),
        ("抖音号dy8866xx，微博@小鹿乱撞呀", "抖音号[社交账号]，微博[社交账号]"),
        ("我住在北京市朝阳区建国路88号3号楼502室", "我住在[地址]"),
        ("宿舍是东区8号楼416寝室", "宿舍是[地址]"),
        ("我叫王小明，今年二十三", "我叫[姓名]，今年二十三"),
        ("手機號碼是13800138000", "手機號碼是[手机号]"),
        ("17012345678和19912345678都是我的", "[手机号]和[手机号]都是我的"),
    ],
)
def test_it_masks_what_is_personal_and_nothing_beside_it(
    message: str, masked: str
) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    "message",
    [
        "订单号20260315001234",
        "20260315001234",
        "订单号是13800138000",
        "快递单号YT1234567890123",
        "价格13999元，打折后 1,299.00",
        "¥13800138000",
        "打赏520和1314，5201314",
        "1314520爱你",
        "13 14 520 1314",
        "2026-11-30 15:00:00我在开会",
        "今天是2026年11月30日，20261130",
        "二零二六年三月十五日",
        "他考了698分，比分21:19",
        "版本1.2.3.4，IP 192.168.138.138",
        "圆周率3.14159265358979",
        "时间戳1700000000000",
        "ISBN 978-7-111-12345-6",
        "走了13800步",
        "我有1388块钱",
        "一三五上班二四六休息",
        "我想吃QQ糖，听QQ音乐",
        "微信怎么改头像，微信iphone15能登吗",
        "微信群里500人",
        "密码忘了，密码6位",
        "群号我忘了，你能加我好友吗",
        "我叫你起床你都不理我，我叫了外卖",
        "我叫阿澈，我叫小满，我叫周周",
        "我住在成都，老家在杭州西湖区",
        "我知道3号他来，坐2号线，8路公交",
        "新mate60p和iPhone 15 Pro",
        "打 10086 或 95588",
        "暗号-7731",
    ],
)
def test_it_leaves_ordinary_numbers_and_words(message: str) -> None:
    """Acceptance row 78."""
    masked = mask(message)

    assert masked.text == message
    assert masked.counts == {}


def test_it_keeps_emoji_and_spelling_around_a_datum() -> None:
    message = "👨‍👩‍👧‍👦ＡＢ發１３８００１３８０００！👍🏽"

    assert mask(message).text == "👨‍👩‍👧‍👦ＡＢ發[手机号]！👍🏽"


def test_it_counts_by_kind() -> None:
    counts = mask("13800138000 13900139000 a@b.com").counts

    assert counts == {"mobile": 2, "email": 1}


def test_it_leaves_a_placeholder_that_was_typed() -> None:
    typed = "".join(detector.placeholder for detector in DETECTORS)

    assert mask(f"密码是{typed}微信[微信号]").text == f"密码是{typed}微信[微信号]"


@settings(max_examples=300)
@given(ANY_TEXT)
@example("111000000101000")
@example("\ud83d微信是")
@example("[手机号13800138000]手机号]")
def test_it_changes_nothing_the_second_time(text: str) -> None:
    once = mask(text).text

    assert mask(once).text == once


def steps(run: Callable[[], object]) -> int:
    """How many calls, of Python or of the library, a run takes."""
    count = 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1 ",
        "1-",
        "138 ",
        "13800138000 ",
        "6222 ",
        "010-",
        "+1 ",
        "110101 ",
        "一",
        "①",
        "a@",
        "a.",
        "路3号",
        "3号楼",
        "微信是",
        "密码是",
        "助记词abc ",
        "eyjaaaaaaaaaaa.",
        "-----begin private key-----",
        "我叫",
        "我叫王",
        "姓王叫",
        "本人",
        "138后面",
        "110101后面",
        "12345是我",
        "微信，",
        "住在哈",
        "村三组",
        "区哈镇",
        "卡",
        "密码我",
    ],
)
def test_it_takes_twice_the_steps_for_twice_the_text(piece: str) -> None:
    mask("1")
    short = piece * (2000 // len(piece))

    once, twice = steps(lambda: mask(short)), steps(lambda: mask(short * 2))

    assert twice < 2.5 * once + 200


@pytest.mark.parametrize(
    "piece", ["1", "1 ", "一", "哈", "我叫", "a", "-", "@", "(", "\u200b"]
)
def test_it_finishes_a_million_characters(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))

    assert mask(text).counts == {}


@pytest.mark.skipif(not HANDED_OUT.exists(), reason="the handed-out set is absent")
def test_it_finds_nearly_all_of_the_handed_out_set_and_no_negative() -> None:
    lines = HANDED_OUT.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]

    left = [
        span["value"]
        for row in rows
        for span in row["spans"]
        if span["value"] in mask(row["text"]).text
    ]
    hit = [row["text"] for row in rows if not row["spans"] and mask(row["text"]).counts]

    assert len(left) <= 0.03 * sum(len(row["spans"]) for row in rows)
    assert hit == []


@pytest.mark.parametrize(
    "text",
    [
        "家住朝阳区望京西园四区416楼",
        "寄到阳光花园3栋1单元502",
        "我在万科金域华府小区12号楼",
        "我搬到锦绣苑6幢了",
        "张江汤臣豪园二期35栋",
    ],
)
def test_it_masks_an_estate_with_its_building(text: str) -> None:
    assert mask(text).counts == {"address": 1}


@pytest.mark.parametrize(
    "text",
    [
        "去公园3号楼那边",
        "幼儿园2楼",
        "动物园3号门见",
        "我们小区3楼漏水",
        "花园里有3只猫",
        "校园3栋宿舍",
    ],
)
def test_it_keeps_places_that_are_no_address(text: str) -> None:
    assert mask(text).text == text
