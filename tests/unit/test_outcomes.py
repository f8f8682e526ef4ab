"""How it went, and how much a message matters, by its words."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.importance import importance_of
from pinyon.text.outcomes import CHARS_MAX, outcome_in, remedy_in, tells_of_trouble


@pytest.mark.parametrize(
    "text",
    [
        "that worked, thanks",
        "Thanks, that fixed it!",
        "It’s working now",
        "Perfect, works now",
        "The problem is gone",
        "It's mended! I set the lamps to orange.",
        "saving the scene again fixed it",
        "What worked was saving the scene again",
        "all good now",
        "好了",
        "搞定了",
        "谢谢，修好了",
        "现在可以了，谢谢",
        "重启一下路由器就好了",
    ],
)
def test_what_worked_is_told(text):
    assert outcome_in(text) == "worked"


@pytest.mark.parametrize(
    "text",
    [
        "no luck",
        "still broken",
        "the same problem again",
        "It still doesn't work",
        "that didn't help",
        "same error as before",
        "It worked for a minute, but it's broken again",
        "still getting E-41",
        "No change.",
        "还是不行",
        "不管用",
        "没搞定",
        "又报错了",
    ],
)
def test_what_failed_is_told(text):
    assert outcome_in(text) == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "did that work?",
        "if it works I'll tell you",
        "I hope that worked.",
        "She said that worked",
        "It never fixed it",
        "I still have the hub",
        "I'm still not sure",
        "I work at Google",
        "the hub works with Zigbee",
        "That worked. Still broken though.",
        "解决了吗？",
        "如果解决了告诉我",
        "今天好了很多",
        "没有修好了的",
        "that worked " * CHARS_MAX,
    ],
)
def test_questions_guesses_and_both_at_once_tell_nothing(text):
    assert outcome_in(text) == ""


@pytest.mark.parametrize(
    ("text", "did", "sentence"),
    [
        ("Saving the scene again fixed it.", "Saving the scene again", None),
        (
            "Thanks! What worked was to save the scene again.",
            "save the scene again",
            "What worked was to save the scene again.",
        ),
        ("把网线拔下来重插就好了", "把网线拔下来重插", None),
        ("Saving the scene again fixed it, thanks!", "Saving the scene again", None),
        ("What worked was saving it again, thank you so much.", "saving it again", None),
        ("重启路由器就好了，谢谢你", "重启路由器", None),
    ],
)
def test_what_helped_is_read_where_somebody_says_so(text, did, sentence):
    remedy = remedy_in(text)

    assert text[remedy.start : remedy.end] == did
    assert text[slice(*remedy.sentence)] == (sentence or text)


@pytest.mark.parametrize("text", ["that worked", "搞定了", "saving it again did not help", "hello"])
def test_mostly_nobody_says_what_helped(text):
    assert remedy_in(text) is None


@pytest.mark.parametrize(
    ("text", "importance"),
    [
        ("Always answer in metric units", 0.9),
        ("以后都用中文回答", 0.9),
        ("no luck", 0.8),
        ("that worked, thanks", 0.7),
        ("hello!", 0.1),
        ("谢谢", 0.1),
        (" ", 0.1),
        ("I live in Leeds", 0.5),
        ("hello " * 1_000, 0.5),
    ],
)
def test_importance_is_told_by_rule(text, importance):
    assert importance_of(text) == importance


@given(st.text(max_size=80))
def test_any_text_has_an_answer(text):
    assert outcome_in(text) in {"worked", "failed", ""}
    assert 0 <= importance_of(text) <= 1
    assert remedy_in(text) is None or outcome_in(text) == "worked"


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "seed",
    [
        "it ",
        "still ",
        "still no ",
        "saving a",
        "what worked was a ",
        "把",
        "还是",
        "no ",
        "a",
        "好了",
    ],
)
def test_no_text_takes_long(seed):
    for end in ("", " fixed it", " worked", "就好了"):
        text = (seed * CHARS_MAX)[: CHARS_MAX - len(end)] + end
        began = process_time()
        outcome_in(text)
        remedy_in(text)
        importance_of(text * 10)

        assert process_time() - began < 0.5


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("no luck", True),
        ("the deploy keeps dying with ENOSPC", True),
        ("my hub won’t pair", True),
        ("we ran out of disk", True),
        ("灯老是掉线", True),
        ("网关连不上", True),
        ("the deploy keeps me busy", False),
        ("it's fine", False),
        ("灯亮着", False),
    ],
)
def test_what_does_not_do_what_it_should_is_trouble(text, tells):
    assert tells_of_trouble(text) is tells
