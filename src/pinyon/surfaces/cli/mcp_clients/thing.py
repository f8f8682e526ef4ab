"""One thing of ours in a client's file, and what a file says with it or without it."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing of ours in a client's file.

    Attributes:
        table: In which object or list at the top of the file it stands.
        name: Its key in an object, its `id` in a list.
        value: What it says.
        is_item: Whether it stands in a list.
    """

    table: str
    name: str
    value: Mapping[str, object]
    is_item: bool = False


def held(document: Mapping[str, Any], thing: Thing) -> dict[str, Any] | None:
    """Return what a file says in the place of a thing; `None` for nothing of that form."""
    table = document.get(thing.table)
    if thing.is_item and isinstance(table, list):
        found = [one for one in table if _is_called(one, thing.name)]
        return found[-1] if found else None
    value = table.get(thing.name) if isinstance(table, dict) else None
    return value if isinstance(value, dict) else None


def with_thing(document: Mapping[str, Any], thing: Thing) -> dict[str, Any]:
    """Return what a file says once a thing is in it."""
    result = deepcopy(dict(document))
    value = dict(thing.value)
    if not thing.is_item:
        result.setdefault(thing.table, {})[thing.name] = value
        return result
    items = result.setdefault(thing.table, [])
    places = [place for place, one in enumerate(items) if _is_called(one, thing.name)]
    if places:
        items[places[-1]] = value
    else:
        items.append(value)
    return result


def without_thing(document: Mapping[str, Any], thing: Thing) -> dict[str, Any]:
    """Return what a file says once a thing is out of it."""
    result = deepcopy(dict(document))
    table = result.get(thing.table)
    if thing.is_item and isinstance(table, list):
        result[thing.table] = [one for one in table if not _is_called(one, thing.name)]
    elif isinstance(table, dict):
        table.pop(thing.name, None)
    return result


def _is_called(one: object, name: str) -> bool:
    return isinstance(one, dict) and one.get("id") == name
