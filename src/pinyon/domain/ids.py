"""Ids: UUIDv7, shown everywhere as `mem_` (or `evt_`, `job_`, `rcp_`, `key_`) and 32 hex digits."""

import re
from collections.abc import Callable
from typing import NewType

from pinyon.errors import InvalidId

MemoryId = NewType("MemoryId", str)
EventId = NewType("EventId", str)
JobId = NewType("JobId", str)
ReceiptId = NewType("ReceiptId", str)
KeyId = NewType("KeyId", str)

NewUuid = Callable[[], str]
"""Gives 32 hex digits of a fresh UUIDv7."""

_HEX = re.compile(r"[0-9a-f]{32}")


def uuid7_hex(now_us: int, random: bytes) -> str:
    """Return a UUIDv7 as 32 hex digits.

    Args:
        now_us: Microseconds since 1970, UTC; the lower three digits order ids within a millisecond.
        random: At least 8 random bytes.

    Source:
        RFC 9562 §5.7, with method 3 (sub-millisecond fraction in `rand_a`).
    """
    milliseconds, microseconds = divmod(now_us, 1000)
    fraction = microseconds * 4096 // 1000
    tail = int.from_bytes(random[:8]) & 0x3FFF_FFFF_FFFF_FFFF
    return (
        f"{milliseconds & 0xFFFF_FFFF_FFFF:012x}7{fraction:03x}{0x8000_0000_0000_0000 | tail:016x}"
    )


def memory_id(value: object) -> MemoryId:
    """Read a memory's id, with or without its prefix or dashes.

    Raises:
        InvalidId: It is none.
    """
    return MemoryId(_prefixed(value, "mem"))


def key_id(value: object) -> KeyId:
    """Read the id of an API key, with or without its prefix or dashes.

    Raises:
        InvalidId: It is none.
    """
    return KeyId(_prefixed(value, "key"))


def job_id(value: object) -> JobId:
    """Read the id of a job, with or without its prefix or dashes.

    Raises:
        InvalidId: It is none.
    """
    return JobId(_prefixed(value, "job"))


def turn_id(value: object) -> MemoryId | EventId:
    """Read the id of a turn: of a memory (`mem_`) or of an event that is none (`evt_`)."""
    if isinstance(value, str) and value.startswith("evt_"):
        return EventId(_prefixed(value, "evt"))
    return memory_id(value)


def journalled_id(value: object) -> str:
    """Read the id of what a journal names: of a memory, an event, a job or a receipt.

    Raises:
        InvalidId: It is none.
    """
    for prefix in ("evt", "job", "rcp"):
        if isinstance(value, str) and value.startswith(f"{prefix}_"):
            return _prefixed(value, prefix)
    return memory_id(value)


def _prefixed(value: object, prefix: str) -> str:
    if isinstance(value, str) and len(value) <= 64:
        bare = value.removeprefix(f"{prefix}_").replace("-", "").lower()
        if _HEX.fullmatch(bare):
            return f"{prefix}_{bare}"
    raise InvalidId(value, prefix=prefix)
