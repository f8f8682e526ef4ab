"""Whether somebody's question says again what a text says, and where a quotation stands in one."""

import re

from pinyon.text.normal import fold
from pinyon.text.tokens import question_terms

_WORD = re.compile(r"\w+|[^\w\s]")
# Marks that a quotation may have in another form, or not at all.
_LIKE = str.maketrans("“”„«»「」『』‘’ʼ—–", '"' * 9 + "'" * 3 + "--")
_EDGES = "\"'“”„«»‘’()[]{}<>.,;:!?…。，、；：！？*`"
_WITHIN = str.maketrans("", "", "'’ʼ-–")
_LOOSE = frozenset("\"'.,;:!…。，、；：！-")


def span_of(quotation: str, text: str) -> tuple[int, int] | None:
    """Return where a quotation stands in a text, in characters; `None` where it does not.

    To the letter, but for case, white space, marks that end or divide sentences, and the form of
    quotation marks: what is said, and not how it is set.
    """
    start = text.find(quotation) if quotation.strip() else -1
    end = start + len(quotation)
    if start >= 0 and not (_is_inside(text, start) or _is_inside(text, end)):
        return start, end
    sought = [word for word, _, _ in _words(quotation)]
    held = _words(text)
    if not sought:
        return None
    words = [word for word, _, _ in held]
    for place in range(len(words) - len(sought) + 1):
        if words[place] == sought[0] and words[place : place + len(sought)] == sought:
            return held[place][1], held[place + len(sought) - 1][2]
    return None


def _is_inside(text: str, place: int) -> bool:
    """Return whether a place is inside a word; Chinese has no places that are not."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and place > 0 and around.isascii() and around.isalnum()


def _words(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text as they are compared, each with where it stands."""
    return [
        (fold(match[0]), match.start(), match.end())
        for match in _WORD.finditer(text.translate(_LIKE))
        if match[0] not in _LOOSE
    ]


def quotes(query: str, text: str) -> bool:
    """Return whether a query tells of a text: rather too often than too rarely.

    It does if it holds a name or a number of it, or half of the content words of the shorter.
    """
    asked, said = (set(question_terms(one).words) for one in (query, text))
    shared = asked & said
    if not shared:
        return False
    return bool(shared & naming_words(text)) or 2 * len(shared) >= min(len(asked), len(said))


def naming_words(text: str) -> set[str]:
    """Return the words that begin with a capital or are no plain ones, but for the first.

    Marks around a word, an apostrophe and a hyphen make it no name: `failed:`, `don't`, `half-way`.
    """
    named = [word for word in map(_bare, text.split()[1:]) if word and _names(word)]
    return {word for one in named for word in question_terms(one).words}


def _bare(word: str) -> str:
    return word.strip(_EDGES)


def _names(word: str) -> bool:
    plain = word.translate(_WITHIN)
    return word[0].isupper() or not plain.isalpha()
