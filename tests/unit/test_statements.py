"""What a message states, read without a model; how often that is right is measured beside it."""

import importlib.util
import json
from itertools import cycle, islice
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.evaluation.quality.named import corpus_of
from pinyon.text.statements import CHARS_MAX, statements_in
from pinyon.text.statements.vocabulary import (
    ATTRIBUTES,
    KINDS,
    SUBJECTS,
    attribute_of,
    is_attribute,
)

LABELLED = Path(__file__).parents[1] / "labelled"
BENCH = Path(__file__).parents[2] / "bench" / "statements.py"


def script():
    spec = importlib.util.spec_from_file_location("bench_statements", BENCH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = script()


def stated(text):
    return [(one.subject, one.attribute, one.value) for one in statements_in(text)]


def only(text):
    (one,) = statements_in(text)
    return one


def clause(text):
    one = only(text)
    return text[one.start : one.end]


# ── what is stated ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("My name is Ann Lee.", "name", "Ann Lee"),
        ("Hi, I’m Nadia", "name", "Nadia"),
        ("I am 34 years old", "age", "34"),
        ("I was born on 3 March 1982", "birthday", "3 March 1982"),
        ("I'm originally from Ghana", "from", "Ghana"),
        ("I'm Dutch", "nationality", "Dutch"),
        ("I live in Leeds", "lives_in", "Leeds"),
        ("I've moved to York", "lives_in", "York"),
        ("I work as a nurse", "job", "nurse"),
        ("I work at a bakery", "works_at", "a bakery"),
        ("I'm studying law", "studies", "law"),
        ("I'm married", "status", "married"),
        ("I speak Welsh", "speaks", "Welsh"),
        ("I'm learning Tamil", "learns", "Tamil"),
        ("I have a Lumio Hub v2", "has", "a Lumio Hub v2"),
        ("my dog chews every cable", "has", "dog"),
        ("I use Vim 9", "uses", "Vim 9"),
        ("I've ordered a kettle", "ordered", "a kettle"),
        ("We have booked a cottage in Wales for May", "booked", "a cottage in Wales"),
        ("My goal is to swim a mile", "goal", "swim a mile"),
        ("I really like hiking", "likes", "hiking"),
        ("I can't stand mayonnaise", "dislikes", "mayonnaise"),
        ("I prefer tea to coffee", "prefers", "tea"),
        ("I'd rather walk than drive", "prefers", "walk"),
        ("My favourite colour is teal", "favourite_colour", "teal"),
        ("I'm allergic to walnuts", "allergic_to", "walnuts"),
        ("I have asthma", "condition", "asthma"),
        ("I take warfarin every night", "takes", "warfarin"),
        ("We're vegan", "diet", "vegan"),
        ("I don't eat pork", "avoids", "pork"),
        ("I don't fly", "avoids", "fly"),
        ("I can't drive at night", "cannot", "drive at night"),
        ("My budget is 300 euros", "budget", "300 euros"),
        ("Always answer in metric units", "instruction", "Always answer in metric units"),
        ("Our anniversary is 5 May", "anniversary", "5 May"),
        ("我叫李雨桐", "name", "李雨桐"),
        ("我今年28岁", "age", "28"),
        ("我的生日是9月12日", "birthday", "9月12日"),
        ("我来自青岛", "from", "青岛"),
        ("我是荷兰人", "nationality", "荷兰"),
        ("我住在伦敦", "lives_in", "伦敦"),
        ("我是一名护士", "job", "护士"),
        ("我在银行上班", "works_at", "银行"),
        ("我是学法律的", "studies", "法律"),
        ("我结婚了", "status", "结婚了"),
        ("我会说粤语", "speaks", "粤语"),
        ("我在学吉他", "learns", "吉他"),
        ("我有一台 Lumio 网关 v2", "has", "一台 Lumio 网关 v2"),
        ("我有两个孩子", "has", "两个孩子"),
        ("我家狗总咬线", "has", "狗"),
        ("我用的是 Vim 9", "uses", "Vim 9"),
        ("我下单了一个水壶", "ordered", "一个水壶"),
        ("我订了厦门的民宿", "booked", "厦门的民宿"),
        ("我今年的目标是游一公里", "goal", "游一公里"),
        ("我特别喜欢爬山", "likes", "爬山"),
        ("我讨厌香菜", "dislikes", "香菜"),
        ("我更喜欢喝茶", "prefers", "喝茶"),
        ("我最喜欢的颜色是墨绿", "favourite_colour", "墨绿"),
        ("我对核桃过敏", "allergic_to", "核桃"),
        ("我有哮喘", "condition", "哮喘"),
        ("我长期吃降压药", "takes", "降压药"),
        ("我吃素", "diet", "吃素"),
        ("我不吃猪肉", "avoids", "猪肉"),
        ("我不能久坐", "cannot", "久坐"),
        ("预算不超过3000元", "budget", "3000元"),
        ("以后回答都用中文", "instruction", "以后回答都用中文"),
        ("我们的结婚纪念日是5月20号", "anniversary", "5月20号"),
    ],
)
def test_what_users_say_of_themselves_is_stated(text, attribute, value):
    assert stated(text) == [("user", attribute, value)]


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("My phone runs iOS 17.4", "phone", "version", "iOS 17.4"),
        ("Our hub is a Lumio Hub v3", "hub", "version", "Lumio Hub v3"),
        ("My sister lives in Cardiff", "sister", "lives_in", "Cardiff"),
        ("Our cat is called Biscuit", "cat", "name", "Biscuit"),
        ("My son is allergic to eggs", "son", "allergic_to", "eggs"),
        ("My MRI is on 6 May", "scan", "date", "6 May"),
        ("We fly to Porto on 21 May", "flight", "date", "21 May"),
        ("I keep my passport in the top drawer", "passport", "place", "the top drawer"),
        ("我的手机系统是 iOS 17.4", "phone", "version", "iOS 17.4"),
        ("我家猫叫煤球", "cat", "name", "煤球"),
        ("我儿子对鸡蛋过敏", "son", "allergic_to", "鸡蛋"),
        ("婚礼定在10月6号", "wedding", "date", "10月6号"),
        ("我把护照放在书房抽屉里", "passport", "place", "书房抽屉里"),
    ],
)
def test_family_pets_and_things_are_subjects_of_their_own(text, subject, attribute, value):
    assert stated(text) == [(subject, attribute, value)]


