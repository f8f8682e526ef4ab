"""Packing: a quarter of the room, and hardly anything of the direction lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pinyon.ranking.packing import packed, unpacked

VECTORS = arrays(np.float32, st.integers(1, 64), elements=st.floats(-1, 1, width=32))


@given(VECTORS)
def test_a_number_comes_back_to_half_a_step(vector):
    (back,) = unpacked([packed(vector.tobytes())])

    assert back == pytest.approx(vector, abs=float(np.abs(vector).max()) / 127 / 2 + 1e-6)


def test_a_packed_vector_takes_a_byte_a_number():
    assert len(packed(np.ones(384, np.float32).tobytes())) == 388


def test_cosines_hardly_change():
    random = np.random.default_rng(5)
    rows = random.standard_normal((200, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    back = unpacked([packed(row.tobytes()) for row in rows])

    assert np.abs(back @ rows.T - rows @ rows.T).max() < 3e-3
