"""How much of what is asked for a candidate holds by its words."""

from collections.abc import Collection, Mapping

from pinyon.ports.search import Candidate
from pinyon.ranking.relevance import matched_share
from pinyon.recall.recalling import Recalling
from pinyon.text.tokens import is_literal


def share_of(recalling: Recalling, candidate: Candidate) -> float:
    """Return the share of the question that a candidate's words match, 0-1.

    Of the readings of a question the one counts that it holds most of.
    """
    instead = _stood_for(recalling, candidate.matched)
    return max(
        matched_share(weights, candidate.matched, candidate.context_matched, stood_for=instead)
        for weights in _weights_by_reading(recalling)
    )


def part_by_words(recalling: Recalling, candidate: Candidate) -> int:
    """Return which of the things that are asked for a candidate holds most of, by its reading."""
    weights, instead = _weights_by_reading(recalling), _stood_for(recalling, candidate.matched)

    def share(place: int) -> float:
        return matched_share(
            weights[place], candidate.matched, candidate.context_matched, stood_for=instead
        )

    return max(recalling.planned.asking, key=share)


def literal_share_of(recalling: Recalling, candidate: Candidate) -> float:
    """Return the share that it matches to the letter: versions, error codes, identifiers.

    What is meant so never loses to a vague neighbour.
    """
    literal = [word for word in candidate.matched if is_literal(word)]
    return matched_share(_weights_by_reading(recalling)[0], literal) if literal else 0.0


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


def _stood_for(recalling: Recalling, matched: Collection[str]) -> dict[str, float]:
    stood_for: dict[str, float] = {}
    for alternative in recalling.alternatives:
        if alternative.words <= set(matched):
            for word in alternative.stand_for:
                stood_for[word] = max(stood_for.get(word, 0.0), alternative.worth)
    return stood_for
