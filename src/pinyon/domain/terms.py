"""What a question asks an index for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """Any of `words`; and, where there are phrases, every one of them, word after word.

    Words and phrases are tokens, as `pinyon.text.tokens` makes them.
    """

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is anything to look for."""
        return bool(self.words or self.phrases)