def test_one_message_may_state_several_things():
    text = "I live in Leeds and I work at Hedgerow. My wife Anna is a nurse, and we have two kids!"

    assert stated(text) == [
        ("user", "lives_in", "Leeds"),
        ("user", "works_at", "Hedgerow"),
        ("wife", "name", "Anna"),
        ("wife", "job", "nurse"),
        ("user", "has", "two kids"),
    ]


def test_what_is_said_twice_is_stated_once():
    assert stated("I live in Leeds. Yes, I live in Leeds.") == [("user", "lives_in", "Leeds")]


def test_both_languages_share_their_keys():
    english, chinese = only("I live in Leeds"), only("我住在伦敦")

    assert (english.subject, english.attribute) == (chinese.subject, chinese.attribute)


# ── where it stands ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Well, actually, I live in Leeds!", "I live in Leeds"),
        ("Correction: I live in Leeds", "I live in Leeds"),
        ("By the way, I'm vegan, thanks", "I'm vegan"),
        ("I was late, but I live in Leeds now.", "I live in Leeds now"),
        ("When I'm in Leeds, I prefer tea", "When I'm in Leeds, I prefer tea"),
        ("on weekdays I prefer tea", "on weekdays I prefer tea"),
        (
            "So this is the last draft, please never delete it!",
            "this is the last draft, please never delete it",
        ),
        ("I was late, so please never call me Cap", "please never call me Cap"),
        ("其实，我住在伦敦。", "我住在伦敦"),
        ("在家的时候，我更喜欢喝茶", "在家的时候，我更喜欢喝茶"),
        ("冬天我更喜欢喝茶", "冬天我更喜欢喝茶"),
        ("Please remind me. Oh, and never call me Cap", "never call me Cap"),
    ],
)
def test_the_clause_stands_by_itself_with_its_condition(text, said):
    assert clause(text) == said


def test_nobody_else_is_meant_where_a_clause_leaves_that_out():
    assert stated("She came round and bought a bike") == []
    assert stated("I came round and bought a bike") == [("user", "has", "a bike")]
    assert stated("我妈来了，换了一台电视") == []
    assert stated("我搬完家，换了一台电视") == [("user", "has", "一台电视")]


