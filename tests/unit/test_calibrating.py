"""A model that nobody measured is calibrated by its own cosines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pinyon.models.calibrating import FLOOR_MAX, FLOOR_MIN, WIDTH_MIN, calibrated
from pinyon.models.pairs import PAIRS
from pinyon.text.scripts import is_mostly_latin


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def with_cosines(right, wrong, n=20, dim=64):
    """Return n questions and answers: `right` between partners, `wrong` between all others."""
    shared, own = np.sqrt(wrong), np.sqrt(right - wrong)
    rest = np.sqrt(1 - right)
    base = np.eye(dim, dtype=np.float32)
    questions = shared * base[0] + own * base[1 : n + 1] + rest * base[n + 1]
    answers = shared * base[0] + own * base[1 : n + 1] + rest * base[n + 2]
    return questions.astype(np.float32), answers.astype(np.float32)


def test_a_wrong_answer_is_nothing_and_a_right_one_everything():
    found = calibrated(*with_cosines(right=0.9, wrong=0.5))

    assert found.nothing == pytest.approx(0.5, abs=1e-4)
    assert found.everything == pytest.approx(0.9, abs=1e-4)


def test_the_floor_is_above_nearly_all_wrong_answers():
    random = np.random.default_rng(7)
    questions = random.standard_normal((40, 32))
    answers = questions + random.standard_normal((40, 32)) * 0.5
    questions, answers = unit(questions + 1.5), unit(answers + 1.5)

    found = calibrated(questions, answers)

    cosines = questions @ answers.T
    wrong = cosines[~np.eye(40, dtype=bool)]
    below = np.mean([found.relevance(float(cosine)) < found.floor for cosine in wrong])
    assert below == pytest.approx(0.95, abs=0.01)
    assert np.mean([found.relevance(c) >= found.floor for c in cosines.diagonal()]) > 0.9


@pytest.mark.parametrize("n", [2, 16])
def test_a_model_to_which_all_is_one_is_calibrated_too(n):
    rows = unit(np.ones((n, 8)))

    found = calibrated(rows, rows)

    assert found.everything - found.nothing == pytest.approx(WIDTH_MIN)
    assert found.floor == FLOOR_MIN


def test_a_model_that_has_it_the_wrong_way_round_is_calibrated_too():
    questions = unit(np.eye(4))
    answers = unit(np.roll(np.eye(4), 1, axis=0))

    found = calibrated(questions, answers)

    assert found.everything > found.nothing
    assert found.floor == FLOOR_MAX


ROWS = arrays(
    np.float64,
    st.tuples(st.just(2), st.integers(2, 9), st.just(5)),
    elements=st.floats(-1, 1).filter(lambda x: x == 0 or abs(x) > 1e-3),
)


@given(ROWS.filter(lambda rows: (np.linalg.norm(rows, axis=-1) > 0).all()))
def test_whatever_the_vectors_are_it_reads_from_0_to_1(rows):
    found = calibrated(unit(rows[0]), unit(rows[1]))

    assert -1 - 1e-6 <= found.nothing <= found.everything - WIDTH_MIN + 1e-9
    assert FLOOR_MIN <= found.floor <= FLOOR_MAX
    assert (found.relevance(found.nothing), found.relevance(found.everything)) == (0, 1)


def test_the_pairs_are_all_different_and_not_all_english():
    texts = [text for pair in PAIRS for text in pair]

    assert len(set(texts)) == len(texts) == 32
    assert any(not is_mostly_latin(text) for text in texts)
