"""Proposals as rows of JSON, read into what `propose` takes."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from pinyon.care.handed_in import SORTS
from pinyon.domain.consolidation import Proposal
from pinyon.errors import InvalidValue, UnknownField


def proposals_of(rows: object) -> dict[str, Any]:
    """Return the arguments of `propose`; what stands in each field, the operation looks at.

    Raises:
        InvalidValue: It is no object of lists of objects, or one of them lacks a field.
        UnknownField: A field is not known.
    """
    known = ("episodes", *SORTS)
    if not isinstance(rows, Mapping):
        raise InvalidValue("proposals", rows, "an object of " + ", ".join(known))
    for name in rows:
        if name not in known:
            raise UnknownField(name, known)
    given: dict[str, Any] = {"episodes": rows.get("episodes", ())}
    for name, sort in SORTS.items():
        listed = rows.get(name, ())
        is_list = isinstance(listed, list | tuple)
        given[name] = [_proposal(name, sort, row) for row in listed] if is_list else listed
    return given


def _proposal(name: str, sort: type[Proposal], row: object) -> Proposal:
    known = {one.name: one.default is MISSING for one in fields(sort)}
    if not isinstance(row, Mapping):
        raise InvalidValue(name, row, "a list of objects of " + ", ".join(known))
    for field in row:
        if field not in known:
            raise UnknownField(field, tuple(known))
    for field, is_required in known.items():
        if is_required and field not in row:
            raise InvalidValue(f"{name}.{field}", None, "given in each of them")
    return sort(**row)
