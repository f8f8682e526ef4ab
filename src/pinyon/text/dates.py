"""The times that a question names: "in the middle of April", "last spring", "5月8号".

A window is soft: what lies in it counts a little more, and nothing is kept out by it. So doubtful
cases are left alone: "may" is a month only where it can be nothing else, and a number is a year
only where the words before it say so ("order 2048 pieces" names none).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from re import Match

WINDOWS_MAX = 4


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time that a question names: what it says, and from when until when (exclusive)."""

    said: str
    start: datetime
    end: datetime


_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH_OF = {name[:length]: at for at, name in enumerate(_MONTHS, 1) for length in (3, len(name))}
_MONTH_OF["sept"] = 9
_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_CHINESE_NUMBERS = {
    name: number
    for number, name in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), start=1)
} | {"两": 2}
_CHINESE_NUMBER = r"\d{1,2}|十[一二]?|[一二两三四五六七八九]"
_CHINESE_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}

Reading = Callable[[Match[str], datetime], tuple[datetime, datetime] | None]


def windows_of(question: str, now: datetime) -> tuple[Window, ...]:
    """Return the times that a question names, at most `WINDOWS_MAX`, in its order.

    Args:
        question: English or Chinese.
        now: When it is asked; a month without a year is the last one that has begun by then.
    """
    now = now.astimezone(UTC)
    found: list[tuple[int, Window]] = []
    taken: list[tuple[int, int]] = []
    for pattern, read in _READINGS:
        enough = len(found) + WINDOWS_MAX
        for match in pattern.finditer(question):
            if len(found) == enough:
                break  # as many of one form come before any further one
            span = match.span()
            if any(span[0] < end and start < span[1] for start, end in taken):
                continue
            window = _read(read, match, now)
            if window is not None:
                taken.append(span)
                found.append((span[0], window))
    return tuple(window for _, window in sorted(found, key=lambda one: one[0])[:WINDOWS_MAX])


def _read(read: Reading, match: Match[str], now: datetime) -> Window | None:
    try:
        span = read(match, now)
    except (ValueError, OverflowError):
        return None  # 31 February: whoever says it means no time that we could find
    return None if span is None else Window(match[0].strip(), *span)


def _day(at: datetime, days: int = 1) -> tuple[datetime, datetime]:
    start = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + timedelta(days=days)


def _month(year: int, month: int, count: int = 1) -> tuple[datetime, datetime]:
    last = month - 1 + count
    return datetime(year, month, 1, tzinfo=UTC), datetime(
        year + last // 12, last % 12 + 1, 1, tzinfo=UTC
    )


def _year_of(month: int, day: int, now: datetime) -> int:
    """Return the year in which such a day last began."""
    return now.year if (month, day) <= (now.month, now.day) else now.year - 1


def _third(part: str | None, span: tuple[datetime, datetime]) -> tuple[datetime, datetime]:
    """Return the beginning, middle or end of a month, each more than a third of it; or all."""
    start, end = span
    match (part or "").lower().split(" ")[0]:
        case "early" | "beginning" | "start" | "初" | "上旬":
            return start, start + timedelta(days=12)
        case "mid" | "middle" | "中旬" | "中":
            return start + timedelta(days=8), start + timedelta(days=22)
        case "late" | "end" | "底" | "末" | "下旬":
            return end - timedelta(days=12), end
    return span


def _iso(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    return _day(datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC))


