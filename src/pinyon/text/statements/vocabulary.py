"""The closed vocabulary of what is stated: of whom or what, and what of it.

What has no word here is not stated as far as the rules know. Both languages share the keys, so that
"我住在伦敦" and "I live in Leeds" are about the same: `(user, lives_in)`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pinyon.text.normal import fold

USER = "user"


@dataclass(frozen=True, slots=True)
class Attribute:
    """What can be said of a subject.

    Attributes:
        category: What it is filed under.
        is_single: There is only one at a time.
        lasts: It is meant to hold for long; what does not (an order, a date) is known less surely.
    """

    category: str
    is_single: bool = False
    lasts: bool = True


ATTRIBUTES: Mapping[str, Attribute] = {
    "name": Attribute("identity", is_single=True),
    "age": Attribute("identity", is_single=True),
    "birthday": Attribute("identity", is_single=True),
    "nationality": Attribute("identity", is_single=True),
    "from": Attribute("identity", is_single=True),
    "lives_in": Attribute("identity", is_single=True),
    "job": Attribute("identity", is_single=True),
    "works_at": Attribute("identity", is_single=True),
    "studies": Attribute("identity", is_single=True),
    "status": Attribute("identity", is_single=True),
    "speaks": Attribute("identity"),
    "learns": Attribute("identity"),
    "anniversary": Attribute("identity", is_single=True),
    "has": Attribute("possession"),
    "uses": Attribute("possession"),
    "version": Attribute("possession", is_single=True),
    "place": Attribute("possession", is_single=True, lasts=False),
    "ordered": Attribute("possession", lasts=False),
    "booked": Attribute("plan", lasts=False),
    "date": Attribute("plan", is_single=True, lasts=False),
    "goal": Attribute("plan", lasts=False),
    "likes": Attribute("preference"),
    "dislikes": Attribute("preference"),
    "prefers": Attribute("preference"),
    "allergic_to": Attribute("constraint"),
    "condition": Attribute("constraint"),
    "takes": Attribute("constraint"),
    "diet": Attribute("constraint", is_single=True),
    "avoids": Attribute("constraint"),
    "cannot": Attribute("constraint"),
    "budget": Attribute("constraint", is_single=True),
    "instruction": Attribute("instruction"),
}
"""Beside these, `favourite_` and a word of `KINDS`: single, a preference."""

KINDS: Mapping[str, str] = {
    "colour": "colour color 颜色",
    "food": "food dish meal 食物 菜",
    "drink": "drink beverage 饮料",
    "fruit": "fruit 水果",
    "animal": "animal 动物",
    "band": "band 乐队",
    "singer": "singer 歌手",
    "song": "song 歌 歌曲",
    "book": "book novel 书 小说",
    "author": "author writer 作家",
    "film": "film movie 电影",
    "game": "game 游戏",
    "sport": "sport 运动",
    "team": "team 球队",
    "season": "season 季节",
    "city": "city 城市",
    "restaurant": "restaurant 餐厅 饭店",
    "tea": "tea 茶",
}
FAVOURITE = Attribute("preference", is_single=True)

FAMILY: Mapping[str, str] = {
    "wife": "wife 老婆 妻子 太太 媳妇",
    "husband": "husband 老公 丈夫 先生",
    "partner": "partner spouse 爱人 对象",
    "girlfriend": "girlfriend 女朋友 女友",
    "boyfriend": "boyfriend 男朋友 男友",
    "mother": "mother mum mom 妈妈 妈 母亲",
    "father": "father dad 爸爸 爸 父亲",
    "sister": "sister 姐姐 妹妹 姐 妹",
    "brother": "brother 哥哥 弟弟 哥 弟",
    "daughter": "daughter 女儿 闺女",
    "son": "son 儿子",
    "grandmother": "grandmother grandma nan 奶奶 外婆 姥姥",
    "grandfather": "grandfather grandpa 爷爷 外公 姥爷",
    "granddaughter": "granddaughter 孙女 外孙女",
    "grandson": "grandson 孙子 外孙",
    "roommate": "roommate flatmate 室友",
}
PETS: Mapping[str, str] = {
    "dog": "dog puppy 狗 狗狗 小狗",
    "cat": "cat kitten 猫 猫咪 小猫",
    "rabbit": "rabbit 兔子",
    "turtle": "turtle tortoise 乌龟",
    "hamster": "hamster 仓鼠",
    "parrot": "parrot 鹦鹉",
    "horse": "horse",
}
DEVICES: Mapping[str, str] = {
    "hub": "hub gateway 网关",
    "phone": "phone mobile smartphone 手机",
    "tablet": "tablet 平板",
    "laptop": "laptop notebook 笔记本",
    "computer": "computer pc desktop 电脑",
    "router": "router 路由器",
    "tv": "tv television 电视",
    "printer": "printer 打印机",
    "camera": "camera 相机",
    "watch": "watch smartwatch 手表",
    "server": "server 服务器",
    "database": "database 数据库",
    "app": "app 应用",
    "car": "car 车 汽车",
    "bike": "bike bicycle e-bike 自行车 电动车",
    "console": "console",
}
OBJECTS: Mapping[str, str] = {
    "key": "key 钥匙",
    "passport": "passport 护照",
    "wallet": "wallet 钱包",
    "sensor": "sensor 传感器",
    "lamp": "lamp bulb 灯",
    "plug": "plug 插座",
    "desk": "desk 工位",
    "glasses": "glasses 眼镜",
}
EVENTS: Mapping[str, str] = {
    "wedding": "wedding 婚礼",
    "exam": "exam 考试",
    "interview": "interview 面试",
    "appointment": "appointment 预约",
    "scan": "mri scan",
    "operation": "operation surgery 手术",
    "flight": "flight 航班 去程",
    "return": "return 回程",
    "train": "train 火车 高铁",
    "move": "moving_day",
    "van": "removal_van",
    "concert": "concert 演唱会 音乐会",
    "race": "race marathon half-marathon 半马 全马 马拉松",
    "party": "party 聚会",
    "trip": "trip holiday 旅行",
    "deadline": "deadline 截止日期",
    "meeting": "meeting 例会",
}

_GROUPS = (FAMILY, PETS, DEVICES, OBJECTS, EVENTS)
SUBJECTS = (USER, *(key for group in _GROUPS for key in group))
"""Of whom or what something is stated."""

_KEY_OF = {
    fold(word.replace("_", " ")): key
    for group in _GROUPS
    for key, words in group.items()
    for word in words.split()
}
_KIND_OF = {word: key for key, words in KINDS.items() for word in words.split()}


def is_attribute(name: str) -> bool:
    """Return whether a key names an attribute."""
    return name in ATTRIBUTES or name.removeprefix("favourite_") in KINDS


def attribute_of(name: str) -> Attribute:
    """Return what is known of an attribute, by its key."""
    return FAVOURITE if name.startswith("favourite_") else ATTRIBUTES[name]


def subject_of(word: str) -> str:
    """Return the key of a subject, by one of its words."""
    return _KEY_OF[" ".join(fold(word).split())]


def kind_of(word: str) -> str:
    """Return the key of what one can have a favourite of, by one of its words."""
    return _KIND_OF[fold(word)]


def words_of(*groups: Mapping[str, str]) -> str:
    """Return a pattern of all words of some groups, longest first, `_` for a blank."""
    words = {word for group in groups for words in group.values() for word in words.split()}
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=lambda w: (-len(w), w))))})"
