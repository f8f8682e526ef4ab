"""Instants: microseconds UTC inside, RFC 3339 with an offset outside."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.times import read_instant, show_instant
from pinyon.errors import InvalidTime

FIRST_US = -62_135_596_800_000_000
LAST_US = 253_402_300_799_999_999
DAY_US = 86_400_000_000


@given(st.integers(FIRST_US + DAY_US, LAST_US - DAY_US), st.integers(-1439, 1439))
def test_an_instant_shown_reads_back_as_the_same_instant(us, offset_min):
    assert read_instant(show_instant(us, offset_min)) == (us, offset_min)


@pytest.mark.parametrize("us", [FIRST_US, LAST_US])
@pytest.mark.parametrize("offset_min", [-600, 0, 600])
def test_the_ends_of_the_calendar_are_shown_whatever_the_offset(us, offset_min):
    assert read_instant(show_instant(us, offset_min))[0] == us


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-02T09:00:00+00:00",
        "2026-03-02T09:00:00Z",
        "2026-03-02t09:00:00z",
        "2026-03-02 09:00:00 +00:00",
        "2026-03-02T09:00Z",
        "2026-03-02T10:30:00.000+01:30",
        "2026-03-02T01:00:00-0800",
        " 2026-03-02T09:00:00Z ",
        datetime(2026, 3, 2, 9, tzinfo=UTC),
        datetime(2026, 3, 2, 17, tzinfo=timezone(timedelta(hours=8))),
    ],
)
def test_every_way_of_writing_an_instant_means_the_same(written):
    assert read_instant(written)[0] == 1_772_442_000_000_000


def test_the_writers_offset_is_kept():
    assert read_instant("2025-07-25T02:00:00+08:00") == (1_753_380_000_000_000, 480)


def test_a_fraction_is_kept_to_the_microsecond():
    assert read_instant("1970-01-01T00:00:00.123456789Z") == (123_456, 0)


def test_a_fraction_is_shown_only_where_there_is_one():
    assert show_instant(0) == "1970-01-01T00:00:00+00:00"
    assert show_instant(1_500_000, 90) == "1970-01-01T01:30:01.500000+01:30"


@pytest.mark.parametrize(
    "written",
    ["2026-03-02T09:00:00", "2026-03-02", "2026-03-02 09:00", datetime(2026, 3, 2)],  # noqa: DTZ001
)
def test_an_instant_without_an_offset_is_refused(written):
    with pytest.raises(InvalidTime, match="has no offset"):
        read_instant(written)


@pytest.mark.parametrize(
    "written", ["", "yesterday", "March 2nd", "09:00Z", 1_772_442_000, None, ["2026-03-02T09:00Z"]]
)
def test_what_is_no_instant_is_refused(written):
    with pytest.raises(InvalidTime, match="is not an RFC 3339 instant"):
        read_instant(written)


@pytest.mark.parametrize(
    "written",
    ["2026-02-30T09:00:00Z", "2026-13-01T09:00:00Z", "2026-03-02T25:00:00Z", "0000-01-01T00:00:00Z",
     "2026-03-02T09:00:00+25:00"],
)  # fmt: skip
def test_a_moment_that_no_calendar_has_is_refused(written):
    with pytest.raises(InvalidTime, match="is no instant"):
        read_instant(written)


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_an_instant_outside_the_years_1_to_9999_is_refused(written):
    with pytest.raises(InvalidTime):
        read_instant(written)
