"""How a word may have been meant: everything that is one slip away from it."""

from collections.abc import Mapping
from functools import lru_cache

from pinyon.text.stopwords import ENGLISH
from pinyon.text.tokens import tokenize

LETTERS_MIN = 5
LETTERS_MAX = 24
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def may_be_misspelt(word: str) -> bool:
    """Return whether a written word can have a slip: plain letters, and enough of them.

    What is meant to the letter, a number, an identifier or a name in capitals, never is.
    """
    plain = word.isascii() and word.isalpha() and (word.islower() or word.istitle())
    return plain and LETTERS_MIN <= len(word) <= LETTERS_MAX


@lru_cache(maxsize=2048)
def one_slip_away(word: str) -> Mapping[str, str]:
    """Return the tokens of all words that one slip makes of a word, each with such a word.

    A slip leaves a letter out, doubles or adds one, swaps two neighbours or takes another; the
    first letter is rarely wrong and stays. Words of mere grammar are nobody's subject.

    Source:
        Damerau, "A technique for computer detection and correction of spelling errors", CACM 1964:
        four misspelt words in five are one such slip away.
    """
    word = word.lower()
    first, rest = word[0], word[1:]
    splits = [(rest[:at], rest[at:]) for at in range(len(rest) + 1)]
    meant = {a + b[1:] for a, b in splits if b}
    meant |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    meant |= {a + letter + b[1:] for a, b in splits if b for letter in _LETTERS}
    meant |= {a + letter + b for a, b in splits for letter in _LETTERS}
    own = set(tokenize(word).main)
    found: dict[str, str] = {}
    for other in sorted((first + one for one in meant), key=lambda one: (len(one), one)):
        (token,) = tokenize(other).main
        if token not in own and other not in ENGLISH:
            found.setdefault(token, other)
    return found
