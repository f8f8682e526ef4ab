"""The filter: one closed expression that every store compiles whole, or refuses.

`FIELDS` is the list of what can be asked; anything else is an error, never ignored.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, Literal, assert_never

from pinyon.domain.memory import Memory, MetadataValue
from pinyon.domain.times import read_instant, show_instant
from pinyon.errors import InvalidFilter, UnknownField, UnsupportedFilter

Comparison = Literal["lt", "lte", "gt", "gte"]
FieldType = Literal["text", "number", "instant", "flag", "set", "id"]

FILTER_NODES_MAX = 200
METADATA_KEY = re.compile(r"[A-Za-z0-9_.\-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Eq:
    """The field equals the value; of a set field, one of its members does."""

    field: str
    value: MetadataValue


@dataclass(frozen=True, slots=True)
class In:
    """The field equals one of the values."""

    field: str
    values: tuple[MetadataValue, ...]


@dataclass(frozen=True, slots=True)
class Cmp:
    """The field is there, and less or greater than the value. Instants in microseconds."""

    field: str
    operator: Comparison
    value: str | int | float


@dataclass(frozen=True, slots=True)
class Exists:
    """The field has a value: neither null nor "", nor an empty set."""

    field: str


@dataclass(frozen=True, slots=True)
class And:
    """All of them hold; true when there are none."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of them holds; false when there are none."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """It does not hold."""

    part: "Filter"


Filter = Eq | In | Cmp | Exists | And | Or | Not
Test = Callable[[Memory], bool]

EVERYTHING = And(())


@dataclass(frozen=True, slots=True)
class Field:
    """What a filter may name: its type, and how to read it off a memory."""

    type: FieldType
    read: Callable[[Memory], object]


FIELDS: Mapping[str, Field] = {
    "id": Field("id", lambda m: m.id),
    "kind": Field("text", lambda m: m.kind),
    "status": Field("text", lambda m: m.status),
    "shelf": Field("text", lambda m: m.shelf),
    "category": Field("text", lambda m: m.category),
    "project": Field("text", lambda m: m.project),
    "module": Field("text", lambda m: m.module),
    "trust": Field("text", lambda m: m.trust),
    "content_hash": Field("text", lambda m: m.content_hash),
    "session": Field("text", lambda m: m.source.session),
    "task": Field("text", lambda m: m.source.task),
    "agent": Field("text", lambda m: m.source.agent),
    "event_type": Field("text", lambda m: m.source.event_type),
    "role": Field("text", lambda m: m.source.role),
    "speaker": Field("text", lambda m: m.source.speaker),
    "message_id": Field("text", lambda m: m.source.message_id),
    "language": Field("text", lambda m: m.facets.language),
    "task_type": Field("text", lambda m: m.facets.task_type),
    "document": Field("text", lambda m: m.catalog.document if m.catalog else ""),
    "pinned": Field("flag", lambda m: m.pinned),
    "has_code": Field("flag", lambda m: m.facets.has_code),
    "has_error": Field("flag", lambda m: m.facets.has_error),
    "importance": Field("number", lambda m: m.importance),
    "confidence": Field("number", lambda m: m.confidence),
    "occurred_at": Field("instant", lambda m: m.times.occurred_at_us),
    "valid_from": Field("instant", lambda m: m.times.valid_from_us),
    "valid_until": Field("instant", lambda m: m.times.valid_until_us),
    "created_at": Field("instant", lambda m: m.times.created_at_us),
    "updated_at": Field("instant", lambda m: m.times.updated_at_us),
    "expires_at": Field("instant", lambda m: m.times.expires_at_us),
    "superseded_at": Field("instant", lambda m: m.links.superseded_at_us),
    "superseded_by": Field("id", lambda m: m.links.superseded_by or ""),
    "outdated_by": Field("id", lambda m: m.links.outdated_by or ""),
    "previous": Field("id", lambda m: m.links.previous or ""),
    "tags": Field("set", lambda m: m.tags),
    "keywords": Field("set", lambda m: m.keywords),
    "entities": Field("set", lambda m: m.facets.entities),
}

_COMPARE: Mapping[Comparison, Callable[[Any, Any], bool]] = {
    "lt": lt,
    "lte": le,
    "gt": gt,
    "gte": ge,
}


def all_of(*parts: Filter) -> Filter:
    """Return the conjunction of filters, flattened."""
    flat: list[Filter] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, And) else [part])
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def field_type(name: str) -> FieldType | Literal["metadata"]:
    """Return the type of a field that a filter may name.

    Raises:
        UnknownField: No memory has it.
    """
    if name in FIELDS:
        return FIELDS[name].type
    if name.startswith("metadata.") and METADATA_KEY.fullmatch(name[9:]):
        return "metadata"
    raise UnknownField(name, (*FIELDS, "metadata.<key>"))


def can_compare(name: str) -> bool:
    """Return whether a field has an order: numbers, instants, texts and metadata do."""
    return field_type(name) in ("number", "instant", "text", "metadata") and name != "content_hash"


def matches(expression: Filter, memory: Memory) -> bool:
    """Return whether a memory passes a filter; see `test_of`, for whoever asks of many."""
    return test_of(expression)(memory)


