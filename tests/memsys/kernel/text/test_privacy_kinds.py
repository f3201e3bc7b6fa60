"""The privacy filter, kind by kind: how people write what they should not send."""

import pytest

from memsys.kernel.text.privacy import mask


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("一四七，三三零九，六六一二", "[手机号]"),
        ("147🍉3309🍉6612收到没", "[手机号]收到没"),
        ("147杠3309杠6612", "[手机号]"),
        ("147(3309)6612", "[手机号]"),
        ("⑴⑷⑺⑶⑶⑴⑼⑹⑹⑴⑵", "[手机号]"),
        ("1̶4̶7̶3̶3̶0̶9̶6̶6̶1̶2̶", "[手机号]"),
        ("一四七三三○九六六一二", "[手机号]"),
        ("I4733o96612", "[手机号]"),
        ("1 4 7 - 3 3 0 9 - 6 6 1 2", "[手机号]"),
        ("号码：１４７ 3309 ６６１２", "号码：[手机号]"),
        ("前三位147，后面是33096612", "前三位[手机号]"),
        ("开头1473，中间309，最后6612", "开头[手机号]"),
        ("前三位一四七后八位三三零九六六一二", "前三位[手机号]"),
        ("先发一半147330，再发一半96612", "先发一半[手机号]"),
    ],
)
def test_it_masks_a_mobile_in_disguise_or_in_pieces(message: str, masked: str) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    "message",
    [
        "(+61) 491 570 156",
        "+(852) 5123 4567",
        "+81 80-1234-5678",
        "+65 8123 4567",
        "英国手机 +447911654321",
        "0060 12-345 6789",
        "香港手机5123 4567",
        "台湾的电话0912-345-678",
        "电话 852 5123 4567",
        "0912-345-678",
        "手機號0912345678",
        "我的香港電話係5123 4567",
        "080-1234-5678",
        "(415) 555-2671",
    ],
)
def test_it_masks_a_number_of_another_country(message: str) -> None:
    masked = mask(message)

    assert masked.counts == {"mobile": 1}
    assert not any(character.isdigit() for character in masked.text)


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("总机0512-66778899-8012", "总机[固定电话]"),
        ("单位(0512)66778899转6，找我", "单位[固定电话]，找我"),
        ("区号0512，号码66778899", "区号[固定电话]"),
        ("座机没换，还是6677 8899", "座机没换，还是[固定电话]"),
        ("家里6677-8899", "家里[固定电话]"),
        ("店里400-820-1234", "店里[固定电话]"),
        ("客服电话8008201234", "客服电话[固定电话]"),
    ],
)
def test_it_masks_a_landline_with_its_extension(message: str, masked: str) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("110105 后面 19491231 最后002X", "[身份证号]"),
        ("我sfz 110105194912310021", "我sfz [身份证号]"),
        ("身分證字號A123456789", "身分證字號[身份证号]"),
        ("110105.19491231.002X", "[身份证号]"),
        ("身份证发你了，110105194912310021", "身份证发你了，[身份证号]"),
        ("卡号我说了，6222021111111111111", "卡号我说了，[银行卡号]"),
        ("6222021111111111111这张卡", "[银行卡号]这张卡"),
        ("4111/1111/1111/1111", "[银行卡号]"),
        ("打到6222021111111111111", "打到[银行卡号]"),
        ("卡背面的cvv 372", "卡背面的cvv [密码]"),
    ],
)
def test_it_masks_a_card_in_pieces_or_mistyped(message: str, masked: str) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    "address",
    [
        "mo.li[at]foxmail[dot]com",
        "mo.li (at) foxmail (dot) com",
        "moli at foxmail dot com",
        "moli 艾特 foxmail 点 com",
        "mo点li艾特foxmail点com",
        "mo下划线li爱特163点com",
        "moli小老鼠qq",
        "moli @ foxmail . com",
        "moli@foxmail。com",
        "一二三四五艾特qq点com",
        "ｍｏｌｉ＠１６３．ｃｏｍ",
    ],
)
def test_it_masks_a_mail_address_however_it_is_spelt(address: str) -> None:
    assert mask(f"写信到{address}，谢谢").text == "写信到[邮箱]，谢谢"


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("卫星moli3309", "卫星[微信号]"),
        ("➕我🛰️ moli3309", "➕我🛰️ [微信号]"),
        ("V💚moli_cat", "V💚[微信号]"),
        ("加vmoli3309", "加v[微信号]"),
        ("喂信：moli3309", "喂信：[微信号]"),
        ("歪信 moli_cat", "歪信 [微信号]"),
        ("w❤x moli_cat", "w❤x [微信号]"),
        ("微x：moli3309", "微x：[微信号]"),
        ("同V moli_cat", "同V [微信号]"),
        ("微 信 moli_cat", "微 信 [微信号]"),
        ("V信➡️moli3309", "V信➡️[微信号]"),
        ("微信号moli下划线cat", "微信号[微信号]"),
        ("加个微信呗，moli_cat", "加个微信呗，[微信号]"),
        ("vx搜我名字拼音 moli3309", "vx搜我名字拼音 [微信号]"),
        ("moli_cat是我微信", "[微信号]是我微信"),
        ("moli3309 加微信", "[微信号] 加微信"),
        ("moli_cat，绿色的那个软件", "[微信号]，绿色的那个软件"),
        ("微信号一四七三三零九六", "微信号[微信号]"),
        ("🐧 14733096", "🐧 [QQ号]"),
        ("扣q 14733096", "扣q [QQ号]"),
        ("企鹅号换了，现在是1473309661", "企鹅号换了，现在是[QQ号]"),
        ("14733096这是我的扣扣", "[QQ号]这是我的扣扣"),
        ("qq号换成14733096了", "qq号换成[QQ号]了"),
        ("QQ邮箱14733096", "QQ邮箱[QQ号]"),
        ("支付宝147🍉3309🍉6612", "支付宝[支付宝账号]"),
        ("支付宝账号moli3309", "支付宝账号[支付宝账号]"),
        ("ig是mo.li_33，推特@moli33", "ig是[社交账号]，推特[社交账号]"),
        ("moli_cat是我的抖音号", "[社交账号]是我的抖音号"),
        ("后台账号mo_admin密码Mo@3309!", "后台账号[社交账号]密码[密码]"),
    ],
)
def test_it_masks_a_handle_before_behind_or_far_from_its_name(
    message: str, masked: str
) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("PIN是3309", "PIN是[密码]"),
        ("wifi密码就33096612", "wifi密码就[密码]"),
        ("pin码 3309", "pin码 [密码]"),
        ("锁屏密码是我生日0309", "锁屏密码是我生日[密码]"),
        ("支付密码我告诉你：330966", "支付密码我告诉你：[密码]"),
        ("门锁密码3309#", "门锁密码[密码]"),
        ("暗语口令是“芝麻开门”", "暗语口令是“[密码]”"),
        ("锁屏是330966", "锁屏是[密码]"),
        ("验证码是多少？330966", "验证码是多少？[密码]"),
        ("提取码：x7k9", "提取码：[密码]"),
        ("动态码给你 330966", "动态码给你 [密码]"),
        ("token是a1b2c3d4e5f6", "token是[密钥]"),
        ("glpat-a1b2c3d4e5f6g7h8", "[密钥]"),
        ("LTAI5tA1b2C3d4E5f6", "[密钥]"),
    ],
)
def test_it_masks_a_secret_and_keeps_what_announced_it(
    message: str, masked: str
) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("护照的话，EB7364519", "护照的话，[证件号]"),
        ("passport no. EJ2938471", "passport no. [证件号]"),
        ("EB7364519是我护照", "[证件号]是我护照"),
        ("回乡证H0374856201", "回乡证[证件号]"),
        ("通行证 C 6273 8194", "通行证 [证件号]"),
        ("粤Z·3F72港停这", "[车牌号]停这"),
        ("车牌京-A·12345", "车牌[车牌号]"),
        ("我的车粤b6k83z", "我的车[车牌号]"),
    ],
)
def test_it_masks_a_document_or_a_plate(message: str, masked: str) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    "address",
    [
        "太康县王集乡李楼村三组18号",
        "太康县王集乡李楼村",
        "赵家屯二队37号",
        "科苑路15号云杉科学园B座1701",
        "古城人民路下段88号",
        "文三路 90 号 3 幢 502",
        "和平里北街甲12号院5号楼",
        "翠湖天地2栋15C",
        "云杉家园3-2-501",
        "云杉花园12栋楼下的丰巢柜",
        "云杉小区东门菜鸟驿站",
        "云杉国际酒店8206房",
        "云杉大厦B座2208",
        "科苑路15号云杉广场A塔3602",
        "梅园六号楼二单元五零二",
        "南区宿舍楼6-302",
    ],
)
def test_it_masks_an_address_down_to_its_door(address: str) -> None:
    assert mask(f"寄到{address}，谢谢").text == "寄到[地址]，谢谢"


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("本人莫小棠，女", "本人[姓名]，女"),
        ("我姓欧阳，单名一个岚", "我姓[姓名]"),
        ("免贵姓沈，叫沈岚", "免贵姓[姓名]"),
        ("大名何嘉岚，小名豆豆", "大名[姓名]，小名豆豆"),
        ("我本名高洁", "我本名[姓名]"),
        ("身份证上的名字是慕容岚", "身份证上的名字是[姓名]"),
        ("户口本上写的是沈岚", "户口本上写的是[姓名]"),
        ("我的大名叫魏来", "我的大名叫[姓名]"),
        ("13800138000（沈小岚）", "[手机号]（[姓名]）"),
        ("沈小岚 13800138000", "[姓名] [手机号]"),
        ("收款人：沈岚", "收款人：[姓名]"),
        ("户名沈小岚", "户名[姓名]"),
        ("寄到科苑路15号，沈小岚收", "寄到[地址]，[姓名]收"),
        ("你好，我是沈小岚", "你好，我是[姓名]"),
        ("我是沈岚，今年22", "我是[姓名]，今年22"),
        ("我叫沈小刚刚毕业", "我叫[姓名]刚毕业"),
        ("我叫沈 小 岚", "我叫[姓名]"),
        ("我叫阿依古丽·买买提", "我叫[姓名]"),
        ("my name is Shen Xiaolan", "my name is [姓名]"),
        ("我叫阚岚", "我叫[姓名]"),
    ],
)
def test_it_masks_a_name_in_an_introduction_or_a_form(
    message: str, masked: str
) -> None:
    assert mask(message).text == masked


