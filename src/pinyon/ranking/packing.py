"""Keeping dense vectors small: a byte for each number, and one scale for all of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_SCALE_BYTES = 4
_MOST = 127


def packed(vector: bytes) -> bytes:
    """Return a vector, float32 as bytes, as a float32 scale and a byte for each number.

    A unit-length vector keeps its direction to about one part in a hundred, and a cosine with
    another one to about one in a thousand.
    """
    numbers = np.frombuffer(vector, np.float32)
    scale = np.float32(max(float(np.abs(numbers).max(initial=0.0)), 1e-12) / _MOST)
    return scale.tobytes() + np.round(numbers / scale).astype(np.int8).tobytes()


def unpacked(vectors: Sequence[bytes]) -> Floats:
    """Return packed vectors of one length as rows: float32 (n, dim)."""
    raw = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1)
    scales = np.ascontiguousarray(raw[:, :_SCALE_BYTES]).view(np.float32)
    rows: Floats = np.multiply(raw[:, _SCALE_BYTES:], scales, dtype=np.float32)
    return rows
