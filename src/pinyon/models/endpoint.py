"""Any endpoint that embeds as OpenAI's does: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and more.

Memories and questions are sent to the address that was named, and nowhere else: no redirect is
followed, and no proxy is taken from the environment.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from pinyon.domain.calibration import Calibration
from pinyon.errors import ModelUnavailable
from pinyon.models.calibrating import calibrated
from pinyon.models.connecting import trusted
from pinyon.models.pairs import PAIRS
from pinyon.ports.embedder import Embedded, EmbeddedQuestion

if TYPE_CHECKING:
    import ssl

    import httpx2

BATCH = 64
TEXT_CHARS_MAX = 8_000
ANSWER_BYTES_MAX = 64 * 1024 * 1024
TEXTS_A_TIMEOUT = 8
"""Texts of one request for which the timeout is meant; one of more texts has as much longer."""
PAUSE_S = 5.0
"""For which nothing is asked of an endpoint that failed."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Learned:
    """What the first answer told about a model."""

    dim: int
    calibration: Calibration


class EndpointEmbedder:
    """A model behind an address. See `pinyon.ports.embedder.Embedder`; it has dense vectors only.

    Nobody measured the model, so that it is calibrated when it is first used, by questions whose
    answers are known. A connection lasts as long as one call: nothing is left to be closed, and any
    event loop may call.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        timeout_s: float = 2.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is asked yet.

        Args:
            url: What stands before `/embeddings`, as `http://localhost:11434/v1`.
            model: The name under which the endpoint knows the model.
            key: What is sent as a bearer token, if anything.
            timeout_s: For an answer to up to `TEXTS_A_TIMEOUT` texts.
            monotonic: Tells seconds, from any start.
        """
        self._url, self._model, self._key = url.rstrip("/"), model, key.strip()
        self._timeout_s = timeout_s
        self._breaker = _Breaker(model, monotonic, patience_s=timeout_s / 2)
        self._learned: _Learned | None = None
        self._tls: ssl.SSLContext | None = None

    @property
    def fingerprint(self) -> str:
        """See the port. Weights cannot be seen from here: where a model is asked stands for them.

        Raises:
            ModelUnavailable: Nothing was embedded yet.
        """
        dim = self._known().dim
        digest = hashlib.sha256(f"{self._url}\n{self._model}\n{dim}".encode()).hexdigest()
        return f"{self._model}-{dim}@{digest[:16]}"

    @property
    def dim(self) -> int:
        """See the port."""
        return self._known().dim

    @property
    def token_dim(self) -> int:
        """See the port."""
        return 0

    def calibration_of(self, question: str) -> Calibration:
        """See the port."""
        return self._known().calibration

    def knows(self, text: str) -> bool:
        """Return true: which languages a model was made for, its endpoint does not say."""
        return True

    async def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """See the port."""
        rows = await self._embedded(texts) if texts else []
        return [Embedded(row.tobytes(), b"") for row in rows]

    async def embed_question(self, question: str) -> EmbeddedQuestion:
        """See the port."""
        (row,) = await self._embedded([question])
        return EmbeddedQuestion(row.tobytes(), b"")

    def _known(self) -> _Learned:
        if self._learned is None:
            raise ModelUnavailable(self._model, "it was not asked yet; embed a text first")
        return self._learned

    async def _embedded(self, texts: Sequence[str]) -> list[Floats]:
        rows: list[Floats] = []
        with self._breaker.passing():
            async with await self._client() as client:
                if self._learned is None:
                    self._learned = await self._learn(client)
                for start in range(0, len(texts), BATCH):
                    rows += list(await self._asked(client, texts[start : start + BATCH]))
        return rows

    async def _client(self) -> "httpx2.AsyncClient":
        if not self._key.isascii() or not self._key.isprintable():
            raise _Unusable("its key has characters that cannot be sent; copy it again")
        try:
            if self._tls is None:
                # Loading the library and the certificates takes longer than the loop may wait.
                self._tls = await anyio.to_thread.run_sync(trusted)
            import httpx2  # noqa: PLC0415 - only where a model is used
        except ImportError:
            raise _Unusable("httpx2 is not installed: pip install 'pinyon[endpoint]'") from None
        return httpx2.AsyncClient(verify=self._tls, timeout=None, trust_env=False)

    async def _learn(self, client: "httpx2.AsyncClient") -> _Learned:
        questions = [question for question, _ in PAIRS]
        answers = [answer for _, answer in PAIRS]
        rows = await self._asked(client, questions + answers)
        calibration = calibrated(rows[: len(PAIRS)], rows[len(PAIRS) :])
        return _Learned(dim=rows.shape[1], calibration=calibration)

    async def _asked(self, client: "httpx2.AsyncClient", texts: Sequence[str]) -> Floats:
        """Return float32 (len(texts), dim), rows L2-normalised."""
        import httpx2  # noqa: PLC0415

        within_s = self._timeout_s * max(1.0, len(texts) / TEXTS_A_TIMEOUT)
        try:
            with anyio.fail_after(within_s):
                body = await self._answer(client, texts)
        except TimeoutError:
            why = f"no answer within {within_s:g} s; see whether it is loading or busy"
            raise _Unusable(why) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            # What the error says may hold what was sent or answered, and is not passed on.
            why = f"{type(error).__name__}; see whether it runs, and correct its address"
            raise _Unusable(why) from None
        rows = await anyio.to_thread.run_sync(_rows, body, len(texts))
        if self._learned is not None and rows.shape[1] != self._learned.dim:
            raise _Unusable(
                f"its vectors have {rows.shape[1]} numbers now and had {self._learned.dim}; "
                "start Pinyon again if another model is meant"
            )
        return rows

    async def _answer(self, client: "httpx2.AsyncClient", texts: Sequence[str]) -> bytes:
        asked = {
            "model": self._model,
            "input": [text[:TEXT_CHARS_MAX] for text in texts],
            "encoding_format": "float",
        }
        body = bytearray()
        async with client.stream(
            "POST", f"{self._url}/embeddings", content=json.dumps(asked), headers=self._headers()
        ) as response:
            if response.status_code != 200:
                raise _Unusable(_why(response.status_code))
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > ANSWER_BYTES_MAX:
                    raise _Unusable("its answer is too large; correct its address")
        return bytes(body)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers


