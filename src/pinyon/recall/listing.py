"""What a list shows: the memories of one space, whatever their status."""

from collections.abc import Sequence

from pinyon.domain.filter import Eq, Filter, In, all_of, parse_filter
from pinyon.domain.memory import KINDS, SHELVES, Kind, Shelf
from pinyon.domain.question import Filters
from pinyon.errors import InvalidValue

LIST_LIMIT_MAX = 1_000


def checked_limit(limit: int) -> int:
    """Return how many are asked for at most.

    Raises:
        InvalidValue: It is no number from 1 to `LIST_LIMIT_MAX`.
    """
    whole = isinstance(limit, int) and not isinstance(limit, bool)
    if not whole or not 1 <= limit <= LIST_LIMIT_MAX:
        raise InvalidValue("limit", limit, f"a whole number from 1 to {LIST_LIMIT_MAX}")
    return limit


def listed(kinds: Sequence[Kind], filters: Filters | None, shelf: Shelf, limit: int) -> Filter:
    """Return what a memory must be to stand in a list.

    Raises:
        InvalidValue: A kind or the shelf is none, or the limit is no number from 1 to 1,000.
        InvalidFilter: The filter does not read as an expression.
    """
    checked_limit(limit)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise InvalidValue("kind", unknown[0], "one of " + ", ".join(KINDS))
    if shelf not in SHELVES:
        raise InvalidValue("shelf", shelf, "one of " + ", ".join(SHELVES))
    where: list[Filter] = [Eq("shelf", shelf)]
    if kinds:
        where.append(In("kind", tuple(kinds)))
    if filters is not None:
        where.append(filters if isinstance(filters, Filter) else parse_filter(filters))
    return all_of(*where)