@pytest.mark.parametrize(
    "message",
    [
        "微信8.0.50又更新了，微信群500人，微信支付到账520元",
        "微信上有人问我iphone16要不要买",
        "卫星发射成功，今年第68次",
        "加vip认证要多少粉丝，v领毛衣是2019年买的",
        "QQ飞车1800分，QQ农场2009年，QQ 9.9.15版本",
        "企鹅重30多公斤，球球你了",
        "支付宝年度账单138642元",
        "抖音刷到凌晨3点，小红书10000赞，b站搜lofi",
        "密码输错5次锁30分钟，验证码等了60秒",
        "密码忘了，打10086问",
        "pinduoduo2024砍一刀，key是C大调",
        "手机尾号7416",
        "前三名138、126、119分",
        "快递单号6222021111111111111",
        "运单4111111111111111",
        "版本3.14.15，DOI 10.1000/182",
        "二零二六年十一月三十号，七七四十九",
        "生日0912，第1380集，编号14733096612",
        "签证花了1500，身份证2028年到期",
        "新 C5 2024款，京东618，A4纸500张",
        "大酒店2008年开业，广场舞20个人",
        "宿舍6人间，公园路边3号楼盘",
        "我们村3组修路，知道3号他来",
        "老家在河南太康县，住在朝阳区望京",
        "我叫滴滴了，我叫黄焖鸡，我叫你别等",
        "别叫我王总，叫我小宝，我姓张，叫我小张",
        "本人程序员，本人江苏人，本人单身",
        "我是文科生，今年18。你好，我是新来的",
        "名字和头像都换了，大名鼎鼎，这首歌名字叫江南",
        "联系人管理，收件人和地址，钱没收，",
        "现在下高速，我姓啥来着",
        "歌手名字叫周深，猫大名叫王富贵，他的名字叫李华",
        "他姓陈，名校毕业",
        "账号lv100，密码房，锁屏壁纸1080p",
        "验证码收不到，打了10086，余额2000元",
        "联系方式 [手机号]，[手机号]（万能钥匙）",
        "1 3 5 7 9，130 140 150斤，13.8万，0.13800138",
    ],
)
def test_it_keeps_everyday_talk_about_the_same_words(message: str) -> None:
    masked = mask(message)

    assert masked.text == message
    assert masked.counts == {}
