"""Reading off a model's own cosines how they are to be read: for models that nobody measured."""

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.calibration import Calibration

Floats = NDArray[np.float32]

WIDTH_MIN = 0.05
"""Between `nothing` and `everything`, in cosine, for a model that hardly tells texts apart."""
FLOOR_MIN, FLOOR_MAX = 0.05, 0.9


WORDS = 0.65
"""What matched words count beside one vector for a whole text.

Source: the multilingual model on five long English chats, recall@10: 71.4 at 0.5, 73.2 at 0.65.
"""


def calibrated(questions: Floats, answers: Floats) -> Calibration:
    """Return how a model's cosines read, from questions and answers that are known to match.

    Args:
        questions: float32 (n, dim), rows L2-normalised, n at least 2.
        answers: The same; row i answers question i, and no other.

    Returns:
        `nothing` is what a question and a wrong answer have on average; `everything` is what nine
        of ten right answers do not exceed; the floor is what 19 of 20 wrong answers stay below,
        from `FLOOR_MIN` to `FLOOR_MAX`.
    """
    cosines = questions.astype(np.float64) @ answers.astype(np.float64).T
    is_matched = np.eye(len(cosines), dtype=bool)
    right, wrong = cosines[is_matched], cosines[~is_matched]
    nothing = float(wrong.mean())
    everything = max(float(np.quantile(right, 0.9)), nothing + WIDTH_MIN)
    floor = (float(np.quantile(wrong, 0.95)) - nothing) / (everything - nothing)
    return Calibration(
        nothing=nothing,
        everything=everything,
        floor=min(FLOOR_MAX, max(FLOOR_MIN, floor)),
        words=WORDS,
    )
