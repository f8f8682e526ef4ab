"""What filters mostly ask for, by passage, in memory: a filter is a mask, and no over-fetch."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.filter import And, Cmp, Eq, Exists, Filter, In, Not, Or
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import KINDS, SHELVES, STATUSES, TRUSTS, MetadataValue
from pinyon.stores.sqlite.rows import memory_id_of

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

FREE = -1
"""In the place of a passage's number, where a row holds none."""

_ID_BYTES = 16
_NO_INSTANT = np.iinfo(np.int64).min
_CODES: dict[str, tuple[str, ...]] = {
    "kind": KINDS,
    "status": STATUSES,
    "shelf": SHELVES,
    "trust": TRUSTS,
}
_INSTANTS = ("valid_from", "valid_until", "expires_at", "occurred_at", "created_at")
_NUMBERS = ("importance", "confidence")
_HASHED = ("id", "session", "content_hash")
"""Of which only the hash is kept: whether one equals another is all that is asked."""
_ORDER = (*_CODES, *_INSTANTS, *_NUMBERS, *_HASHED)
_COMPARE: dict[str, Callable[..., Mask]] = {
    "lt": np.less,
    "lte": np.less_equal,
    "gt": np.greater,
    "gte": np.greater_equal,
}


class Columns:
    """Which passage each row holds, and what its memory's columns say.

    Attributes:
        passages: int64 (capacity,): passage numbers, `FREE` where a row holds none.
        ids: uint8 (capacity, 16): the ids of their memories.
    """

    def __init__(self, *, reuses: bool) -> None:
        """Begin without rows.

        Args:
            reuses: A row that became free is taken again; else those that follow are.
        """
        self.passages: Ints = np.zeros(0, np.int64)
        self.ids = np.zeros((0, _ID_BYTES), np.uint8)
        self._reuses = reuses
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, _type(name)) for name in _ORDER}
        self._free: list[int] = []

    @property
    def seqs(self) -> Ints:
        """Return the place in the space of each row's memory; negative where there is none."""
        return self.passages >> 6

    def put(
        self, passages: Sequence[int], columns: Mapping[int, Sequence[object]]
    ) -> NDArray[np.intp]:
        """Give each passage a row.

        Args:
            passages: Their numbers.
            columns: By memory, what its row of `columns_changed` says after `seq`.

        Returns:
            The rows.
        """
        count = len(passages)
        self.reserve(count)
        rows = self._free[: -count - 1 : -1] if count else []
        if count:
            del self._free[-count:]
        at = np.array(rows, np.intp)
        self.passages[at] = passages
        # By columns: a space that is opened brings a hundred thousand values, one call each.
        by_column = zip(*[columns[passage >> 6] for passage in passages], strict=True)
        for name, values in zip(_ORDER, by_column, strict=bool(count)):
            self._columns[name][at] = _all_coded(name, values)
            if name == "id":
                self.ids[at] = np.frombuffer(b"".join(values), np.uint8).reshape(-1, _ID_BYTES)
        return at

    def memory_of(self, row: int) -> MemoryId:
        """Return the id of the memory whose passage a row holds."""
        return memory_id_of(self.ids[row].tobytes())

    def drop(self, seqs: Iterable[int]) -> NDArray[np.intp]:
        """Free the rows of memories, by their place in the space, and return which those are."""
        rows = np.flatnonzero(np.isin(self.seqs, np.fromiter(seqs, np.int64)))
        self.passages[rows] = FREE
        if self._reuses:
            self._free.extend(rows.tolist())
        return rows

    def known_seqs(self) -> set[int]:
        """Return the memories that have rows, by their place in the space."""
        return set(self.seqs.tolist()) - {FREE}

    def mask(self, where: Filter) -> Mask | None:
        """Return which rows pass a filter, or `None` where it asks for what is not kept here."""
        match where:
            case And(parts):
                return self._joined(parts, np.logical_and, empty=True)
            case Or(parts):
                return self._joined(parts, np.logical_or, empty=False)
            case Not(part):
                inner = self.mask(part)
                return None if inner is None else ~inner
            case Eq(field, value):
                return self._equals(field, (value,))
            case In(field, values):
                return self._equals(field, values)
            case Cmp(field, operator, value):
                return self._compares(field, operator, value)
            case Exists(field):
                return self._columns[field] != _NO_INSTANT if field in _INSTANTS else None
            case _:
                assert_never(where)

    def _joined(
        self, parts: Sequence[Filter], join: Callable[[Mask, Mask], Mask], *, empty: bool
    ) -> Mask | None:
        joined: Mask = np.full(len(self.passages), empty)
        for part in parts:
            mask = self.mask(part)
            if mask is None:
                return None
            joined = join(joined, mask)
        return joined

    def _compares(self, field: str, operator: str, value: str | int | float) -> Mask | None:
        if field not in (*_INSTANTS, *_NUMBERS) or isinstance(value, str):
            return None
        column = self._columns[field]
        passes = _COMPARE[operator](column, value)
        known: Mask = column != _NO_INSTANT
        return passes & known

    def _equals(self, field: str, values: tuple[MetadataValue, ...]) -> Mask | None:
        if not values:
            return np.zeros(len(self.passages), np.bool_)
        if field not in self._columns:
            return None
        codes = [code for value in values if (code := _asked_for(field, value)) is not None]
        column = self._columns[field]
        # Mostly there is one, and to compare is five times as fast as to look up.
        return column == codes[0] if len(codes) == 1 else np.isin(column, codes)

    def reserve(self, rows: int) -> None:
        """Have room for so many rows more."""
        lacking = rows - len(self._free)
        if lacking <= 0:
            return
        held = len(self.passages)
        added = max(lacking, held // 4, 64)
        self.passages = longer(self.passages, held + added, FREE)
        self.ids = longer(self.ids, held + added)
        for name, column in self._columns.items():
            self._columns[name] = longer(column, held + added)
        self._free[:0] = range(held + added - 1, held - 1, -1)


def longer(held: NDArray[Any], rows: int, empty: int = 0) -> NDArray[Any]:
    """Return an array with more rows; of those that are zero no page is touched before its time."""
    grown = np.zeros((rows, *held.shape[1:]), held.dtype)
    grown[: len(held)] = held
    if empty:
        grown[len(held) :] = empty
    return grown


def best_rows(scores: NDArray[np.floating[Any]], passages: Ints, limit: int) -> list[int]:
    """Return the best row of each of the best memories, best first, newer ones first at a tie.

    Args:
        scores: (capacity,); minus infinity where a row may not come.
        passages: (capacity,): which passage each row holds.
        limit: How many memories.
    """
    want = limit
    while True:
        rows = _largest(scores, want)
        found: dict[int, tuple[float, int, int]] = {}
        for row in rows:
            passage = int(passages[row])
            scored = (float(scores[row]), -(passage & 63), row)
            held = found.get(passage >> 6)
            if held is None or scored > held:
                found[passage >> 6] = scored
        if len(found) >= limit or len(rows) < want:
            break
        # Several passages of one memory took the places of others.
        want *= 2
    ranked = sorted(found.items(), key=lambda item: (-item[1][0], -item[0]))[:limit]
    return [row for _, (_, _, row) in ranked]


def _largest(scores: NDArray[np.floating[Any]], count: int) -> list[int]:
    """Return the places of the greatest scores that are any, and of all that equal the last."""
    least = -np.inf
    if count < len(scores):
        least = float(np.partition(scores, len(scores) - count)[len(scores) - count])
    rows = np.flatnonzero(scores >= least if least > -np.inf else scores > -np.inf)
    return [int(row) for row in rows[np.argsort(-scores[rows], kind="stable")]]


def _type(field: str) -> type[np.generic]:
    if field in _CODES:
        return np.int8
    return np.float64 if field in _NUMBERS else np.int64


def _all_coded(field: str, values: Sequence[Any]) -> list[int | float]:
    """Return what stands for each value of a column, as rows have them."""
    if field in _CODES:
        codes = {value: code for code, value in enumerate(_CODES[field])}
        return [codes[value] for value in values]
    if field in _HASHED:
        return [hash(value) for value in values]
    return [_NO_INSTANT if value is None else value for value in values]


def _asked_for(field: str, value: MetadataValue) -> int | float | None:
    """Return what stands for a value that a filter names; `None` where no row has it."""
    match field:
        case "session":
            return hash(value) if isinstance(value, str) else None
        case "content_hash":
            return _hash_of_bytes(str(value))
        case "id":
            prefix, found, digits = str(value).partition("mem_")
            return _hash_of_bytes(digits) if found and not prefix else None
        case _ if field in _CODES:
            return _CODES[field].index(str(value)) if value in _CODES[field] else None
        case _ if value is None:
            return _NO_INSTANT if field in _INSTANTS else None
        case _:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return value if is_number else None  # type: ignore[return-value]


def _hash_of_bytes(digits: str) -> int | None:
    try:
        raw = bytes.fromhex(digits)
    except ValueError:
        return None
    return hash(raw) if raw.hex() == digits else None
