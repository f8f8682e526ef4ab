"""What is known of what was forgotten."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space


class Receipts(Protocol):
    """Reads what `PutReceipt` changes, and the erasure of a space, wrote."""

    async def of_space(self, space: Space) -> Sequence[Receipt]:
        """Return a space's receipts, oldest first; that of its own erasure comes last."""

    async def forgotten(self, space: Space, content_hashes: Sequence[str]) -> Mapping[str, int]:
        """Return when texts were forgotten, by content hash; the others are left out."""

    async def settle(self, space: Space) -> bool:
        """Try again to leave no byte in any file; return whether all receipts are complete."""
