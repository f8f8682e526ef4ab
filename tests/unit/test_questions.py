"""Reading a question: its parts, whom it is about; and what a model reads of a memory."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.memory import Procedure, Source, Step, Times
from pinyon.domain.times import read_instant
from pinyon.testing.makers import memory_of
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


def test_a_model_reads_in_which_month_it_was_who_spoke_and_when_it_applies():
    at_us = read_instant("2026-03-31T23:30:00+00:00")[0]
    times = Times(occurred_at_us=at_us, created_at_us=at_us, updated_at_us=at_us)
    turn = memory_of(1, "Twice.", kind="episodic", source=Source(speaker="Sarah"), times=times)
    steps = memory_of(
        2, "Pair it.", kind="procedural", title="Pairing",
        procedure=Procedure(trigger="a new bulb", steps=(Step("Press"),)),
    )  # fmt: skip

    written = memory_of(3, "Once.", kind="episodic", times=replace(times, occurred_at_us=None))

    assert as_read(turn, 0) == "March 2026, Sarah: Twice."
    assert as_read(written, 0) == "March 2026, Once."
    assert as_read(steps, 0) == "Pairing. a new bulb: Pair it."
