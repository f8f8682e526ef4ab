"""How a model's score reads as relevance, from 0 to 1."""

from dataclasses import dataclass
from math import exp, log

_LOGIT_AT_END = log(0.95 / 0.05)
_LOGIT_MAX = 30.0
"""Beyond it nothing changes that a float could tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What `bench/calibrate.py` found for one model; two models' scores never compare without it.

    Attributes:
        nothing: Score at which, and below which, relevance is 0.
        everything: Score at which, and above which, it is 1.
        floor: Relevance, 0-1, that the best hit of a recall must have to be an answer.
        words: What matched words count beside it, 0-1; 0 for a model that reads both together.
        unknown: What is added to the floor for a question of whose words no memory holds any; in
            proportion where some are held. Grammar alone makes all sentences a little alike, and
            who asks in words that were never used here mostly asks for what is not here.
        content: Between which scores of its content words alone a question is not answered at all
            and wholly; (0, 0) where the model does not tell words apart. Half of what the floor is
            held against: what a question is about must be there, and not only its grammar.
        is_logit: The score is one, and reads by the logistic function: 0.05 at `nothing`, and 0.95
            at `everything`.
    """

    nothing: float
    everything: float
    floor: float
    words: float = 0.0
    unknown: float = 0.0
    content: tuple[float, float] = (0.0, 0.0)
    is_logit: bool = False

    def floor_for(self, unknown: float) -> float:
        """Return the floor for a question of whose words a share (0-1) stands in no memory."""
        return min(1.0, self.floor + self.unknown * unknown)

    def relevance(self, score: float) -> float:
        """Return a score as relevance, 0-1."""
        if self.is_logit:
            middle = (self.nothing + self.everything) / 2
            logit = _LOGIT_AT_END * (score - middle) / (self.everything - middle)
            return 1 / (1 + exp(-min(_LOGIT_MAX, max(-_LOGIT_MAX, logit))))
        return _between(score, self.nothing, self.everything)

    def certainty(self, score: float, content: float) -> float:
        """Return how surely a text answers, 0-1: half by its score, half by content words."""
        relevance = self.relevance(score)
        if not any(self.content):
            return relevance
        return (relevance + _between(content, *self.content)) / 2


def _between(score: float, nothing: float, everything: float) -> float:
    return min(1.0, max(0.0, (score - nothing) / (everything - nothing)))
