"""What a message says of itself, by rule; how often that is right is measured on labelled lists."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.question import INTENTS, QUESTION_CHARS_MAX
from pinyon.text.asking import follow_ups, needed
from pinyon.text.asking.follow_ups import leans_on_the_turn_before
from pinyon.text.asking.intents import asks_for_whatever_was, intent_of
from pinyon.text.asking.needed import can_memory_help
from pinyon.text.standing import CHARS_MAX, standing_of

# ── what it is after ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("why did we say that?", "cause"),
        ("where did I live before?", "history"),
        ("what did we say about the fence?", "conversation"),
        ("  WHAT   did we\nsay about the fence? ", "conversation"),
        ("what’s the reason I’m tired?", "cause"),
        ("order 2048 pieces", "general"),
        ("为什么上次说要换路由器？", "cause"),
        ("我们上次聊了什么？", "conversation"),
    ],
)
def test_the_most_telling_words_say_what_is_wanted(question, intent):
    assert intent_of(question) == intent


@pytest.mark.parametrize(
    "question",
    [
        "what did we talk about last time?",
        "what’s new?",
        "what happened?",
        "What did you say just now?",
        "我们上次聊了什么？",
        "最近发生了什么",
    ],
)
def test_a_question_may_name_no_matter(question):
    assert asks_for_whatever_was(question)


@pytest.mark.parametrize(
    "question",
    [
        "what did we say about the fence?",
        "what happened to the fence?",
        'what did we say about "that"?',
        "2048",
        "我们上次聊的篱笆怎么样了？",
    ],
)
def test_a_question_that_names_a_matter_is_about_it(question):
    assert not asks_for_whatever_was(question)


# ── whether memory can help ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        "translate hello to Japanese",
        'Please translate "my dog is old" into French',
        "把你好翻译成日语",
        "what is 17% of 240?",
        "sort these: pear, apple, fig",
        "capital of Peru?",
        "hi",
        "Thanks, that’s helpful!",
        "你好，在吗？",
        "👍",
    ],
)
def test_memory_cannot_help_with_what_brings_its_own_matter(message):
    assert not can_memory_help(message)


@pytest.mark.parametrize(
    "message",
    [
        "order 2048 pieces",
        "which hub does Sarah have?",
        "translate what I said yesterday to Japanese",
        "summarise our last call: the one about the fence",
        "what is the capital of Peru, and where did we stay?",
        "帮我查一下我的航班",
        "translate hello to Japanese" + " please" * needed.CHARS_MAX,
    ],
)
def test_in_doubt_memory_may_help(message):
    assert can_memory_help(message)


# ── whether it leans on the turn before ──────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        "and the other one?",
        "why?",
        "Which one?",
        "what about in winter?",
        "and my sister's birthday?",
        "is that the same as before?",
        "那第二个呢",
        "我说的是另外一个",
        "为什么呢？",
        "它防水吗",
    ],
)
def test_some_messages_mean_nothing_by_themselves(message):
    assert leans_on_the_turn_before(message)


@pytest.mark.parametrize(
    "message",
    [
        "order 2048 pieces",
        "which hub do I have?",
        "did my sister ever wear that green velvet coat?",
        "and then " + "bulbs cables walls hubs dogs cats tables chairs windows?",
        "and the other one? " * (follow_ups.CHARS_MAX // 10),
        "我妹妹的生日是几号？",
        "我姐姐喜欢那种咖啡吗",
        "灯泡防水吗",
        "那" * (follow_ups.CHINESE_CHARS_MAX + 1),
    ],
)
def test_others_say_what_they_are_about(message):
    assert not leans_on_the_turn_before(message)


# ── what it lays down for good ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ("Always answer in metric units", "instruction"),
        ("以后都用中文回答", "instruction"),
        ("I’m allergic to nuts", "constraint"),
        ("我对花生过敏", "constraint"),
        ("My name is Ann", "identity"),
        ("我叫小李", "identity"),
        ("From now on never suggest nuts, I'm allergic", "constraint"),
    ],
)
def test_what_holds_whatever_is_asked_is_told_by_its_form(said, standing):
    assert standing_of(said) == standing


@pytest.mark.parametrize(
    "said",
    [
        "Which hub do I have?",
        "What am I allergic to?",
        "我对什么过敏？",
        "order 2048 pieces",
        "Sarah's bulbs show only white",
        "Just for today, always answer in French",
        "这次请用中文回答",
        "My name is Ann. " + "It was a long day. " * (CHARS_MAX // 10),
    ],
)
def test_a_question_a_story_and_what_is_said_for_once_lay_nothing_down(said):
    assert standing_of(said) == ""


# ── any text ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["", " \n\t", "...", "。", "—", "\u200b", "\u0301", "\ud800"])
def test_a_text_without_a_word_is_after_nothing_and_in_doubt_memory_may_help(text):
    assert intent_of(text) == "general"
    assert asks_for_whatever_was(text)
    assert can_memory_help(text)
    assert not leans_on_the_turn_before(text)
    assert standing_of(text) == ""


@pytest.mark.parametrize("text", ["😀", "🎉 🎉", "👍🏽"])
def test_a_picture_is_a_greeting(text):
    assert not can_memory_help(text)
    assert not leans_on_the_turn_before(text)
    assert standing_of(text) == ""


@given(st.text(max_size=60))
def test_any_text_has_an_answer(text):
    assert intent_of(text) in INTENTS
    assert {asks_for_whatever_was(text), can_memory_help(text)} <= {True, False}
    assert leans_on_the_turn_before(text) in {True, False}
    assert standing_of(text) in {"", "instruction", "identity", "constraint"}


# ── time ─────────────────────────────────────────────────────────────────────────────────────

# An underscore is a blank here.
SEEDS = """
a_ a a-b_ A1 1 1_ 1% what_ how_ how_did_i_ how_used_to_ did_you_ have_ with_ git_ api_ call_me_
don't_use_ thank_you_ thank_you_that's_ ha k ok my_ i_can't_ i'm_a_ always_ every_time_i_ translate_
什么 怎么 过 打算 我 之前 哈 嗯， 是的 好的 过敏 以后 “ " “” ( (a[ ((( ... ?! ， - -- : 😀 \u200b
""".split()
LONG = QUESTION_CHARS_MAX


def seconds(look, text):
    began = process_time()
    look(text)
    return process_time() - began


@pytest.mark.timeout(5)  # what would take for ever is stopped
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("look", "lengths"),
    [
        (intent_of, (LONG,)),
        (asks_for_whatever_was, (LONG,)),
        (can_memory_help, (LONG, needed.CHARS_MAX)),
        (leans_on_the_turn_before, (LONG, follow_ups.CHARS_MAX, follow_ups.CHINESE_CHARS_MAX)),
        (standing_of, (LONG, CHARS_MAX)),
    ],
)
def test_no_text_takes_long(look, lengths, seed):
    texts = [
        (seed.replace("_", " ") * length)[: length - len(end)] + end
        for length in lengths
        for end in ("", "x", "吗")
    ]

    assert max(seconds(look, text) for text in texts) < 1