def _named_day(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    month, day = _MONTH_OF[match["month"].lower()], int(match["day"])
    year = int(match["year"]) if match["year"] else _year_of(month, day, now)
    return _day(datetime(year, month, day, tzinfo=UTC))


def _named_month(match: Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    name, part, year = match["month"], match["part"], match["year"]
    lead = (match["lead"] or "").strip().lower()
    if not (part or year or lead):
        return None
    is_a_word_too = name in ("may", "march", "mar")
    if is_a_word_too and not part and lead not in ("in", "during", "since"):
        return None  # "this may be wrong", "they march"
    month = _MONTH_OF[name.lower()]
    span = _month(int(year) if year else _year_of(month, 1, now), month)
    return _third(part, span)


def _season(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    first = _SEASONS[match["season"].lower()]
    if match["year"]:
        return _month(int(match["year"]), first, 3)
    return _month(_year_of(first, 1, now), first, 3)


def _year(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    return _month(int(match["year"]), 1, 12)


def _ago(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    said = match["number"].lower()
    number = int(said) if said.isdigit() else _NUMBERS[said]
    return _back(number, match["unit"].lower(), now)


def _back(number: int, unit: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the time so many units ago, give or take a part of one."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    middle = now - timedelta(days=days * number)
    slack = timedelta(days=max(0, days // 2))
    start, _ = _day(middle - slack)
    return start, _day(middle + slack)[1]


def _period(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    steps = 0 if match["which"].lower() == "this" else 1
    return _past(match["unit"].lower(), steps, now)


def _past(unit: str, steps: int, now: datetime) -> tuple[datetime, datetime]:
    """Return this week, month or year, or one so many steps before it."""
    match unit:
        case "week":
            monday = now - timedelta(days=now.weekday() + 7 * steps)
            return _day(monday, 7)
        case "month":
            months = now.year * 12 + now.month - 1 - steps
            return _month(months // 12, months % 12 + 1)
        case _:
            return _month(now.year - steps, 1, 12)


def _weekday(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    back = (now.weekday() - _DAYS.index(match["day"].lower())) % 7 or 7
    return _day(now - timedelta(days=back))


def _near_day(days: Mapping[str, int]) -> Reading:
    return lambda match, now: _day(now - timedelta(days=days[match[0].lower()]))


def _chinese_number(said: str) -> int:
    return int(said) if said.isdigit() else _CHINESE_NUMBERS[said]


def _chinese_date(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    month = _chinese_number(match["month"])
    day = int(match["day"]) if match["day"] else 1
    year = _year_of(month, day, now)
    if match["year"]:
        relative = {"今年": 0, "去年": 1, "前年": 2}
        said = match["year"]
        year = now.year - relative[said] if said in relative else int(said[:4])
    if match["day"]:
        return _day(datetime(year, month, day, tzinfo=UTC))
    return _third(match["part"], _month(year, month))


def _chinese_ago(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    unit = {"天": "day", "周": "week", "星期": "week", "月": "month", "年": "year"}[match["unit"]]
    return _back(_chinese_number(match["number"]), unit, now)


def _chinese_past(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    unit, steps = _CHINESE_PAST[match[0]]
    return _past(unit, steps, now)


def _chinese_season(match: Match[str], now: datetime) -> tuple[datetime, datetime]:
    first = _CHINESE_SEASONS[match["season"]]
    year = _year_of(first, 1, now)
    if match["year"] == "去年":
        year = now.year - 1
    return _month(year, first, 3)


_CHINESE_PAST = {
    "上周": ("week", 1),
    "上星期": ("week", 1),
    "这周": ("week", 0),
    "本周": ("week", 0),
    "上个月": ("month", 1),
    "上月": ("month", 1),
    "这个月": ("month", 0),
    "本月": ("month", 0),
    "去年": ("year", 1),
    "今年": ("year", 0),
    "前年": ("year", 2),
}

_PART = r"(?:(?P<part>early|mid|late|(?:the )?(?:beginning|start|middle|end) of)[ -])?"
_YEAR = r"(?:,? (?:of )?(?P<year>(?:19|20)\d\d)\b)?"
_ENGLISH: tuple[tuple[str, Reading], ...] = (
    (r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b", _iso),
    (rf"\b(?P<day>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b\.?{_YEAR}", _named_day),
    (rf"\b(?P<month>{_MONTH})\.? (?P<day>\d\d?)(?:st|nd|rd|th)?\b{_YEAR}", _named_day),
    (
        rf"\b(?P<lead>(?:in|during|since|from|until|by|of|last|this|between|and) )?"
        rf"(?:the )?{_PART}(?P<month>{_MONTH})\b\.?{_YEAR}",
        _named_month,
    ),
    (
        rf"\b(?:in|during|last|this|since|over)(?: the)? (?P<season>{'|'.join(_SEASONS)})\b{_YEAR}",
        _season,
    ),
    (r"\b(?:in|during|since|of|from|year|until|before|after) (?P<year>(?:19|20)\d\d)\b", _year),
    (
        rf"\b(?P<number>\d{{1,3}}|{'|'.join(_NUMBERS)}) (?P<unit>day|week|month|year)s? ago\b",
        _ago,
    ),
    (r"\b(?P<which>this|last) (?P<unit>week|month|year)\b", _period),
    (rf"\blast (?P<day>{'|'.join(_DAYS)})\b", _weekday),
    (
        r"\b(?:today|yesterday|tonight|last night|this morning)\b",
        _near_day({"today": 0, "tonight": 0, "this morning": 0, "yesterday": 1, "last night": 1}),
    ),
)
_CHINESE: tuple[tuple[str, Reading], ...] = (
    (
        rf"(?P<year>(?:19|20)\d\d年|今年|去年|前年)?(?P<month>{_CHINESE_NUMBER})月份?"
        rf"(?:(?P<day>\d{{1,2}})[日号]|(?P<part>初|上旬|中旬|中|底|末|下旬))?",
        _chinese_date,
    ),
    (r"(?P<year>(?:19|20)\d\d)年", _year),
    (
        rf"(?P<number>{_CHINESE_NUMBER})个?(?P<unit>天|周|星期|月|年)(?:之|以)?前",
        _chinese_ago,
    ),
    (r"(?P<year>今年|去年)?(?P<season>[春夏秋冬])(?:天|季)", _chinese_season),
    ("|".join(_CHINESE_PAST), _chinese_past),
    ("今天|昨天|前天|昨晚", _near_day({"今天": 0, "昨天": 1, "昨晚": 1, "前天": 2})),
)
_READINGS: tuple[tuple[re.Pattern[str], Reading], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (_CHINESE[2], *_ENGLISH, *_CHINESE[:2], *_CHINESE[3:])
)