def test_a_clause_that_leaves_out_who_is_meant_takes_along_the_one_before():
    text = "I'm 34 years old and work as a nurse"
    age, job = statements_in(text)

    assert (age.value, text[age.start : age.end]) == ("34", "I'm 34 years old")
    assert (job.value, text[job.start : job.end]) == ("nurse", text)


def test_what_holds_under_a_condition_takes_no_ones_place():
    assert only("I live in Leeds").is_single
    assert not only("During the week I live in Leeds").is_single
    assert not only("When the term begins, I live in Leeds").is_single


# ── corrections ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "value", "replaces"),
    [
        ("We moved from York to Leeds", "Leeds", "York"),
        ("No, my hub is a Hub v3, not a v2", "Hub v3", "v2"),
        ("no, it's a Hub v3, not a Hub v2", "Hub v3", "Hub v2"),
        ("I switched from Spotify to Tidal", "Tidal", "Spotify"),
        ("I prefer tea, not coffee", "tea", "coffee"),
        ("我们从北京搬到了杭州", "杭州", "北京"),
        ("其实我住在佛山，不是广州", "佛山", "广州"),
        ("不对，是网关 v3，不是 v2", "网关 v3", "v2"),
        ("我从安卓换成了iPhone", "iPhone", "安卓"),
    ],
)
def test_a_correction_names_what_it_replaces(text, value, replaces):
    one = only(text)

    assert (one.value, one.replaces, one.says) == (value, replaces, "holds")
    assert replaces in text[one.start : one.end]


@pytest.mark.parametrize("text", ["no, it's a Hub v3", "不对，是网关 v3"])
def test_a_reply_alone_does_not_say_of_what_it_is(text):
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "attribute", "value", "says"),
    [
        ("I don't live in Cork any more", "lives_in", "Cork", "ended"),
        ("I used to live in Oslo", "lives_in", "Oslo", "ended"),
        ("I no longer work at Bosch", "works_at", "Bosch", "ended"),
        ("I'm no longer a nurse", "job", "nurse", "ended"),
        ("I've sold my car", "has", "my car", "ended"),
        ("my bike was stolen", "has", "bike", "ended"),
        ("I no longer like jazz", "likes", "jazz", "ended"),
        ("I'm not vegan any more", "diet", "vegan", "ended"),
        ("I never had a Hub v2", "has", "a Hub v2", "never"),
        ("I'm not allergic to eggs after all", "allergic_to", "eggs", "never"),
        ("我不住上海了", "lives_in", "上海", "ended"),
        ("我不在华为上班了", "works_at", "华为", "ended"),
        ("我把旧相机卖了", "has", "旧相机", "ended"),
        ("我不再吃素了", "diet", "吃素", "ended"),
        ("我从来没有养过猫", "has", "猫", "never"),
        ("我不对鸡蛋过敏", "allergic_to", "鸡蛋", "never"),
        ("我对鸡蛋不过敏", "allergic_to", "鸡蛋", "never"),
    ],
)
def test_what_is_over_or_never_was_is_said_so(text, attribute, value, says):
    one = only(text)

    assert (one.attribute, one.value, one.says) == (attribute, value, says)


