"""A transformer in an ONNX file with its tokeniser: loaded once, when it is first used.

One session of one thread. Two batches may run in it at once, each in a worker thread of its own;
threads inside one batch would spin while they wait for each other.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import anyio
import numpy as np
from numpy.typing import NDArray

from pinyon.errors import ModelUnavailable
from pinyon.models.locate import Weights

TOKENS_MAX = 512
BATCH = 16
WORKERS = 2

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
T = TypeVar("T")
Encodable = str | tuple[str, str]


class OnnxModel:
    """Runs texts, or pairs of them, through a model, off the event loop."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._fingerprint: str | None = None
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._batches = ThreadPoolExecutor(WORKERS, thread_name_prefix="pinyon-model")
        # What somebody waits for does not queue behind a thousand texts of an import.
        self._urgent = ThreadPoolExecutor(WORKERS, thread_name_prefix="pinyon-question")

    @property
    def fingerprint(self) -> str:
        """Return the name of exactly these weights; read off the files once."""
        if self._fingerprint is None:
            self._fingerprint = self._weights.fingerprint()
        return self._fingerprint

    async def one(self, text: str, read: Callable[[Floats, Mask, Any], T]) -> T:
        """Run one text at once; see `many`."""
        (result,) = await self._submit(self._urgent, [text], read)
        return result

    async def many(
        self, texts: Sequence[Encodable], read: Callable[[Floats, Mask, Any], T]
    ) -> list[T]:
        """Run texts in batches of similar length, and return what `read` makes of each.

        Others get their turn between two batches, and a caller who stops waiting stops the rest.

        Args:
            texts: In any order and number.
            read: Called in the worker with a text's output, float32 (tokens, ...), a mask (tokens,)
                of what is no padding, and the text as the tokeniser took it apart.

        Raises:
            ModelUnavailable: The model cannot be loaded or fails.
        """
        order = sorted(range(len(texts)), key=lambda at: _length(texts[at]))
        results: dict[int, T] = {}
        free = anyio.Semaphore(WORKERS)

        async def run(places: list[int]) -> None:
            async with free:
                found = await self._submit(self._batches, [texts[at] for at in places], read)
            results.update(zip(places, found, strict=True))

        try:
            async with anyio.create_task_group() as group:
                for start in range(0, len(order), BATCH):
                    group.start_soon(run, order[start : start + BATCH])
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [results[at] for at in range(len(texts))]

    async def _submit(
        self,
        executor: ThreadPoolExecutor,
        texts: Sequence[Encodable],
        read: Callable[[Floats, Mask, Any], T],
    ) -> list[T]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(executor, self._run, list(texts), read)

    def _run(self, texts: list[Encodable], read: Callable[[Floats, Mask, Any], T]) -> list[T]:
        try:
            with self._lock:
                if self._loaded is None:
                    # Here, and not when it is asked for: reading all files takes a while.
                    self._fingerprint = self._weights.fingerprint()
                    self._loaded = _load(self._weights.model, self._weights.tokenizer)
            session, tokenizer = self._loaded
            encoded = tokenizer.encode_batch(texts)
            mask = np.array([one.attention_mask for one in encoded], np.int64)
            inputs = {
                "input_ids": np.array([one.ids for one in encoded], np.int64),
                "attention_mask": mask,
                "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
            }
            output: Floats = session.run(None, inputs)[0]
            rows = zip(output, mask.astype(bool), encoded, strict=True)
            return [read(row, kept, taken) for row, kept, taken in rows]
        except Exception as error:
            raise ModelUnavailable(str(self._weights.model), str(error)) from error


def _load(model: Path, tokenizer_file: Path) -> tuple[Any, Any]:
    import onnxruntime  # noqa: PLC0415 - only where a model is used
    import tokenizers  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_file))
    tokenizer.enable_truncation(TOKENS_MAX)
    tokenizer.enable_padding()
    return session, tokenizer


def _length(text: Encodable) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))
