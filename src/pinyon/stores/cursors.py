"""Where a list goes on, as the text that a caller brings back."""

import re

from pinyon.errors import InvalidCursor

PLACE_MAX = (1 << 62) - 1

TurnPlace = tuple[int, int, str, str]
"""What turns are put in order by; see `pinyon.domain.event.Turn.place`."""

_TURN = re.compile(r"t(-?[0-9]{1,18})_(-?[0-9]{1,18})_([em])([0-9a-f]{32})")


def cursor_of(place: int) -> str:
    """Return the cursor of a place in a list."""
    return f"p{place}"


def place_of(cursor: str) -> int:
    """Return the place that a cursor stands for.

    Raises:
        InvalidCursor: `cursor_of` did not make it.
    """
    digits = cursor.removeprefix("p")
    if digits == cursor or not digits.isascii() or not digits.isdecimal() or len(cursor) > 20:
        raise InvalidCursor(cursor)
    place = int(digits)
    if place > PLACE_MAX:
        raise InvalidCursor(cursor)
    return place


def cursor_of_turn(place: TurnPlace) -> str:
    """Return the cursor of a turn."""
    occurred_at_us, created_at_us, bare_id, kind = place
    return f"t{occurred_at_us}_{created_at_us}_{kind}{bare_id}"


def place_of_turn(cursor: str) -> TurnPlace:
    """Return the place of the turn that a cursor stands for.

    Raises:
        InvalidCursor: `cursor_of_turn` did not make it.
    """
    read = _TURN.fullmatch(cursor)
    if read is None:
        raise InvalidCursor(cursor)
    return int(read[1]), int(read[2]), read[4], read[3]