class _Unusable(Exception):
    """What came back is no answer; says why, and what to do."""


class _Breaker:
    """Keeps callers from waiting, each in turn, for an endpoint that just failed."""

    def __init__(self, model: str, monotonic: Callable[[], float], *, patience_s: float) -> None:
        self._model, self._monotonic, self._patience_s = model, monotonic, patience_s
        self._shut_until_s: float | None = None
        self._why = ""

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Let a request through, and learn from how it ends.

        Raises:
            ModelUnavailable: The endpoint fails, or did a moment ago.
        """
        began_s = self._monotonic()
        if self._shut_until_s is not None:
            if began_s < self._shut_until_s:
                why = f"{self._why}; it is asked again in {PAUSE_S:g} s"
                raise ModelUnavailable(self._model, why)
            # This one tries; whoever else comes goes by what it finds.
            self._shut_until_s = began_s + PAUSE_S
        try:
            yield
        except _Unusable as error:
            self._shut(str(error))
            raise ModelUnavailable(self._model, self._why) from None
        except BaseException:
            # A caller stopped waiting. After a while that is as much as no answer.
            if self._monotonic() - began_s >= self._patience_s:
                self._shut("no answer in time; see whether it is loading or busy")
            elif self._shut_until_s is not None:
                self._shut_until_s = self._monotonic()
            raise
        self._shut_until_s = None

    def _shut(self, why: str) -> None:
        self._why = why
        self._shut_until_s = self._monotonic() + PAUSE_S


class _Vector(BaseModel, frozen=True):
    """One vector of an answer; where an endpoint leaves `index` out, its place counts."""

    index: int | None = None
    embedding: list[float]


class _Answer(BaseModel, frozen=True):
    data: list[_Vector]


def _rows(body: bytes, count: int) -> Floats:
    """Return the vectors of an answer, float32 (count, dim), rows L2-normalised, in their order.

    Raises:
        _Unusable: The answer holds anything else.
    """
    try:
        vectors = _Answer.model_validate_json(body).data
    except ValidationError:
        raise _Unusable("its answer is no list of vectors; correct its address") from None
    by_index = {
        place if vector.index is None else vector.index: vector.embedding
        for place, vector in enumerate(vectors)
    }
    if len(vectors) != count or by_index.keys() != set(range(count)):
        raise _Unusable(f"it gave {len(vectors)} vectors for {count} texts; use another endpoint")
    if len({len(vector) for vector in by_index.values()}) != 1:
        raise _Unusable("its vectors differ in length; use another model")
    rows = np.array([by_index[place] for place in range(count)], np.float64)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise _Unusable("one of its vectors has no direction; use another model")
    unit: Floats = (rows / lengths).astype(np.float32)
    return unit


def _why(status: int) -> str:
    """Return what an HTTP status says about an endpoint, and what to do."""
    match status:
        case 401 | 403:
            meaning = "it refused the key; set the right one"
        case 404 | 405:
            meaning = "it knows no such address or model; correct them"
        case 429:
            meaning = "it is asked too often; wait, or raise its limit"
        case _ if 300 <= status < 400:
            meaning = "it redirects, which is not followed; set the address it leads to"
        case _ if status >= 500:
            meaning = "it failed; see its log"
        case _:
            meaning = "it did not take the request; see whether the model embeds"
    return f"HTTP {status}: {meaning}"