def test_of(expression: Filter) -> Test:
    """Return what tells whether a memory passes: the meaning that every store must agree with.

    Raises:
        UnknownField: It names a field that no memory has.
        UnsupportedFilter: A field cannot be compared so.
    """
    match expression:
        case And(parts):
            tests = [test_of(part) for part in parts]
            return lambda memory: all(test(memory) for test in tests)
        case Or(parts):
            tests = [test_of(part) for part in parts]
            return lambda memory: any(test(memory) for test in tests)
        case Not(part):
            test = test_of(part)
            return lambda memory: not test(memory)
        case Eq(field, value):
            read = _reader(field)
            return lambda memory: _equals(read(memory), value)
        case In(field, values):
            read = _reader(field)
            return lambda memory: _equals_any(read(memory), values)
        case Cmp(field, operator, value):
            if not can_compare(field):
                raise UnsupportedFilter(field, operator)
            read = _reader(field)
            return lambda memory: _compares(read(memory), operator, value)
        case Exists(field):
            read = _reader(field)
            return lambda memory: read(memory) not in (None, "", ())
        case _:
            assert_never(expression)


def parse_filter(mapping: object) -> Filter:
    """Read the JSON form of a filter.

    `{"kind": "semantic", "importance": {"gte": 0.5}}` means both; a list means one of; `and`, `or`
    take lists of filters and `not` takes one; operators are `eq ne lt lte gt gte in exists`.

    Raises:
        InvalidFilter: It does not read as one, or has over `FILTER_NODES_MAX` parts.
        UnknownField: It names a field that no memory has.
        UnsupportedFilter: A field cannot be compared so.
    """
    budget = [FILTER_NODES_MAX]
    return _read(mapping, budget)


def written_filter(expression: Filter) -> dict[str, object]:
    """Return the JSON form of a filter; reading it gives one that means the same."""
    match expression:
        case And(parts):
            return {"and": [written_filter(part) for part in parts]}
        case Or(parts):
            return {"or": [written_filter(part) for part in parts]}
        case Not(part):
            return {"not": written_filter(part)}
        case Eq(field, value):
            return {field: {"eq": _written(field, value)}}
        case In(field, values):
            return {field: {"in": [_written(field, value) for value in values]}}
        case Cmp(field, operator, value):
            return {field: {operator: _written(field, value)}}
        case Exists(field):
            return {field: {"exists": True}}
        case _:
            assert_never(expression)


def _written(name: str, value: MetadataValue) -> MetadataValue:
    if field_type(name) == "instant" and isinstance(value, int):
        return show_instant(value)
    return value


def _reader(name: str) -> Callable[[Memory], object]:
    if field_type(name) == "metadata":
        key = name[9:]
        return lambda memory: dict(memory.metadata).get(key)
    return FIELDS[name].read


def _equals(found: object, value: MetadataValue) -> bool:
    if isinstance(found, tuple):
        return value in found
    if found is None or value is None:
        return found is value
    # In Python True equals 1; a filter on a number must not find a flag, nor the reverse.
    return isinstance(found, bool) is isinstance(value, bool) and found == value


def _equals_any(found: object, values: Sequence[MetadataValue]) -> bool:
    return any(_equals(found, value) for value in values)


def _compares(found: object, operator: Comparison, value: str | int | float) -> bool:
    if isinstance(found, bool) or isinstance(found, str) is not isinstance(value, str):
        return False
    return isinstance(found, str | int | float) and _COMPARE[operator](found, value)


def _read(mapping: object, budget: list[int]) -> Filter:
    if not isinstance(mapping, Mapping):
        raise InvalidFilter(f"{type(mapping).__name__} is no filter")
    parts: list[Filter] = []
    for key, value in mapping.items():
        budget[0] -= 1
        if budget[0] < 0:
            raise InvalidFilter(f"it has more than {FILTER_NODES_MAX} parts")
        match key:
            case "and":
                parts.append(And(tuple(_read(item, budget) for item in _listed(key, value))))
            case "or":
                parts.append(Or(tuple(_read(item, budget) for item in _listed(key, value))))
            case "not":
                parts.append(Not(_read(value, budget)))
            case _:
                parts.append(_condition(str(key), value))
    return all_of(*parts)


def _listed(key: object, value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise InvalidFilter(f"{key!r} takes a list")
    if len(value) > FILTER_NODES_MAX:
        raise InvalidFilter(f"{key!r} has more than {FILTER_NODES_MAX} parts")
    return value


def _condition(name: str, value: object) -> Filter:
    field_type(name)
    if isinstance(value, Mapping):
        if not value:
            raise InvalidFilter(f"{name!r} is compared by nothing")
        return all_of(*(_operation(name, str(op), operand) for op, operand in value.items()))
    if isinstance(value, list | tuple):
        return In(name, tuple(_operand(name, item) for item in _listed(name, value)))
    return Eq(name, _operand(name, value))


def _operation(name: str, operator: str, value: object) -> Filter:
    match operator:
        case "eq":
            return Eq(name, _operand(name, value))
        case "ne":
            return Not(Eq(name, _operand(name, value)))
        case "in":
            return In(name, tuple(_operand(name, item) for item in _listed(name, value)))
        case "exists":
            return Exists(name) if value is not False else Not(Exists(name))
        case "lt" | "lte" | "gt" | "gte":
            operand = _operand(name, value)
            if not can_compare(name) or operand is None or isinstance(operand, bool):
                raise UnsupportedFilter(name, operator)
            return Cmp(name, operator, operand)
        case _:
            raise UnsupportedFilter(name, operator)


def _operand(name: str, value: object) -> MetadataValue:
    if value is not None and not isinstance(value, str | int | float | bool):
        raise InvalidFilter(f"{name} is compared with a {type(value).__name__}")
    expected = field_type(name)
    if expected == "instant" and isinstance(value, str):
        return read_instant(value)[0]
    fits = {
        "text": isinstance(value, str),
        "set": isinstance(value, str),
        "id": isinstance(value, str),
        "flag": isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "instant": value is None,
        "metadata": True,
    }[expected]
    if not fits:
        raise InvalidFilter(f"{name} is a {expected}, not {type(value).__name__}")
    return value
