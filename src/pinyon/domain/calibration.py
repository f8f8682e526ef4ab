"""How a model's score reads as relevance, from 0 to 1."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What `bench/calibrate.py` found for one model; two models' scores never compare without it.

    Attributes:
        nothing: Score at which, and below which, relevance is 0.
        everything: Score at which, and above which, it is 1.
        floor: Relevance, 0-1, that the best hit of a recall must have to be an answer.
    """

    nothing: float
    everything: float
    floor: float

    def relevance(self, score: float) -> float:
        """Return a score as relevance, 0-1."""
        return min(1.0, max(0.0, (score - self.nothing) / (self.everything - self.nothing)))
