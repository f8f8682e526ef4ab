"""Where a list goes on, as the text that a caller brings back."""

from pinyon.errors import InvalidCursor

_CHARS_MAX = 20


def cursor_of(place: int) -> str:
    """Return the cursor of a place in a list."""
    return f"p{place}"


def place_of(cursor: str) -> int:
    """Return the place that a cursor stands for.

    Raises:
        InvalidCursor: `cursor_of` did not make it.
    """
    digits = cursor.removeprefix("p")
    if digits == cursor or not digits.isdecimal() or len(cursor) > _CHARS_MAX:
        raise InvalidCursor(cursor)
    return int(digits)
