"""The default model: late interaction. One pass gives token vectors, and their mean."""

import asyncio
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinyon.errors import ModelUnavailable
from pinyon.models.locate import Weights
from pinyon.ports.embedder import Embedded, EmbeddedQuestion
from pinyon.ranking.maxsim import product

DIM = 384
TOKENS_MAX = 512
BATCH = 32
SCALE = 127

_FOREIGN = re.compile("[\u0370-\u1fff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd]")
_LETTERS = re.compile(r"[^\W\d_]")

Floats = NDArray[np.float32]


class LateInteractionModel:
    """answerai-colbert-small-v1, int8, through onnxruntime. See `pinyon.ports.embedder.Embedder`.

    Questions are encoded by one thread each, at once; texts wait for each other in a queue of one,
    in batches of similar length.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._fingerprint: str | None = None
        self._texts = ThreadPoolExecutor(1, thread_name_prefix="pinyon-embed")
        self._questions = ThreadPoolExecutor(2, thread_name_prefix="pinyon-question")

    @property
    def fingerprint(self) -> str:
        """See the port."""
        if self._fingerprint is None:
            self._fingerprint = self._weights.fingerprint()
        return self._fingerprint

    @property
    def dim(self) -> int:
        """See the port."""
        return DIM

    @property
    def token_dim(self) -> int:
        """See the port."""
        return 96

    @property
    def cosine_range(self) -> tuple[float, float]:
        """See the port.

        Source: five long chats; questions of other subjects reach 0.80-0.84, answered ones
        0.83-0.93.
        """
        return 0.80, 0.96

    def knows(self, text: str) -> bool:
        """Return whether a text is mostly in Latin letters, which the model was made for."""
        if text.isascii():
            return True
        return len(_FOREIGN.findall(text)) * 2 <= len(_LETTERS.findall(text))

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        if not texts:
            return []
        loop = asyncio.get_running_loop()
        vectors = await loop.run_in_executor(self._texts, self._token_vectors, list(texts), 2)
        return [_embedded(full, small) for full, small in vectors]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        loop = asyncio.get_running_loop()
        ((full, small),) = await loop.run_in_executor(
            self._questions, self._token_vectors, [question], 1
        )
        return EmbeddedQuestion(_mean(full).tobytes(), small.tobytes())

    def _token_vectors(self, texts: list[str], threads: int) -> list[tuple[Floats, Floats]]:
        """Return for each text its unit-length token vectors, whole and projected."""
        try:
            with self._lock:
                if self._loaded is None:
                    # Here, and not when it is asked for: reading all files takes a while.
                    self._fingerprint = self._weights.fingerprint()
                    self._loaded = _Loaded(self._weights)
            return self._loaded.encode(texts, threads)
        except ModelUnavailable:
            raise
        except Exception as error:
            raise ModelUnavailable(str(self._weights.model), str(error)) from error


class _Loaded:
    """The model in memory: a session of one thread for questions, one of two for texts."""

    def __init__(self, weights: Weights) -> None:
        import onnxruntime  # noqa: PLC0415 - only where a model is used
        import tokenizers  # noqa: PLC0415

        self._sessions: dict[int, Any] = {}
        for threads in (1, 2):
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.log_severity_level = 3
            self._sessions[threads] = onnxruntime.InferenceSession(
                str(weights.model), options, providers=["CPUExecutionProvider"]
            )
        self._tokenizer = tokenizers.Tokenizer.from_file(str(weights.tokenizer))
        self._tokenizer.enable_truncation(TOKENS_MAX)
        self._tokenizer.enable_padding()
        self._projection: Floats = np.load(weights.projection)

    def encode(self, texts: list[str], threads: int) -> list[tuple[Floats, Floats]]:
        found: list[tuple[Floats, Floats]] = [(np.zeros((0, 0), np.float32),) * 2] * len(texts)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            for at, pair in zip(
                places, self._batch([texts[at] for at in places], threads), strict=True
            ):
                found[at] = pair
        return found

    def _batch(self, texts: list[str], threads: int) -> list[tuple[Floats, Floats]]:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([one.ids for one in encoded], np.int64)
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output: Floats = self._sessions[threads].run(None, inputs)[0]
        pairs = []
        for row, kept in zip(output, mask.astype(bool), strict=True):
            full = _unit(row[kept])
            pairs.append((full, _unit(product(full, self._projection))))
        return pairs


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Floats = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return unit


def _mean(tokens: Floats) -> Floats:
    return _unit(tokens.mean(axis=0))


def _embedded(full: Floats, small: Floats) -> Embedded:
    tokens = np.round(small * SCALE).astype(np.int8)
    return Embedded(_mean(full).tobytes(), tokens.tobytes())
