"""Summaries: a long text in some of its own sentences and lines."""

import json
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.memory import Summary
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.text.summarising import (
    LEFT_OUT,
    PIECE_CHARS_MAX,
    PIECES_MAX,
    RULES,
    SUMMARISED_CHARS,
    SUMMARY_CHARS,
    summarised,
    summary_of,
)

CHATTER = "We talked for a while about the garden and the weather and what to cook. "
FILLER = CHATTER * 20
COVER = "█"

PIECES = st.sampled_from(
    [
        "Ann lives in Bristol. ",
        "The hub has firmware 2.3.1. ",
        "预算定为二十万元。",
        "张伟说数据库需要升级，否则备份会失败。",
        "ValueError: no such hub\n",
        "| hub | v2 | 12:30 |\n",
        "    return hub.state(4711);\n",
        '{"id":17,"name":"Hub","ok":true},',
        "a line that is as wide as lines of mails and of readme files are wont to be\n",
        "and goes on in the next one, with 42 of them, ",
        f"what was {COVER * 6} covered. ",
        "x" * 300,
        "字" * 200,
        "word " * 60,
        " " * 30,
        "\n\n",
        "} ",
    ]
) | st.text(max_size=40)
TEXTS = st.lists(PIECES, max_size=200).map(lambda pieces: "".join(pieces)[:TEXT_CHARS_MAX])


def names_and_numbers(text):
    return set(re.findall(r"[A-Za-z0-9]+", text))


@pytest.mark.promise(
    "summaries",
    "Each piece of a summary that rules made stands in its text to the letter, in the same order.",
)
@given(TEXTS)
def test_every_piece_of_a_summary_stands_in_its_text_in_this_order(text):
    place = 0
    for piece in summary_of(text).split(LEFT_OUT):
        place = text.find(piece, place)

        assert place >= 0
        place += len(piece)


@pytest.mark.promise("summaries", "No name and no number is in a summary that is not in its text.")
@given(TEXTS)
def test_no_name_and_no_number_is_in_a_summary_only(text):
    assert names_and_numbers(summary_of(text)) <= names_and_numbers(text)


@given(TEXTS)
def test_a_summary_is_short_and_the_same_each_time(text):
    said = summary_of(text)

    assert len(said) <= SUMMARY_CHARS
    assert summary_of(text) == said
    assert not said or said.count(LEFT_OUT) < PIECES_MAX or LEFT_OUT in text
    assert said == said.strip()


@given(TEXTS)
def test_a_summary_has_no_summary(text):
    assert summary_of(summary_of(text)) == ""


@given(TEXTS)
def test_what_is_covered_is_never_quoted(text):
    assert COVER not in summary_of(text)


@given(st.text(max_size=SUMMARISED_CHARS))
def test_what_is_short_has_no_summary(text):
    assert summary_of(text) == ""
    assert summarised(text) is None


def test_the_rules_are_named_as_what_made_it():
    assert summarised(FILLER) == Summary(summary_of(FILLER), RULES)


def test_what_it_begins_with_and_what_names_something_is_in():
    text = f"Minutes of Monday. {FILLER}Zhang Wei moves the backup to Friday 18:00. {FILLER}"

    assert summary_of(text) == (
        "Minutes of Monday. We talked for a while about the garden and the weather and what to "
        "cook. … Zhang Wei moves the backup to Friday 18:00."
    )


def test_what_is_said_again_and_again_is_in_once():
    said = summary_of(f"Minutes of Monday. {FILLER}")

    assert said == f"Minutes of Monday. {CHATTER.strip()}"


def test_of_a_log_the_errors_and_both_ends_are_in():
    lines = [f"12:{n % 60:02d} INFO worker {n} answered /v1/items/{n * 7}" for n in range(90)]
    lines[40:42] = ["Traceback (most recent call last):", "KeyError: 'E-41'"]
    lines += ["done: 89 answered, 1 failed"]
    said = summary_of("\n".join(lines))

    assert said.startswith(lines[0])
    assert "Traceback (most recent call last):\nKeyError: 'E-41'" in said
    assert said.endswith(lines[-1])


def test_a_chinese_text_is_told_in_its_own_sentences():
    filler = "下午回来继续写文档，写了大概三个小时。大家都觉得天气很好，所以去公园散步。" * 40
    said = summary_of(f"今天开了项目会议。{filler}数据库升级放在 6 月 3 日晚上进行。")

    assert said.startswith("今天开了项目会议。")
    assert "数据库升级放在 6 月 3 日晚上进行。" in said


def test_a_sentence_that_a_line_broke_is_whole():
    wrapped = (
        "The office moves to the third floor of the old mill by the end of June, and the\n"
        "printers stay."
    )
    said = summary_of(f"{wrapped}\n\n{FILLER}")

    assert said.startswith(wrapped)


def test_data_in_one_line_is_cut_between_its_parts():
    rows = [{"id": n, "name": f"Device {n}", "ok": True} for n in range(80)]
    said = summary_of(json.dumps(rows, separators=(",", ":")))

    first = said.split(LEFT_OUT)[0]
    assert first.startswith('[{"id":0,"name":"Device 0","ok":true},{"id":1,')
    assert len(first) <= PIECE_CHARS_MAX + len(LEFT_OUT)


def test_a_key_is_no_part_of_a_summary():
    text = f"This is the certificate of the hub, as it came: {'kA7' * 400} and that was all of it."

    assert summary_of(text) == (
        "This is the certificate of the hub, as it came: … and that was all of it."
    )


@pytest.mark.parametrize("text", ["x" * 3_000, COVER * 3_000, "\n" * 3_000, "} \n" * 1_000])
def test_what_says_nothing_has_no_summary(text):
    assert summary_of(text) == ""


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "\n",
        " ",
        "字",
        "word ",
        "ab cd ef\n",
        ". ",
        "A. ",
        '{"a":1},',
        "Error\n",
        "é，",
        "x" * 61 + "\nx",
    ],
)
def test_no_text_takes_long_to_summarise(piece):
    text = (piece * TEXT_CHARS_MAX)[:TEXT_CHARS_MAX]
    started = process_time()

    summary_of(text)

    assert process_time() - started < 1
