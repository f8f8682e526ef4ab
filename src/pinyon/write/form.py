"""What form each field must have: sizes, names, instants, encoding. Nothing is judged here."""

import math
from collections.abc import Mapping, Sequence

from pinyon.domain.draft import When
from pinyon.domain.filter import METADATA_KEY
from pinyon.domain.memory import Metadata, MetadataValue
from pinyon.domain.times import read_instant
from pinyon.errors import InvalidText, InvalidTime, InvalidValue, TooLarge
from pinyon.text.normal import keep
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.write.limits import LIST_MAX, METADATA_CHARS_MAX, METADATA_KEYS_MAX, NAME_CHARS_MAX

OWNER_FIELDS = frozenset({"tenant", "user", "user_id", "agent_id", "space", "owner", "principal"})
"""Names that look like a memory's owner. As metadata they are only words, so they are refused
rather than kept: whoever sets one believes that it does something."""


def body_text(field: str, value: object) -> str:
    """Return a text as it is kept.

    Raises:
        InvalidText: It is no text, or blank.
        TooLarge: It has over `TEXT_CHARS_MAX` characters.
    """
    if not isinstance(value, str):
        raise InvalidText(field, f"must be text, not {type(value).__name__}")
    if len(value) > TEXT_CHARS_MAX:
        raise TooLarge(
            field,
            size=len(value),
            limit=TEXT_CHARS_MAX,
            unit="characters",
            hint="keep one thing a memory, and import a longer text as a document",
        )
    if not any(character.isprintable() and not character.isspace() for character in value):
        raise InvalidText(field, "is empty; say what is to be remembered")
    return keep(value)


def line(field: str, value: object, chars_max: int = NAME_CHARS_MAX) -> str:
    """Return a short text, which may be empty."""
    if value == "":
        return ""
    if not isinstance(value, str):
        raise InvalidText(field, f"must be text, not {type(value).__name__}")
    if len(value) > chars_max:
        raise TooLarge(
            field, size=len(value), limit=chars_max, unit="characters", hint="shorten it"
        )
    return keep(value)


def names(field: str, values: object, chars_max: int = NAME_CHARS_MAX) -> tuple[str, ...]:
    """Return a list of short texts, without blanks and repetitions, in the given order."""
    if values == ():
        return ()
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise InvalidValue(field, values, "a list of texts")
    if len(values) > LIST_MAX:
        raise TooLarge(field, size=len(values), limit=LIST_MAX, unit="entries", hint="drop some")
    kept = dict.fromkeys(line(field, value, chars_max).strip() for value in values)
    return tuple(value for value in kept if value)


def metadata_of(mapping: object) -> Metadata:
    """Return flat metadata as sorted pairs.

    Raises:
        InvalidValue: A key or value may not stand in metadata.
    """
    if not isinstance(mapping, Mapping):
        raise InvalidValue("metadata", mapping, "a mapping of keys to plain values")
    if len(mapping) > METADATA_KEYS_MAX:
        raise TooLarge(
            "metadata", size=len(mapping), limit=METADATA_KEYS_MAX, unit="keys", hint="drop some"
        )
    pairs = [
        (_metadata_key(key), _metadata_value(str(key), value)) for key, value in mapping.items()
    ]
    return tuple(sorted(pairs, key=lambda pair: pair[0]))


def share(field: str, value: object) -> float:
    """Return a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidValue(field, value, "a number from 0 to 1")
    return float(value)


def flag(field: str, value: object) -> bool:
    """Return a yes or no."""
    if not isinstance(value, bool):
        raise InvalidValue(field, value, "true or false")
    return value


def instant(field: str, value: When) -> int | None:
    """Return an instant in microseconds, `None` where none is given."""
    if value is None:
        return None
    try:
        return read_instant(value)[0]
    except InvalidTime as error:
        raise InvalidTime(error.value, error.why, field=field) from None


def listed(field: str, values: object, most: int) -> Sequence[object]:
    """Return a list of not too many things."""
    if values == ():
        return ()
    if not isinstance(values, Sequence) or isinstance(values, str | bytes) or len(values) > most:
        raise InvalidValue(field, values, f"a list of at most {most} texts")
    return values


def _metadata_key(key: object) -> str:
    if not isinstance(key, str) or not METADATA_KEY.fullmatch(key):
        raise InvalidValue("metadata key", key, "1-64 letters, digits, '_', '.' or '-'")
    if key.lower() in OWNER_FIELDS:
        raise InvalidValue(
            "metadata key", key, "no owner's name; an owner comes from the principal"
        )
    return key


def _metadata_value(key: str, value: object) -> MetadataValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return line(f"metadata {key}", value, METADATA_CHARS_MAX)
    if isinstance(value, int) and abs(value) < 1 << 63:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    # By its type: nobody has looked for secrets in it.
    named = type(value).__name__
    raise InvalidValue(f"metadata {key}", named, "text, a number, true, false or null")
