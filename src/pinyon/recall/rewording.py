"""Other words for those of a question: the nearest spelling, and what the tenant calls the same."""

from collections.abc import Mapping, Sequence

from pinyon.domain.space import Space
from pinyon.domain.synonyms import Group, Synonyms
from pinyon.ports.search import Search, TermStats
from pinyon.recall.recalling import Alternative
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.spelling import may_be_misspelt, one_slip_away
from pinyon.text.tokens import question_terms, spellings

RESPELT_MAX = 2
"""Words of a question that are tried in other spellings: who mistypes more is not understood."""

RESPELT_WORTH = 0.5
"""What a word counts that is only one slip away from what was asked for."""


def synonyms_in(words: Sequence[str], groups: Sequence[Group]) -> list[Alternative]:
    """Return what else the words of a question may be called.

    Args:
        words: Tokens of the question.
        groups: Words or phrases that mean the same, group by group.
    """
    asked = set(words)
    found: list[Alternative] = []
    for group in groups:
        named = [(name, frozenset(question_terms(name).words)) for name in group]
        meant = [(name, tokens) for name, tokens in named if tokens and tokens <= asked]
        others = [(name, tokens) for name, tokens in named if tokens and not tokens <= asked]
        found += [
            Alternative(other, one, 1.0, said=said, read=read)
            for said, one in meant
            for read, other in others
        ]
    return found


async def respelt(
    search: Search, spaces: Sequence[Space], question: str, unknown: Sequence[str]
) -> tuple[list[Alternative], list[TermStats]]:
    """Return the nearest known spelling of unknown words, and how common what was tried is.

    Numbers, identifiers and names in capitals are meant to the letter, and never respelt. Of
    several spellings the most common one is taken.

    Args:
        search: Tells which words there are.
        spaces: Where.
        question: As it was written.
        unknown: Its tokens that no memory holds.
    """
    written = spellings(question)
    tried = {
        word: one_slip_away(written[word])
        for word in unknown
        if word in written and may_be_misspelt(written[word])
    }
    tried = dict(list(tried.items())[:RESPELT_MAX])
    words = list(dict.fromkeys(other for others in tried.values() for other in others))
    if not words:
        return [], []
    stats = await side_by_side([search.term_stats(space, words) for space in spaces])
    df = {word: sum(one.df[word] for one in stats) for word in words}
    found = []
    for word, others in tried.items():
        best = max(others, key=lambda other: df[other], default="")
        if best and df[best]:
            said, read = written[word], others[best]
            found.append(
                Alternative(frozenset([best]), frozenset([word]), RESPELT_WORTH, said, read)
            )
    return found, stats


def read_as(alternatives: Sequence[Alternative]) -> Mapping[str, str]:
    """Return how words of the question were read otherwise: each with all that it is read as."""
    read: dict[str, list[str]] = {}
    for one in alternatives:
        read.setdefault(one.said, []).append(one.read)
    return {said: ", ".join(dict.fromkeys(others)) for said, others in read.items()}


def groups_of(synonyms: Synonyms, spaces: Sequence[Space]) -> tuple[Group, ...]:
    """Return the groups that hold where a question is asked: all its spaces are one tenant's."""
    return synonyms.of(spaces[0].tenant) if spaces else ()
