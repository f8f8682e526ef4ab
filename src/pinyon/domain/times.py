"""Instants: microseconds UTC inside, RFC 3339 with an offset outside."""

import re
from datetime import UTC, datetime, timedelta, timezone

from pinyon.errors import InvalidTime

US_PER_S = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_US = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
LAST_US = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?\s?([Zz]|[+-]\d\d:?\d\d)", re.ASCII
)


def read_instant(value: str | datetime) -> tuple[int, int]:
    """Return an instant and the offset that its writer used.

    Args:
        value: An aware datetime, or RFC 3339 text; seconds may be left out.

    Returns:
        `(microseconds since 1970 UTC, offset from UTC in minutes)`.

    Raises:
        InvalidTime: It is no instant, has no offset, or lies outside the years 1-9999.
    """
    moment = value if isinstance(value, datetime) else _parsed(value)
    offset = moment.utcoffset()
    if offset is None:
        raise InvalidTime(value, "has no offset")
    us = (moment - _EPOCH) // timedelta(microseconds=1)
    if not FIRST_US <= us <= LAST_US:
        raise InvalidTime(value, "lies outside the years 1 to 9999")
    return us, int(offset.total_seconds() // 60)


def moment_of(us: int) -> datetime:
    """Return an instant as a datetime in UTC."""
    return _EPOCH + timedelta(microseconds=us)


def show_instant(us: int, offset_min: int = 0) -> str:
    """Return an instant as RFC 3339 in the given offset; fractions only where there are any."""
    zone = timezone(timedelta(minutes=offset_min))
    try:
        return moment_of(us).astimezone(zone).isoformat()
    except OverflowError:  # the first or last hours of the calendar, seen from another offset
        return moment_of(us).isoformat()


def _parsed(value: object) -> datetime:
    if not isinstance(value, str) or not _RFC3339.fullmatch(value.strip()):
        has_time = isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value)
        raise InvalidTime(value, "has no offset" if has_time else "is not an RFC 3339 instant")
    try:
        return datetime.fromisoformat(re.sub(r"\s(?=[Zz+-])", "", value.strip()).upper())
    except ValueError as error:
        raise InvalidTime(value, f"is no instant ({error})") from None
