"""Asking a chat model through its vendor's own SDK, without what the SDK does unasked.

An SDK reads credentials, addresses and headers from the environment, tells its vendor about this
machine, writes what is said into spans and debug logs, and may follow a redirect. Here what is said
goes to the address that was set, with the key that was set, and into nothing else.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import anyio
import anyio.to_thread

from pinyon.errors import ModelUnavailable
from pinyon.models.connecting import trusted

if TYPE_CHECKING:
    import ssl

    import httpx2

Vendor = Literal["openai", "anthropic"]
A = TypeVar("A")
B = TypeVar("B")

_SENT = frozenset(
    "accept accept-encoding anthropic-version connection content-length content-type host "
    "user-agent transfer-encoding x-stainless-raw-response x-stainless-retry-count".split()
)
"""Headers that go out beside the key; an SDK reads the last two of them again. The others tell of
this machine, or come from its environment."""

_NO_SUCH_FORM = frozenset({400, 422})
"""How an endpoint says that it cannot hold a model to a form in that way."""

_is_asking: ContextVar[bool] = ContextVar("_is_asking", default=False)


@dataclass(frozen=True, slots=True)
class Line:
    """An SDK, and the connection that it is to use."""

    sdk: ModuleType
    http: "httpx2.AsyncClient"


class Asking:
    """Lends lines to one endpoint; each is closed when it is given back, in whatever event loop."""

    def __init__(self, vendor: Vendor, model: str, key: str) -> None:
        """Nothing is loaded yet.

        Args:
            vendor: Whose SDK it is.
            model: What the model is called in an error.
            key: What is sent as a bearer token, if anything.
        """
        self._vendor: Vendor = vendor
        self._model, self._key = model, key.strip()

    @asynccontextmanager
    async def line(self, timeout_s: float) -> AsyncIterator[Line]:
        """Lend a line.

        Raises:
            ModelUnavailable: The SDK is missing, or the endpoint fails, or takes longer than that.
        """
        if not self._key.isascii() or not self._key.isprintable():
            raise self._unavailable("its key has characters that cannot be sent; copy it again")
        sdk, tls = await self._loaded()
        import httpx2  # noqa: PLC0415 - only where a model is used

        client = httpx2.AsyncClient(
            verify=tls,
            timeout=None,
            trust_env=False,
            follow_redirects=False,
            event_hooks={"request": [self._strip]},
        )
        with self._told(sdk, timeout_s), anyio.fail_after(timeout_s), _silently():
            async with client as http:
                yield Line(sdk, http)

    async def _loaded(self) -> "tuple[ModuleType, ssl.SSLContext]":
        try:
            # Loading either takes longer than the loop may wait.
            sdk = await anyio.to_thread.run_sync(import_module, self._vendor)
            return sdk, await anyio.to_thread.run_sync(trusted)
        except ImportError:
            why = f"its SDK is not installed: pip install 'pinyon[{self._vendor}]'"
            raise self._unavailable(why) from None

    async def _strip(self, request: "httpx2.Request") -> None:
        for name in {name.lower() for name in request.headers} - _SENT:
            del request.headers[name]
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"

    @contextmanager
    def _told(self, sdk: ModuleType, timeout_s: float) -> Iterator[None]:
        """Tell what goes wrong in words of ours: what an SDK says may hold what was said."""
        try:
            yield
        except (TimeoutError, sdk.APITimeoutError):
            why = f"no answer within {timeout_s:g} s; see whether it is loading or busy"
            raise self._unavailable(why) from None
        except sdk.APIStatusError as error:
            raise self._unavailable(_why(error.status_code)) from None
        except (sdk.APIError, NoAnswer):
            why = "nothing that chats answers there; see whether it runs, and correct its address"
            raise self._unavailable(why) from None

    def _unavailable(self, why: str) -> ModelUnavailable:
        return ModelUnavailable(self._model, why)


class NoAnswer(Exception):
    """What came back is no answer of a chat model."""


class Holds(Generic[A]):
    """The ways in which an endpoint may hold a model to a form, tightest first.

    It is not known beforehand which of them an endpoint takes. The first one that it does not
    refuse is the one that it is asked in from then on.
    """

    def __init__(self, *ways: A) -> None:
        self._ways = ways
        self._place = 0

    async def tried(self, ask: Callable[[A], Awaitable[B]], refusal: type[Exception]) -> B:
        """Ask in one way after the other, until one is not refused."""
        for place in range(self._place, len(self._ways) - 1):
            try:
                answer = await ask(self._ways[place])
            except refusal as error:
                if getattr(error, "status_code", None) not in _NO_SUCH_FORM:
                    raise
            else:
                self._place = place
                return answer
        answer = await ask(self._ways[-1])
        self._place = len(self._ways) - 1
        return answer


@contextmanager
def _silently() -> Iterator[None]:
    """Keep an SDK from writing what is said into its debug log."""
    for name in ("openai._base_client", "anthropic._base_client"):
        log = logging.getLogger(name)
        log.addFilter(_is_said_by_others)  # the same filter again is the same filter
    token = _is_asking.set(True)
    try:
        yield
    finally:
        _is_asking.reset(token)


def _is_said_by_others(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG or not _is_asking.get()


def _why(status: int) -> str:
    """Return what an HTTP status says about an endpoint, and what to do."""
    match status:
        case 401 | 403:
            meaning = "it refused the key; set the right one in PINYON_CHAT_KEY"
        case 404 | 405:
            meaning = "it knows no such address or model; correct PINYON_CHAT and PINYON_CHAT_URL"
        case 429:
            meaning = "it is asked too often, or its quota is used up; wait, or raise its limit"
        case _ if 300 <= status < 400:
            meaning = "it redirects, which is not followed; set the address it leads to"
        case _ if status >= 500:
            meaning = "it failed; see its log"
        case _:
            meaning = "it did not take the request; see whether the model chats, and how much it"
            meaning += " can read"
    return f"HTTP {status}: {meaning}"
