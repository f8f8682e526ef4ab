"""The embedding that every peer is given: bge-small-en-v1.5 in int8, on one thread, as Pinyon's."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime
import tokenizers
import weights
from numpy.typing import NDArray

DIMENSIONS = 384
TOKENS_MAX = 512
BATCH = 32
QUESTION = "Represent this sentence for searching relevant passages: "
"""What the model's authors put in front of a question, and not of a text."""

Vectors = NDArray[np.float32]


class Embedding:
    """Turns texts and questions into vectors: the first token's, of length 1."""

    def __init__(self, folder: Path) -> None:
        weights.check(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(TOKENS_MAX)
        self._tokenizer.enable_padding()

    def texts(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts: float32 (n, 384), L2-normalised."""
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        # Texts of a like length share a batch: padding is computed like everything else.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            vectors[places] = self._encoded([texts[place] for place in places])
        return vectors

    def question(self, question: str) -> Vectors:
        """Return the vector of a question: float32 (384,), L2-normalised."""
        vector: Vectors = self._encoded([QUESTION + question])[0]
        return vector

    def _encoded(self, texts: list[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch(texts)
        inputs = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": np.array([one.attention_mask for one in encoded], np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
        }
        first: Vectors = self._session.run(None, inputs)[0][:, 0]
        normed: Vectors = first / np.linalg.norm(first, axis=1, keepdims=True)
        return normed


@cache
def embedding_in(folder: Path) -> Embedding:
    """Return the embedding of a folder, loaded once in a process."""
    return Embedding(folder)
