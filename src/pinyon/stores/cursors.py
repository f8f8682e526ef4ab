"""Where a list goes on, as the text that a caller brings back."""

from pinyon.errors import InvalidCursor

PLACE_MAX = (1 << 62) - 1


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
