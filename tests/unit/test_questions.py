"""Reading a question: its parts, whom it is about; and what a model reads of a memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.memory import Procedure, Source, Step
from pinyon.testing.makers import memory_of
from pinyon.text.asker import is_about_asker
from pinyon.text.reading import as_read
from pinyon.text.sentences import parts_of


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "I never set up that range extender. Can you list all my devices?",
            ("I never set up that range extender.", "Can you list all my devices?"),
        ),
        (
            "Which hub version and which iOS version do I have?",
            ("Which hub version", "which iOS version do I have?"),
        ),
        (
            "路由器换了密码。家里的灯泡有几个？",
            ("路由器换了密码。", "家里的灯泡有几个？"),
        ),
        ("Which hub do I have?", ()),
        ("Hi! Which hub do I have?", ()),
        ("Does salt and pepper belong on the shopping list?", ()),
        ("Firmware v2.3.1 broke the hub. Thanks!", ()),
        ("One thing here. Two things there. Three things now. Four things then.", ()),
        ("A long story about the hub. " * 30, ()),
        ("", ()),
    ],
)
def test_a_message_is_taken_apart_where_it_asks_for_two_things(question, parts):
    assert parts_of(question) == parts


@given(st.text(max_size=500))
def test_parts_are_parts(question):
    parts = parts_of(question)

    assert all(part in question for part in parts)
    assert len(parts) != 1


@pytest.mark.parametrize(
    "question",
    [
        "which hub do I have?",
        "my bulbs",
        "what's mine?",
        "Where am I? I'm lost",
        "我的灯泡",
        "we bought",
    ],
)
def test_a_question_about_the_asker(question):
    assert is_about_asker(question)


@pytest.mark.parametrize(
    "question", ["how do I pair it?", "does the hub v2 speak Thread?", "灯泡有几种颜色？", ""]
)
def test_a_question_about_the_world(question):
    assert not is_about_asker(question)


def test_a_model_reads_who_spoke_and_when_it_applies():
    turn = memory_of(1, "Twice.", source=Source(speaker="Sarah"))
    steps = memory_of(
        2, "Pair it.", kind="procedural", title="Pairing",
        procedure=Procedure(trigger="a new bulb", steps=(Step("Press"),)),
    )  # fmt: skip

    assert as_read(turn, 0) == "Sarah: Twice."
    assert as_read(steps, 0) == "Pairing. a new bulb: Pair it."
