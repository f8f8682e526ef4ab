"""How rules about wording are written, so that one can read them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PIECE = re.compile(r"\{([A-Z]+)\}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and words of which a text has at least one where it matches.

    The words are there because looking for one costs a hundredth of what a pattern does.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]

    def fires(self, text: str) -> bool:
        """Return whether a text, made plain, is what the rule means."""
        return any(hint in text for hint in self.hints) and bool(self.pattern.search(text))


def rule(hints: str, pattern: str, pieces: Mapping[str, str]) -> Rule:
    """Return a rule as written: white space says nothing, `_` is a space, `{NAME}` a piece."""
    whole = _PIECE.sub(lambda piece: pieces[piece[1]], pattern)
    return Rule(
        tuple(hint.replace("_", " ") for hint in hints.split()),
        re.compile("".join(whole.split()).replace("_", " ")),
    )
