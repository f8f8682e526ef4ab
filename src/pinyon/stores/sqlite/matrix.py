"""The dense vectors of a space under one model, kept in memory and brought up to date by sequence.

Exact search is a product over a contiguous matrix at memory bandwidth. What filters mostly ask for
lies beside it as columns, so that a filter is a mask and never an over-fetch.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.filter import And, Cmp, Eq, Exists, Filter, In, Not, Or
from pinyon.domain.memory import KINDS, SHELVES, STATUSES, TRUSTS, MetadataValue
from pinyon.ranking.packing import unpacked

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_NO_INSTANT = np.iinfo(np.int64).min
_CODES: dict[str, tuple[str, ...]] = {
    "kind": KINDS,
    "status": STATUSES,
    "shelf": SHELVES,
    "trust": TRUSTS,
}
_INSTANTS = ("valid_from", "valid_until", "expires_at", "occurred_at", "created_at")
_NUMBERS = ("importance", "confidence")
_ORDER = (*_CODES, *_INSTANTS, *_NUMBERS)
_COMPARE: dict[str, Callable[..., Mask]] = {
    "lt": np.less,
    "lte": np.less_equal,
    "gt": np.greater,
    "gte": np.greater_equal,
}

_UNPACKED_AT_ONCE = 256
"""Few enough that what they are unpacked into is the same memory each time: to get a space's worth
of it from the system takes longer than to fill it."""


class Matrix:
    """Vectors and filter columns by passage; rows of what is gone are reused.

    Attributes:
        seq: The space's sequence number that it is as new as.
        vectors: float32 (capacity, dim), L2-normalised.
        passages: int64 (capacity,): passage numbers, -1 where a row is free.
    """

    def __init__(self, dim: int) -> None:
        self.seq = -1
        self.vectors: Floats = np.zeros((0, dim), np.float32)
        self.passages: Ints = np.zeros(0, np.int64)
        self._columns: dict[str, NDArray[np.float64] | Ints] = {
            name: np.zeros(0, np.float64) if name in _NUMBERS else np.zeros(0, np.int64)
            for name in _ORDER
        }
        self._rows: dict[int, list[int]] = {}
        self._free: list[int] = []

    def drop(self, seqs: Iterable[int]) -> None:
        """Forget the rows of memories, by their place in the space."""
        for seq in [seq for seq in seqs if seq in self._rows]:
            for row in self._rows.pop(seq):
                self.passages[row] = -1
                self.vectors[row] = 0
                self._free.append(row)

    def known_seqs(self) -> set[int]:
        """Return the memories that have rows."""
        return set(self._rows)

    def put(
        self, passages: Sequence[tuple[int, bytes]], columns: dict[int, Sequence[object]]
    ) -> None:
        """Add rows.

        Args:
            passages: Passage number, and its vector as `pinyon.ranking.packing` packs it.
            columns: By memory, what its row of `columns_changed` says after `seq`.
        """
        count = len(passages)
        if not count:
            return
        self._reserve(count)
        rows = self._free[: -count - 1 : -1]
        del self._free[-count:]
        at = np.array(rows)
        for start in range(0, count, _UNPACKED_AT_ONCE):
            part = slice(start, start + _UNPACKED_AT_ONCE)
            self.vectors[at[part]] = unpacked([vector for _, vector in passages[part]])
        self.passages[at] = [passage for passage, _ in passages]
        for row, (passage, _) in zip(rows, passages, strict=True):
            self._rows.setdefault(passage >> 6, []).append(row)
        # By columns: a space that is opened brings a hundred thousand values, one call each.
        by_column = zip(*[columns[passage >> 6] for passage, _ in passages], strict=True)
        for name, values in zip(_ORDER, by_column, strict=True):
            self._columns[name][at] = _all_coded(name, values)

    def best(
        self, query: Floats, mask: Mask | None, allowed: Ints | None, limit: int
    ) -> list[tuple[int, float]]:
        """Return `(passage, cosine)` of the best memories, best first, newer ones first at a tie.

        Args:
            query: float32 (dim,), L2-normalised.
            mask: Which rows may come; all where `None`.
            allowed: Which memories may come, ascending; all where `None`.
            limit: How many memories.
        """
        keep = self.passages >= 0
        if mask is not None:
            keep &= mask
        if allowed is not None:
            keep &= np.isin(self.passages >> 6, allowed, assume_unique=False)
        # vecdot, not @: a threaded matrix product spins on busy machines.
        scores = np.where(keep, np.vecdot(self.vectors, query), -np.inf)
        want = limit
        while True:
            rows = _largest(scores, want)
            found: dict[int, tuple[float, int]] = {}
            for row in rows:
                if scores[row] == -np.inf:
                    break
                passage = int(self.passages[row])
                held = found.get(passage >> 6)
                scored = (float(scores[row]), -(passage & 63))
                if held is None or scored > held:
                    found[passage >> 6] = scored
            if len(found) >= limit or len(rows) < want:
                break
            want *= 2
        ranked = sorted(found.items(), key=lambda item: (-item[1][0], -item[0]))[:limit]
        return [((seq << 6) - position, score) for seq, (score, position) in ranked]

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
        if field not in self._columns:
            return None
        codes = [_coded(field, value) for value in values if _fits(field, value)]
        column = self._columns[field]
        # Mostly there is one, and to compare is five times as fast as to look up.
        return column == codes[0] if len(codes) == 1 else np.isin(column, codes)

    def _reserve(self, rows: int) -> None:
        lacking = rows - len(self._free)
        if lacking <= 0:
            return
        held = len(self.passages)
        added = max(lacking, held // 4, 64)
        self.vectors = _longer(self.vectors, held + added, 0)
        self.passages = _longer(self.passages, held + added, -1)
        for name, column in self._columns.items():
            self._columns[name] = _longer(column, held + added, 0)
        self._free.extend(range(held + added - 1, held - 1, -1))


def _longer(held: NDArray[Any], rows: int, empty: int) -> NDArray[Any]:
    """Return an array with more rows; of those that are zero no page is touched before its time."""
    longer = np.zeros((rows, *held.shape[1:]), held.dtype)
    longer[: len(held)] = held
    if empty:
        longer[len(held) :] = empty
    return longer


def _largest(scores: Floats, count: int) -> list[int]:
    """Return the places of the greatest scores, and of all that equal the last of them."""
    if count >= len(scores):
        return [int(row) for row in np.argsort(-scores, kind="stable")]
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    rows = np.flatnonzero(scores >= least)
    return [int(row) for row in rows[np.argsort(-scores[rows], kind="stable")]]


def _all_coded(field: str, values: Sequence[Any]) -> list[int | float]:
    """Return what stands for each value of a column, as rows have them."""
    if field in _CODES:
        codes = {value: code for code, value in enumerate(_CODES[field])}
        return [codes[value] for value in values]
    return [_NO_INSTANT if value is None else value for value in values]


def _coded(field: str, value: object) -> int | float:
    if field in _CODES:
        return _CODES[field].index(str(value))
    if value is None:
        return _NO_INSTANT
    return value if isinstance(value, int | float) else _NO_INSTANT


def _fits(field: str, value: MetadataValue) -> bool:
    if field in _CODES:
        return value in _CODES[field]
    if value is None:
        return field in _INSTANTS
    return isinstance(value, int | float) and not isinstance(value, bool)
