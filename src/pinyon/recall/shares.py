"""How much of what is asked for a candidate holds by its words."""

from collections.abc import Collection, Mapping

from pinyon.ports.search import Candidate
from pinyon.ranking.relevance import matched_share
from pinyon.recall.recalling import Recalling
from pinyon.text.tokens import is_literal


class Shares:
    """Tells it of each candidate of one recall; what each reading asks for is read off once."""

    def __init__(self, recalling: Recalling) -> None:
        self._alternatives = recalling.alternatives
        self._asking = recalling.planned.asking
        self._weights = _weights_by_reading(recalling)
        self._known: dict[tuple[frozenset[str], frozenset[str]], list[float]] = {}

    def of(self, candidate: Candidate) -> float:
        """Return the share of the question that a candidate's words match, 0-1.

        Of the readings of a question the one counts that it holds most of.
        """
        return max(self._by_reading(candidate))

    def part(self, candidate: Candidate) -> int:
        """Return which of the things that are asked for it holds most of, by its reading."""
        shares = self._by_reading(candidate)
        return max(self._asking, key=lambda place: shares[place])

    def literal(self, candidate: Candidate) -> float:
        """Return the share that it matches to the letter: versions, error codes, identifiers.

        What is meant so never loses to a vague neighbour.
        """
        literal = [word for word in candidate.matched if is_literal(word)]
        return matched_share(self._weights[0], literal) if literal else 0.0

    def _by_reading(self, candidate: Candidate) -> list[float]:
        # Most candidates hold the same one or two words.
        held = candidate.matched, candidate.context_matched
        shares = self._known.get(held)
        if shares is None:
            instead = self._stood_for(candidate.matched)
            shares = self._known[held] = [
                matched_share(weights, *held, stood_for=instead) for weights in self._weights
            ]
        return shares

    def _stood_for(self, matched: Collection[str]) -> dict[str, float]:
        stood_for: dict[str, float] = {}
        for alternative in self._alternatives:
            if alternative.words <= set(matched):
                for word in alternative.stand_for:
                    stood_for[word] = max(stood_for.get(word, 0.0), alternative.worth)
        return stood_for


def _weights_by_reading(recalling: Recalling) -> list[Mapping[str, float]]:
    """Return what each word counts in each reading; a quoted passage belongs to the first."""
    weights, readings = recalling.weights, recalling.planned.readings
    if len(readings) < 2:
        return [weights]
    quoted = {word for phrase in recalling.planned.terms.phrases for word in phrase}
    verbatim = {*readings[0].words, *quoted}
    return [
        {word: weight for word, weight in weights.items() if word in words}
        for words in (verbatim, *({*one.words} for one in readings[1:]))
    ]
