"""Recognisers of sensitive things that stand beside our own."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.policy import Finding


class Detector(Protocol):
    """Finds what is sensitive in a text; it adds to what our own patterns find, and hides none."""

    def find(self, text: str) -> Sequence[Finding]:
        """Return findings in any order, overlapping or not; `0 <= start < end <= len(text)`.

        Raises:
            ModelUnavailable: It cannot be loaded or fails; nothing is kept unscreened then.
        """