# ── what states nothing ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Do I live in Leeds?",
        "what is my name",
        "我住在哪里？",
        "我是不是对虾过敏",
        "I live in Leeds?",
        "我住在上海？",
        "I have a Hub v2? Or a v3?",
        "If I lived in Paris I would eat well",
        "I wish I had a dog",
        "Maybe I'm allergic to cats",
        "I'm allergic to cats, maybe",
        "I live in Leeds, if I remember right",
        "I have a castle, a dragon and a cat lol",
        "I have a Hub v2, I think",
        "我对猫过敏，可能",
        "我住在海边的话就好了",
        "I'm planning to buy, I want to be vegan",
        "如果我住在巴黎就好了",
        "我想搬到成都",
        "我可能对猫过敏",
        "My friend Jack hates football",
        "My colleague is allergic to nuts",
        "我朋友对海鲜过敏",
        "She said I have a Hub v2",
        "他说我住在巴黎",
        'The sign says "I live in Leeds"',
        "“我住在巴黎”",
        "I live in Leeds, he said",
        "Bob: I have a Hub v2",
        "> I live in Leeds",
        "- I love my job\n- I'm vegan",
        "```\nI live in Leeds\n```",
        "`I live in Leeds`",
        'def f(): return "x"; I live in Leeds',
        "translate: I live in Leeds",
        "帮我把这句翻成英文：我住在海边，有一条狗",
        "麻烦帮忙把下面这段译成法语：我住在海边",
        "把这段话念给我听：我住在海边",
        "You are a helpful assistant. I live in Leeds",
        "假装我住在巴黎",
        "echo hello",
        "HEARTBEAT_OK",
        "I have a question",
        "I have no dog",
        "I still enjoy playing it",
        "I love taking pictures with them",
        "I'm a pirate in this story, I have a parrot",
        "我演的角色是护士，养了只猫",
        "孙女叫爷爷吃饭",
        "我老板的儿子在深圳",
        "公司搬家了，搬到成都了",
        "my husband's boss is rude, he's a lawyer",
        "I have an idea",
        "I have it",
        "I love it",
        "I prefer the second one",
        "I like this today",
        "I prefer tea today",
        "Never use this version",
        "I'm vegan as if, would it matter",
        "Answer in French for now, please",
        "I'm tired",
        "I'm from support",
        "I live in fear",
        "I can't lift a thing",
        "I work at the moment",
        "My laptop is 3 years old",
        "My phone is on 5G",
        "My server runs 24/7",
        "I hate to say it",
        "I have Monday off",
        "I have an API key",
        "I moved to Plan B",
        "I live in the terminal",
        "I speak as a Linux user",
        "I prefer not to say",
        "I'm a director's assistant",
        "I'm from a Java background",
        "I can't eat another bite",
        "I've put my phone on silent",
        "My favourite book is on the shelf",
        "I am 5",
        "Never gonna give you up",
        "我有一部分没看懂",
        "我用Python写的",
        "我爱吃不吃",
        "我是他的老师",
        "我住在公司附近",
        "我在认真工作",
        "我对你过敏",
        "我不能吃亏",
        "我在学习",
        "我订了闹钟",
        "我的手机是5G的",
        "I never happened to be there",
        "Never plugged in since the day it came",
        "我有个问题",
        "我喜欢这个",
        "我叫了外卖",
        "我住在酒店",
        "每次抽奖都没我的份",
        "Sarah lives in Bristol",
        "I live in Leeds. " * (CHARS_MAX // 10),
        "I live in Leeds, " + "and so it goes on, " * 40,
    ],
)
def test_precision_comes_before_recall(text):
    assert stated(text) == []


# ── loose talk: each kind, and its twin that states nothing ───────────────────────────────────


@pytest.mark.parametrize(
    ("text", "said", "twin"),
    [
        (
            "I love Thai food, I could eat it every day",
            [("user", "likes", "Thai food")],
            "I could love Thai food, so we eat it every day",
        ),
        (
            "maybe it rains, but I live in Leeds",
            [("user", "lives_in", "Leeds")],
            "maybe I live in Leeds and I have a dog",
        ),
        (
            "If it rains we stay in, but my cat is called Rex",
            [("cat", "name", "Rex")],
            "If it rains we stay in, my cat is called Rex",
        ),
        (
            "I'm vegan, if that matters",
            [("user", "diet", "vegan")],
            "I'm vegan, if I remember right",
        ),
        (
            "haha I have a dog",
            [("user", "has", "a dog")],
            "I have a dog, haha",
        ),
        (
            "I live in Leeds, where can I swim near here?",
            [("user", "lives_in", "Leeds")],
            "I live in Leeds, is that right?",
        ),
        (
            "I have two sons, so we might be late",
            [("user", "has", "two sons")],
            "I have two sons, it might be three",
        ),
        (
            "I'm allergic to nuts. That's a fact.",
            [("user", "allergic_to", "nuts")],
            "I'm allergic to nuts. Just kidding.",
        ),
        (
            "Tell me a joke. I'm vegan.",
            [("user", "diet", "vegan")],
            "I'm vegan. That was a joke.",
        ),
        (
            "我养了只猫，你可能听过它叫",
            [("user", "has", "只猫")],
            "我养了只猫，可能吧",
        ),
        (
            "如果下雨就不去了，不过我养了只猫",
            [("user", "has", "只猫")],
            "如果下雨就不去了，我养了只猫",
        ),
        (
            "哈哈，说真的我对虾过敏",
            [("user", "allergic_to", "虾")],
            "我对虾过敏，哈哈",
        ),
        (
            "我住在上海，有什么好吃的推荐吗？",
            [("user", "lives_in", "上海")],
            "我住在上海，对吗？",
        ),
        (
            "我对虾过敏。真的。",
            [("user", "allergic_to", "虾")],
            "我对虾过敏。逗你的。",
        ),
    ],
)
def test_a_guess_a_joke_and_a_question_silence_what_they_are_about(text, said, twin):
    assert stated(text) == said
    assert stated(twin) == []


