"""Topics: words and short phrases, and whether a text speaks of them.

Compared on our own tokens, so that "allergies" is "allergy", and a phrase in its order.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pinyon.text.tokens import Tokens, tokenize

Phrase = tuple[str, ...]


@lru_cache(maxsize=1024)
def phrases_of(
    topics: tuple[str, ...], synonyms: tuple[tuple[str, ...], ...]
) -> tuple[Phrase, ...]:
    """Return the phrases that topics amount to, also as a tenant calls the same.

    Args:
        topics: Words, or short phrases.
        synonyms: Groups of what means the same.
    """
    named = [[phrase for word in group if (phrase := _phrase(word))] for group in synonyms]
    found = dict.fromkeys(phrase for topic in topics if (phrase := _phrase(topic)))
    said_otherwise = [other for phrase in found for other in _otherwise(phrase, named)]
    return tuple(dict.fromkeys([*found, *said_otherwise]))


def speaks_of(text: str, phrases: Sequence[Phrase]) -> bool:
    """Return whether a text holds one of the phrases."""
    if not phrases:
        return False
    tokens = tokenize(text)
    return any(_holds(tokens, phrase) for phrase in phrases)


def _phrase(text: str) -> Phrase:
    return tuple(tokenize(text).main)


def _holds(tokens: Tokens, phrase: Phrase) -> bool:
    return any(_places(tokens.main, phrase)) or any(_places(tokens.extra, phrase))


def _places(words: Sequence[str], phrase: Phrase) -> Iterator[int]:
    """Yield behind which word a phrase ends, wherever it stands."""
    width = len(phrase)
    for end in range(width, len(words) + 1):
        if tuple(words[end - width : end]) == phrase:
            yield end


def _otherwise(phrase: Phrase, groups: Iterable[Sequence[Phrase]]) -> Iterator[Phrase]:
    """Yield a phrase with one part of it called as a group calls it too."""
    for group in groups:
        for name in group:
            for end in _places(phrase, name):
                yield from (
                    (*phrase[: end - len(name)], *other, *phrase[end:])
                    for other in group
                    if other != name
                )
