"""How a memory or an event stands in a prompt: one line with its id, its date, whose word it is."""

from collections.abc import Sequence

from pinyon.domain.event import CALLS, Event, Turn
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.text.fencing import defused

_NO_BRACKETS = str.maketrans("[]\n\r", "()  ")
NAME_CHARS = 80


SHORTENED = "shortened"
"""Of what is not shown whole: by its id the whole of it is had."""


def line_of(memory: Memory, *, now_us: int, own: Space, body: str, is_whole: bool = True) -> str:
    """Return a memory as a line; the lines of its text after the first are indented.

    Nothing in it depends on when it is drawn but whether it is history: the same memory is the same
    bytes, which prompt caches want.

    Args:
        memory: Which.
        now_us: What lies before that is over.
        own: The asker's own space; of a memory in another one it is said where it is.
        body: What of it is shown.
        is_whole: Whether that is all of it.
    """
    standing = (*_where(memory, own), *_standing(memory, now_us), *_marked(is_whole))
    head = ", ".join((memory.id, _date_of(memory), _whose(memory), *standing))
    return f"[{head}] {defused(body)}"


def line_of_turn(turn: Event | Turn, body: str, *, is_whole: bool = True) -> str:
    """Return an event of the log, or a turn of the conversation, as a line."""
    day = _date(turn.occurred_at_us, turn.offset_min)
    head = ", ".join((turn.id, day, _role_of(turn), *_marked(is_whole)))
    return f"[{head}] {defused(body)}"


def _marked(is_whole: bool) -> Sequence[str]:
    return () if is_whole else (SHORTENED,)


def is_history(memory: Memory, now_us: int) -> bool:
    """Return whether a memory no longer holds, or never did."""
    until_us = memory.times.valid_until_us
    is_over = until_us is not None and until_us <= now_us
    return memory.status != "active" or is_over or memory.links.outdated_by is not None


def body_of(memory: Memory) -> str:
    """Return what a memory says, a procedure with its steps."""
    text = memory.text
    if memory.title and memory.title not in text:
        text = f"{memory.title}: {text}"
    if memory.procedure is None:
        return text
    steps = [
        f"{place}. {step.instruction}" + (f" ({step.tool})" if step.tool else "")
        for place, step in enumerate(memory.procedure.current_steps, start=1)
    ]
    trigger = f"When: {memory.procedure.trigger}" if memory.procedure.trigger else ""
    return "\n".join(part for part in (text, trigger, *steps) if part)


def _date_of(memory: Memory) -> str:
    times = memory.times
    at_us = times.occurred_at_us or times.valid_from_us or times.created_at_us
    return _date(at_us, times.offset_min)


def _date(at_us: int, offset_min: int) -> str:
    return show_instant(at_us, offset_min)[:10]


def _whose(memory: Memory) -> str:
    source = memory.source
    match memory.trust:
        case "user":
            return _named(source.speaker) or "the user said"
        case "agent":
            return _named(source.speaker or source.agent) or "an agent said"
        case "tool":
            return "a tool said" + _by(source.speaker)
        case "document":
            document = memory.catalog.document if memory.catalog is not None else ""
            return "a document says" + _by(document)


def _role_of(turn: Event | Turn) -> str:
    if turn.event_type in CALLS:
        what = "a tool was called" if turn.event_type == "tool_call" else "a tool answered"
        return what + _by(turn.speaker)
    if turn.event_type == "thought":
        return "an agent thought"
    return _named(turn.speaker) or {"user": "the user said"}.get(turn.role, "an agent said")


def _named(name: str) -> str:
    return f"{_plain(name)} said" if name else ""


def _by(name: str) -> str:
    return f" ({_plain(name)})" if name else ""


def _plain(name: str) -> str:
    return defused(name[:NAME_CHARS]).translate(_NO_BRACKETS)


def _where(memory: Memory, own: Space) -> Sequence[str]:
    segments = memory.space.segments
    if memory.space == own or segments[0] == "user":
        return ()
    return (segments[0] if len(segments) == 1 else f"{segments[0]} {_plain(segments[1])}",)


def _standing(memory: Memory, now_us: int) -> Sequence[str]:
    """Return how it stands: history and why, true only later, how often it worked."""
    links, times = memory.links, memory.times
    if memory.status == "superseded":
        return (f"history: replaced by {links.superseded_by}",)
    if memory.status == "retracted":
        return ("history: never true",)
    if links.outdated_by is not None:
        return (f"history: outdated by {links.outdated_by}",)
    if times.valid_until_us is not None and times.valid_until_us <= now_us:
        return (f"history: true until {_date(times.valid_until_us, times.offset_min)}",)
    if times.valid_from_us is not None and times.valid_from_us > now_us:
        return (f"true from {_date(times.valid_from_us, times.offset_min)}",)
    tried = memory.counts.successes + memory.counts.failures
    if memory.procedure is not None and tried:
        return (f"worked {memory.counts.successes} of {tried} times",)
    return ()