@pytest.mark.parametrize(
    ("text", "said", "twin"),
    [
        ("im a nurse", [("user", "job", "nurse")], "immigration is a nurse"),
        ("ive got two kids", [("user", "has", "two kids")], "ive got two questions"),
        ("i dont eat pork", [("user", "avoids", "pork")], "i dont eat out"),
        ("I cant stand jazz", [("user", "dislikes", "jazz")], "I cant stand it"),
        ("we've a dog", [("user", "has", "a dog")], "we've a problem"),
        ("just got myself a kayak", [("user", "has", "a kayak")], "she just got myself a kayak"),
        ("got a new bike", [("user", "has", "a new bike")], "got a TypeError again"),
        ("been living in Leeds", [("user", "lives_in", "Leeds")], "been working all day"),
        (
            "switched from Vim to Helix over the weekend",
            [("user", "uses", "Helix")],
            "switched from talking to shouting",
        ),
        (
            "we upgraded prod from Postgres 14 to 16",
            [("user", "uses", "16")],
            "we moved lunch from Monday 3 to 4",
        ),
        ("we run Postgres 14 in prod", [("user", "uses", "Postgres 14")], "I run Lap 14"),
        (
            "I used to be on Android but now I'm on a Pixel 9",
            [("user", "uses", "a Pixel 9")],
            "now I'm on an A320",
        ),
        ("my laptop is a Dell XPS 13 now", [("laptop", "version", "Dell XPS 13")], "mine is it"),
        ("we're in a flat in Leeds", [("user", "lives_in", "Leeds")], "we're in a bar in Leeds"),
        ("I teach yoga", [("user", "job", "teach yoga")], "I teach on Fridays"),
        ("Polish is my first language", [("user", "speaks", "Polish")], "It is my first time"),
        ("I'm off gluten", [("user", "avoids", "gluten")], "I'm off to work"),
        (
            "my sister's getting married on 3 May",
            [("wedding", "date", "3 May")],
            "my ex is getting married on 3 May",
        ),
        (
            "what I wanted to say is that I take insulin",
            [("user", "takes", "insulin")],
            "what I take is insulin",
        ),
        ("俺是个司机", [("user", "job", "司机")], "俺们那儿的司机"),
        ("我这人吧不吃辣", [("user", "avoids", "辣")], "他这人吧不吃辣"),
        ("我现在是在成都住着", [("user", "lives_in", "成都")], "我在酒店住着"),
        ("手机我用的是 Pixel 9", [("user", "uses", "Pixel 9")], "手机我用的是别人的"),
        ("车我开的是特斯拉", [("user", "has", "特斯拉")], "他开的是特斯拉"),
        ("香菜我真的吃不了", [("user", "dislikes", "香菜")], "这个我真的吃不了"),
        ("牛肉我不吃", [("user", "avoids", "牛肉")], "晚饭我不吃"),
        ("苹果我过敏", [("user", "allergic_to", "苹果")], "早上吃了个苹果我过敏"),
        ("我吃不了辣", [("user", "avoids", "辣")], "我吃不了苦"),
        ("我十月份戒的烟", [("user", "avoids", "烟")], "我看他戒的烟"),
        (
            "之前都用 Vim，现在换成 Helix 了",
            [("user", "uses", "Helix")],
            "之前都用 Vim，现在换成别的了",
        ),
        (
            "换工作了，现在在银行上班",
            [("user", "works_at", "银行")],
            "邻居换工作了，现在在银行上班",
        ),
        ("刚入手一台相机", [("user", "has", "一台相机")], "他刚入手一台相机"),
        ("报了个游泳班", [("user", "learns", "游泳")], "报了个旅行团"),
        ("儿子在深圳", [("son", "lives_in", "深圳")], "儿子在学校"),
        ("孙女叫朵朵", [("granddaughter", "name", "朵朵")], "别人的孙女叫朵朵"),
        ("女儿给我买了个手表", [("user", "has", "个手表")], "女儿给同学买了个手表"),
        ("新手机是小米 15", [("phone", "version", "小米 15")], "新手机是他的"),
        ("六月十八号去医院复查", [("appointment", "date", "六月十八号")], "去医院复查"),
        ("跟你说个事，我搬到苏州啦", [("user", "lives_in", "苏州")], "他说我搬到苏州啦"),
        (
            "我住在上海 我是护士",
            [("user", "lives_in", "上海"), ("user", "job", "护士")],
            "上海 护士",
        ),
        (
            "每天吃药。我每天早上吃一片氨氯地平",
            [("user", "takes", "氨氯地平")],
            "我每天早上吃一片面包",
        ),
    ],
)
def test_loose_talk_leaves_out_what_is_understood(text, said, twin):
    assert stated(text) == said
    assert stated(twin) == []


