"""TOML as people write it: one table put in or taken out, and all else stays as it is."""

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pinyon.surfaces.cli.mcp_clients.thing import Thing

_HEADING = re.compile(r"^[ \t]*\[", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_EMPTY_LINE_AT_END = re.compile(r"(\A|\n)[ \t]*\r?\n\Z")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _Span:
    """From where to where a table stands, and below which key of ours; empty for ours itself."""

    start: int
    end: int
    key: str


def read(text: str) -> dict[str, Any]:
    """Return what a text says.

    Raises:
        tomllib.TOMLDecodeError: It is no TOML, and where.
    """
    return tomllib.loads(text)


def put(text: str, thing: Thing) -> str:
    """Return a text with a table in it, in the place of the one of its name.

    Tables below it stay if the thing has their keys. What is not written as `[table.name]` is not
    found, and then the result says it twice; whoever reads the result sees that.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    text = _without(text, [o for o in _spans(text, thing) if o.key and o.key not in thing.value])
    spans = _spans(text, thing)
    block = _block(thing, {one.key for one in spans}).replace("\n", newline)
    for span in spans:
        if not span.key:
            return text[: span.start] + block + text[span.end :]
    if not text.strip():
        return block
    return text + ("" if text.endswith("\n") else newline) + newline + block


def take(text: str, thing: Thing) -> str:
    """Return a text without a table and those below it."""
    return _without(text, _spans(text, thing))


def rendered(thing: Thing) -> str:
    """Return a thing as a whole file of its own."""
    return _block(thing, ())


def _without(text: str, spans: Sequence[_Span]) -> str:
    for span in reversed(spans):
        text = _EMPTY_LINE_AT_END.sub(r"\1", text[: span.start]) + text[span.end :]
    return text


def _spans(text: str, thing: Thing) -> list[_Span]:
    table, name = (
        rf"[ \t]*(?:{key}|\"{key}\"|'{key}')[ \t]*"
        for key in (re.escape(thing.table), re.escape(thing.name))
    )
    heading = re.compile(rf"^[ \t]*\[{table}\.{name}(?:\.([^\]\n]*))?\][^\n]*$", re.MULTILINE)
    found = []
    for match in heading.finditer(text):
        following = _HEADING.search(text, match.end())
        end = following.start() if following else len(text)
        # What stands right above a heading is said of what comes after it.
        for line in reversed(_LINE.findall(text[match.end() : end])):
            if line.strip() and not line.lstrip().startswith("#"):
                break
            end -= len(line)
        key = (match[1] or "").split(".")[0].strip(" \t\"'")
        found.append(_Span(match.start(), max(end, _line_end(text, match.end())), key))
    return found


def _line_end(text: str, place: int) -> int:
    newline = text.find("\n", place)
    return len(text) if newline < 0 else newline + 1


def _block(thing: Thing, below: Collection[str]) -> str:
    """Return a table without what has a table of its own below it."""
    lines = [f"[{_key(thing.table)}.{_key(thing.name)}]"]
    lines += [
        f"{_key(key)} = {_shown(value)}" for key, value in thing.value.items() if key not in below
    ]
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    match value:
        case str():
            # A string of JSON is one of TOML, but for this one character.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case bool():
            return "true" if value else "false"
        case list():
            return "[" + ", ".join(map(_shown, value)) + "]"
        case Mapping():
            pairs = [f"{_key(key)} = {_shown(below)}" for key, below in value.items()]
            return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
        case _:
            # Numbers and times are written as Python writes them.
            return str(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _shown(name)
