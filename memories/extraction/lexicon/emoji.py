"""The emoji that stand for a thing which people eat, keep or play, with its word."""

from collections.abc import Mapping

_PAIRS = (
    "🍎苹果 🍏青苹果 🍐梨 🍊橘子 🍋柠檬 🍌香蕉 🍉西瓜 🍇葡萄 🍓草莓 🫐蓝莓 🍒樱桃 🍑桃子 🥭芒果 🍍菠萝 "
    "🥥椰子 🥝猕猴桃 🍅番茄 🍆茄子 🥑牛油果 🥦西兰花 🥬青菜 🥒黄瓜 🌶辣椒 🌽玉米 🥕胡萝卜 🧄大蒜 🧅洋葱 "
    "🥔土豆 🍠红薯 🥜花生 🌰栗子 🍞面包 🥐可颂 🥯贝果 🥞松饼 🧀奶酪 🥚鸡蛋 🥓培根 🍔汉堡 🍟薯条 🍕披萨 "
    "🌭热狗 🥪三明治 🌮塔可 🥗沙拉 🍝意面 🍜面条 🍲火锅 🍛咖喱 🍣寿司 🍱便当 🥟饺子 🍤炸虾 🍙饭团 🍚米饭 "
    "🍢关东煮 🍡团子 🍧刨冰 🍨冰淇淋 🍦冰淇淋 🍰蛋糕 🎂蛋糕 🍮布丁 🍭糖 🍬糖 🍫巧克力 🍿爆米花 🍩甜甜圈 🍪饼干 "
    "🥛牛奶 ☕咖啡 🍵茶 🧋奶茶 🥤可乐 🍺啤酒 🍻啤酒 🍷红酒 🍶清酒 🥃威士忌 🍸鸡尾酒 🦞龙虾 🦀螃蟹 🦐虾 🦑鱿鱼 "
    "🦪生蚝 🐟鱼 🐠鱼 🐶狗 🐕狗 🐱猫 🐈猫 🐰兔子 🐇兔子 🐹仓鼠 🐭老鼠 🐀老鼠 🐢乌龟 🐍蛇 🦎蜥蜴 🐦鸟 🦜鹦鹉 "
    "🐔鸡 🦆鸭子 🐴马 🐎马 🐷猪 🐮牛 🐑羊 🦔刺猬 🕷蜘蛛 🪳蟑螂 ⚽足球 🏀篮球 🏐排球 🎾网球 🏸羽毛球 🏓乒乓球 "
    "🎸吉他 🎹钢琴 🎻小提琴 🥁架子鼓 🎮游戏 🌹玫瑰 🌸樱花 🌻向日葵"
)

# By the first character; what may follow it only says how it is drawn.
THINGS: Mapping[str, str] = {pair[0]: pair[1:] for pair in _PAIRS.split()}
