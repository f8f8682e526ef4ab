"""Values as they are, between two Pinyons: what a server answers its own client with.

Programs in other languages get the JSON of `pinyon.surfaces.encode`, which is for reading; this one
loses nothing, so that a client over the network gives the very values that an embedded one gives.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter

from pinyon.errors import PinyonError, errors_by_code
from pinyon.ports.client import Operations

MEDIA_TYPE = "application/vnd.pinyon.v1+json"
"""What a client asks for that wants values; another number is another form."""

FACT_CHARS_MAX = 200


def pack(operation: str, answer: object) -> bytes:
    """Return an operation's answer as JSON that `unpack` makes the same value of."""
    return _answer_of(operation).dump_json(answer)


def unpack(operation: str, packed: bytes) -> Any:
    """Return the answer that was packed.

    Raises:
        ValueError: It is no such answer.
    """
    return _answer_of(operation).validate_json(packed)


def pack_bit(operation: str, bit: object) -> bytes:
    """Return one of the values that an operation answers with one after the other."""
    return _bit_of(operation).dump_json(bit)


def unpack_bit(operation: str, packed: str) -> Any:
    """Return the value that was packed.

    Raises:
        ValueError: It is no such value.
    """
    return _bit_of(operation).validate_json(packed)


def facts_of(error: PinyonError) -> dict[str, str | int | float | bool | None]:
    """Return what an error's class keeps beside its message, as far as it is short and plain."""
    return {
        name: value
        for name, value in vars(error).items()
        if value is None
        or isinstance(value, int | float)
        or (isinstance(value, str) and len(value) <= FACT_CHARS_MAX)
    }


def error_of(code: str, message: str, facts: Mapping[str, object]) -> PinyonError:
    """Return the error that a server told, as if it had been raised here.

    One that this Pinyon does not know is a plain `PinyonError` that names its code.
    """
    known = errors_by_code().get(code)
    if known is None:
        return PinyonError(f"{code}: {message}")
    error = known.__new__(known)
    PinyonError.__init__(error, message)
    error.__dict__.update(facts)
    return error


@cache
def _bit_of(operation: str) -> TypeAdapter[Any]:
    (of,) = get_args(get_type_hints(getattr(Operations, operation))["return"])
    return TypeAdapter(of)


@cache
def _answer_of(operation: str) -> TypeAdapter[Any]:
    returned = get_type_hints(getattr(Operations, operation))["return"]
    return TypeAdapter(returned)
