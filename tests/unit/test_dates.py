"""The times that a question names."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.dates import WINDOWS_MAX, windows_of

NOW = datetime(2026, 8, 26, 12, tzinfo=UTC)  # a Wednesday


def spans(question, now=NOW):
    return [(f"{one.start:%Y-%m-%d}", f"{one.end:%Y-%m-%d}") for one in windows_of(question, now)]


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did she do on 7 May 2023?", "2023-05-07", "2023-05-08"),
        ("What did she do on May 7th, 2023?", "2023-05-07", "2023-05-08"),
        ("what happened on 2026-03-09?", "2026-03-09", "2026-03-10"),
        ("Who came on the 3rd of March?", "2026-03-03", "2026-03-04"),
        ("Who came on 24 December?", "2025-12-24", "2025-12-25"),
        ("Did my suitcase come when I flew home in March?", "2026-03-01", "2026-04-01"),
        ("What was due in November?", "2025-11-01", "2025-12-01"),
        ("What went wrong in the middle of April?", "2026-04-09", "2026-04-23"),
        ("the end of February", "2026-02-17", "2026-03-01"),
        ("what broke in early March", "2026-03-01", "2026-03-13"),
        ("where was I in December 2024", "2024-12-01", "2025-01-01"),
        ("what did i buy in may", "2026-05-01", "2026-06-01"),
        ("what did we plant last spring?", "2026-03-01", "2026-06-01"),
        ("the trip in the winter of 2024", "2024-12-01", "2025-03-01"),
        ("which jobs did she have in 2023?", "2023-01-01", "2024-01-01"),
        ("what did I say last week?", "2026-08-17", "2026-08-24"),
        ("this month's bills", "2026-08-01", "2026-09-01"),
        ("who left last year", "2025-01-01", "2026-01-01"),
        ("what did I say two days ago", "2026-08-24", "2026-08-25"),
        ("the call last Monday", "2026-08-24", "2026-08-25"),
        ("what did I eat yesterday", "2026-08-25", "2026-08-26"),
        ("2023年5月8日发生了什么", "2023-05-08", "2023-05-09"),
        ("5月8号那天", "2026-05-08", "2026-05-09"),
        ("四月中旬出了什么事", "2026-04-09", "2026-04-23"),
        ("去年十二月", "2025-12-01", "2026-01-01"),
        ("2024年搬的家", "2024-01-01", "2025-01-01"),
        ("去年夏天去了哪儿", "2025-06-01", "2025-09-01"),
        ("夏天去了哪儿", "2026-06-01", "2026-09-01"),
        ("上个月买了什么", "2026-07-01", "2026-08-01"),
        ("两周前说的", "2026-08-09", "2026-08-16"),
        ("昨天吃了什么", "2026-08-25", "2026-08-26"),
    ],
)
def test_a_time_that_is_named_is_a_window(question, start, end):
    assert spans(question)[0] == (start, end)


@pytest.mark.parametrize(
    "question",
    [
        "order 2048 pieces",
        "may I come along?",
        "march on!",
        "this may be wrong",
        "Which hub do I have?",
        "is v2.3.1 enough?",
        "room 312 or 2011?",
        "the deadline of 31 February",
        "what was said on 1999-13-40",
        "second to none",
        "我有几个灯泡",
        "",
    ],
)
def test_what_is_no_time_is_no_window(question):
    assert spans(question) == []


def test_a_month_that_has_not_begun_is_that_of_last_year():
    assert spans("in August") == [("2026-08-01", "2026-09-01")]
    assert spans("in September") == [("2025-09-01", "2025-10-01")]


def test_several_times_are_several_windows_in_their_order():
    said = windows_of("between the end of February and early March, and in 2024", NOW)

    assert [one.start for one in said] == sorted(
        (one.start for one in said), key=lambda at: (at.year == 2024, at)
    )
    assert len(said) == 3


def test_of_many_times_the_first_few_count():
    said = windows_of("5月 " * 5_000 + "in April", NOW)

    assert [one.said for one in said] == ["5月"] * WINDOWS_MAX


def test_a_time_is_read_once():
    assert spans("on 7 May 2023") == [("2023-05-07", "2023-05-08")]


@given(st.text(max_size=200), st.datetimes())
def test_any_text_has_a_few_windows_that_end_after_they_begin(question, now):
    windows = windows_of(question, now.replace(tzinfo=UTC))

    assert len(windows) <= WINDOWS_MAX
    assert all(one.start < one.end and one.said in question for one in windows)


PIECES = "May 3 in early 2023 last week 年 月 5 上 前 ago - 天".split()


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.datetimes())
def test_pieces_of_times_break_nothing(pieces, now):
    windows = windows_of(" ".join(pieces), now.replace(tzinfo=UTC))

    assert all(one.start < one.end for one in windows)
