"""The rows of an export: one JSON object a line, everything in it, read back strictly."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from pinyon.domain.answers import Exported
from pinyon.domain.draft import Draft
from pinyon.domain.event import Event
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import InvalidFile

FORMAT = "pinyon/1"
EXPECTED = (
    'each line is a row of `pinyon export`, or plain: {"text": "…", "kind": "semantic"}, with '
    "other fields of a draft beside them"
)


def header(space: Space) -> dict[str, object]:
    """Return the first row of an export."""
    return {"format": FORMAT, "space": str(space)}


def row_of(exported: Exported) -> dict[str, Any]:
    """Return the row of a memory with its earlier versions, or of an event."""
    if exported.event is not None:
        return {
            "event": _adapter(Event).dump_python(exported.event, mode="json", exclude_defaults=True)
        }
    row: dict[str, Any] = {"memory": _dumped(exported.memory)}
    if exported.earlier:
        row["earlier"] = [_dumped(memory) for memory in exported.earlier]
    return row


def read_row(
    row: Mapping[str, object], space: Space, *, name: str, line: int
) -> Exported | Draft | None:
    """Return what a row holds: of an export, or plain; `None` for the header.

    Raises:
        InvalidFile: It is neither, or of a newer format.
    """
    if "format" in row:
        if row["format"] != FORMAT:
            why = f"format {row['format']!r} is not {FORMAT!r}; {EXPECTED}"
            raise InvalidFile(name, why, line=line)
        return None
    try:
        if "event" in row:
            return Exported(event=_adapter(Event).validate_python(row["event"]))
        if "memory" in row:
            earlier = row.get("earlier", [])
            if not isinstance(earlier, list):
                raise InvalidFile(name, "`earlier` is no list", line=line)
            return Exported(
                memory=_memory(row["memory"], space),
                earlier=tuple(_memory(one, space) for one in earlier),
            )
        draft: Draft = _adapter(Draft).validate_python(dict(row))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "row"
        raise InvalidFile(name, f"{place}: {first['msg']}; {EXPECTED}", line=line) from None
    return draft


def _dumped(memory: Memory | None) -> dict[str, Any]:
    row: dict[str, Any] = _adapter(Memory).dump_python(memory, mode="json", exclude_defaults=True)
    # Whose it is says the header, and on the way in the principal.
    del row["space"]
    # Vectors are not exported: whoever reads it makes them anew.
    awaits = [what for what in row.pop("awaits", ()) if what != "vectors"]
    if awaits:
        row["awaits"] = awaits
    return row


def _memory(row: object, space: Space) -> Memory:
    owner = {"tenant": space.tenant, "segments": space.segments}
    given = {**row, "space": owner} if isinstance(row, Mapping) else row
    memory: Memory = _adapter(Memory).validate_python(given)
    return memory


@cache
def _adapter(of: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(with_config(ConfigDict(extra="forbid"))(of))
