"""Other words for those of a question: the nearest spelling, and what the tenant calls the same."""

from collections.abc import Mapping, Sequence

from pinyon.domain.space import Space
from pinyon.domain.synonyms import Synonyms
from pinyon.ports.search import Search, TermStats
from pinyon.recall.recalling import Alternative
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.spelling import may_be_misspelt, one_slip_away
from pinyon.text.tokens import question_terms, spellings

RESPELT_MAX = 2
"""Words of a question that are tried in other spellings: who mistypes more is not understood."""

RESPELT_WORTH = 0.5
"""What a word counts that is only one slip away from what was asked for."""


Named = tuple[str, frozenset[str]]
"""What something is called, and the tokens of that."""


class Thesaurus:
    """A tenant's synonyms by their tokens: read when first asked, not at each question."""

    def __init__(self, synonyms: Synonyms) -> None:
        self._synonyms = synonyms
        self._read: dict[str, Mapping[str, Sequence[Sequence[Named]]]] = {}

    def others(self, words: Sequence[str], tenant: str) -> list[Alternative]:
        """Return what else the words of a question may be called.

        Args:
            words: Tokens of the question.
            tenant: Whose groups hold.
        """
        asked, by_token = set(words), self._by_token(tenant)
        groups = {id(group): group for word in words for group in by_token.get(word, ())}
        return [
            Alternative(other, one, 1.0, said=said, read=read)
            for group in groups.values()
            for said, one in group
            if one <= asked
            for read, other in group
            if not other <= asked
        ]

    def _by_token(self, tenant: str) -> Mapping[str, Sequence[Sequence[Named]]]:
        # Tenants without groups of their own share everybody's, however many there are.
        tenant = tenant if tenant in self._synonyms.tenants else ""
        if tenant not in self._read:
            by_token: dict[str, list[Sequence[Named]]] = {}
            for group in self._synonyms.of(tenant):
                named = [(name, frozenset(question_terms(name).words)) for name in group]
                named = [(name, tokens) for name, tokens in named if tokens]
                for token in sorted({token for _, tokens in named for token in tokens}):
                    by_token.setdefault(token, []).append(named)
            self._read[tenant] = by_token
        return self._read[tenant]


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