@pytest.mark.parametrize(
    ("text", "said", "twin"),
    [
        (
            "my brother Karl, who lives in Bonn",
            [("brother", "name", "Karl"), ("brother", "lives_in", "Bonn")],
            "my colleague Karl, who lives in Bonn",
        ),
        (
            "My sister lives in York, she's a nurse",
            [("sister", "lives_in", "York"), ("sister", "job", "nurse")],
            "My sister met Anna, she's a nurse",
        ),
        (
            "I'm 52, divorced, two kids",
            [("user", "age", "52"), ("user", "status", "divorced"), ("user", "has", "two kids")],
            "He's 52, divorced, two kids",
        ),
        (
            "我妹妹在南京，她是学法律的",
            [("sister", "lives_in", "南京"), ("sister", "studies", "法律")],
            "我妹妹跟老师吵架，她是学法律的",
        ),
        (
            "我弟弟在南京，他是学法律的",
            [("brother", "lives_in", "南京"), ("brother", "studies", "法律")],
            "我弟弟跟老师吵架，他是学法律的",
        ),
    ],
)
def test_a_pronoun_is_who_was_named_just_before_and_nobody_where_two_may_be_meant(text, said, twin):
    assert stated(text) == said
    assert stated(twin) == []


def test_what_is_said_before_an_order_is_stated_beside_it():
    assert stated("I'm vegan, so please never suggest meat") == [
        ("user", "instruction", "please never suggest meat"),
        ("user", "diet", "vegan"),
    ]


CHATTER = (
    "What is your name?",
    "Run echo hello",
    "echo hello",
    "HEARTBEAT_OK",
    "[heartbeat] status=ok",
    "System: You are a helpful assistant. Always answer in JSON.",
    "You are an agent that never sleeps.",
    "cron: nightly job started",
    "thanks!",
    "ok",
    "你叫什么名字？",
    "执行 echo 你好",
    "心跳检测 正常",
    "你是一个乐于助人的助手，总是用中文回答。",
    "好的，谢谢",
)


def test_fifty_turns_of_chatter_state_nothing():
    turns = list(islice(cycle(CHATTER), 50))

    assert [stated(turn) for turn in turns] == [[]] * 50


