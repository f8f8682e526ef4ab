"""Arguments as a request carries them: JSON, and lines of it."""

import json
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from datetime import datetime

from pinyon.domain.draft import Draft
from pinyon.domain.filter import Filter, written_filter
from pinyon.domain.question import AsOf, Narrowing, RecallContext
from pinyon.domain.turn import TurnDetails
from pinyon.errors import InvalidValue
from pinyon.ports.client import Progress, Rows


def json_of(value: object) -> str:
    """Return a value as JSON.

    Raises:
        InvalidValue: It is nothing that JSON can hold.
    """
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValue("argument", type(value).__name__, f"plain JSON ({error})") from None


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset | tuple) or hasattr(value, "__iter__"):
        return [*value]
    raise TypeError(f"{type(value).__name__} is not plain")


def sent_draft(draft: Draft) -> dict[str, object]:
    """Return what a draft says beyond the defaults.

    Raises:
        InvalidValue: It is none.
    """
    if not isinstance(draft, Draft):
        raise InvalidValue("draft", draft, "a pinyon.Draft")
    usual = Draft(text="")
    fields = {name: getattr(draft, name) for name in Draft.__slots__}
    return {
        name: value
        for name, value in fields.items()
        if name == "text" or value != getattr(usual, name)
    }


def sent_narrowing(narrowing: Narrowing) -> dict[str, object]:
    """Return what a question is narrowed down by, as plain values."""
    sent: dict[str, object] = {**narrowing}
    filters, as_of, context = (sent.get(name) for name in ("filters", "as_of", "context"))
    if filters is not None:
        sent["filters"] = sent_filter(filters)
    if isinstance(as_of, AsOf):
        sent["as_of"] = {"valid": as_of.valid, "known": as_of.known}
    return {**sent, "context": _situation(context)}


def sent_turn(details: TurnDetails) -> dict[str, object]:
    """Return what is said of a turn, as plain values."""
    return {**details, "context": _situation(details.get("context"))}


def _situation(context: object) -> object:
    if not isinstance(context, RecallContext):
        return context
    return {name: getattr(context, name) for name in RecallContext.__slots__}


def sent_filter(filters: object) -> object:
    """Return a filter in its JSON form."""
    return written_filter(filters) if isinstance(filters, Filter) else filters


async def lines_of(rows: Rows, progress: Progress | None) -> AsyncIterator[bytes]:
    """Yield rows as lines of JSON, and tell how many there were."""
    count = 0
    if isinstance(rows, AsyncIterable):
        async for row in rows:
            count += 1
            yield _line(row, count, progress)
    else:
        for row in rows:
            count += 1
            yield _line(row, count, progress)


def _line(row: Mapping[str, object] | None, count: int, progress: Progress | None) -> bytes:
    """Return one row as a line of JSON, and tell that it is done."""
    if progress is not None:
        progress(count)
    return b"\n" if row is None else json_of(row).encode("utf-8", "surrogatepass") + b"\n"
