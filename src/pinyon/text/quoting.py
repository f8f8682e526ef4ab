"""Whether somebody's question says again what a text says."""

from pinyon.text.tokens import question_terms


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
    """Return the words that begin with a capital or hold a digit, but for the first."""
    named = [word for word in text.split()[1:] if word[0].isupper() or not word.isalpha()]
    return {word for one in named for word in question_terms(one).words}