@pytest.mark.parametrize("name", ["intents", "needed", "follow_ups"])
def test_no_message_of_the_other_labelled_lists_states_anything(name):
    lines = (LABELLED / f"{name}.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]

    assert [text for text in texts if statements_in(text)] == []


def test_no_bundled_question_states_anything():
    asked = [one.text for tenant in corpus_of("sarah").tenants for one in tenant.questions]

    assert [text for text in asked if statements_in(text)] == []


# ── the vocabulary ───────────────────────────────────────────────────────────────────────────


def test_the_vocabulary_is_closed():
    messages = [*bench.bundled(), *bench.held(bench.HELD, bench.LATER)]
    read = [one for message in messages for one in statements_in(message.text)]

    assert {one.subject for one in read} <= set(SUBJECTS)
    assert all(is_attribute(one.attribute) for one in read)
    assert {one.category for one in read} <= {one.category for one in ATTRIBUTES.values()}


def test_there_is_a_favourite_of_each_kind():
    assert all(attribute_of(f"favourite_{kind}").is_single for kind in KINDS)
    assert is_attribute("favourite_tea")
    assert not is_attribute("favourite_error")
    assert not is_attribute("shoe_size")


# ── how good it is ───────────────────────────────────────────────────────────────────────────

HELD_FLOORS = {
    ("held", "en"): (0.96, 0.95),
    ("held", "zh"): (0.96, 0.95),
    ("later", "en"): (0.97, 0.70),
    ("later", "zh"): (0.95, 0.78),
    ("fresh", "en"): (0.94, 0.72),
    ("fresh", "zh"): (0.97, 0.76),
}
"""Precision and recall on messages that no rule was made with, a little below what was measured.

`held` was written before the rules, by who wrote them: short, plain, and so they flatter. `later`
was written after them in the loose way of a chat, and read with 0.88 and 0.23 at first; then rules
were mended by it. `fresh` was written before loose talk was mended, and read with 1.00 and 0.28
then. Who looks into `held` to do so has used that up too, and must write new ones.
"""


def marked(messages, language=None):
    return bench.mark_of(
        bench.read(one) for one in messages if language is None or one.language == language
    )


def test_every_bundled_episode_is_labelled_once():
    messages = list(bench.bundled())

    assert len(messages) == len({one.text for one in messages}) == 211


def test_the_held_list_is_long_and_half_of_it_states_nothing():
    for language in ("en", "zh"):
        of = [one for one in bench.held(bench.HELD) if one.language == language]

        assert len(of) >= 150
        assert 0.4 <= sum(not one.states for one in of) / len(of) <= 0.6


@pytest.mark.parametrize("language", [None, "en", "zh"])
def test_the_bundled_corpus_is_read_precisely(language):
    mark = marked(bench.bundled(), language)

    assert mark.precision >= 0.95
    assert mark.recall >= 0.5


@pytest.mark.parametrize(("where", "language"), HELD_FLOORS)
def test_what_no_rule_was_made_with_is_read_no_worse_than_it_was(where, language):
    mark = marked(bench.held(where), language)
    precision, recall = HELD_FLOORS[where, language]

    assert mark.precision >= precision
    assert mark.recall >= recall


def test_labels_quote_their_messages():
    for message in (*bench.bundled(), *bench.held(bench.HELD, bench.LATER, bench.FRESH)):
        for label in message.states:
            assert label["value"] in label["quote"]
            assert label["quote"] in message.text
            assert label["subject"]
            assert label["attribute"]


# ── any text, and time ───────────────────────────────────────────────────────────────────────


@given(st.text(max_size=80))
def test_any_text_has_an_answer_that_stands_in_it(text):
    for one in statements_in(text):
        assert 0 <= one.start < one.end <= len(text)


@given(
    st.lists(
        st.sampled_from(
            "i we 'm have a hub v2 , . not no when my is it's 我 是 在 不 了 ，".split()
        )
    )
)
def test_any_order_of_words_has_an_answer(words):
    text = " ".join(words)

    for one in statements_in(text):
        assert text[one.start : one.end].strip()


# An underscore is a blank here.
SEEDS = """
a_ a a-b_ A1 1 1_ , ,_ ._ ; i_ i_have_ i_have_a_ my_ my_dog_ my_name_is_A i_live_in_ i'm_a_ not_
when_i_ and_i_ no,_ well,_ actually_ i_like_ i_use_ i_can't_eat_ _on_ from_a_to_ " “ ` ``` > - : A:
(( (((
my_sister_ my_sister_in_a_ my_sister,_who_ i'm_on_a_ i'm_in_a_a_
i've_been_ if_ maybe_and_ haha_ got_a_ she's_
我这边 手机我用的 我妹她 每天吃一片 在公司 哈 如果， 可能，
我 我住在 我有一 我是 的 了 在 ， 我对 不是 的时候 从 其实 我的手机是 10月 1月 一 二 \u200b 😀 _ __
""".split()


@pytest.mark.timeout(20)  # what would take for ever is stopped
@pytest.mark.parametrize("seed", SEEDS)
def test_no_text_takes_long(seed):
    seed = seed.replace("_", " ")
    took = []
    for lead in ("", "I have ", "我有", "my "):
        for length in (399, CHARS_MAX):
            text = (lead + seed * length)[:length]
            began = process_time()
            statements_in(text)
            took.append(process_time() - began)

    assert max(took) < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to penicillin, put that somewhere safe would you",
        "I'm allergic to penicillin, could you put it down somewhere",
    ],
)
def test_a_polite_request_casts_no_doubt_on_what_is_stated_beside_it(text):
    assert stated(text) == [("user", "allergic_to", "penicillin")]


def test_never_have_is_no_order():
    assert stated("I don't drink coffee, never have, it's tea or nothing with me") == [
        ("user", "avoids", "coffee")
    ]
    assert stated("Never have more than three points in an answer") == [
        ("user", "instruction", "Never have more than three points in an answer")
    ]
