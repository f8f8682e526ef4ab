"""What watches the operations of a client from outside: counters, spans, whatever counts or tells.

A watch is told which operation was called, how it ended and what it answered. It may count all of
that; a text, a question, a tenant or a user must never become a label, an attribute or a line.
"""

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from pinyon.errors import PinyonError

P = ParamSpec("P")
T = TypeVar("T")

TOLD = ("given", "quality")
"""What of a call's arguments a watch is told, where they are given: nothing that anybody says."""

OK = "ok"
CANCELLED = "cancelled"


@dataclass(slots=True)
class Call:
    """One call of an operation; its answer is there once it has been given.

    Attributes:
        operation: One of `pinyon.ports.client.OPERATIONS`, by name.
        told: Of its arguments, those of `TOLD` that were given, unchecked.
        streams: It answers bit by bit, and what runs between two bits is not its own.
        answer: What it answered; `None` as long as it has not, and where it streams.
    """

    operation: str
    told: Mapping[str, object]
    streams: bool = False
    answer: object = None


class Watch(Protocol):
    """Surrounds each call of an operation. What it does costs each call time."""

    def around(self, call: Call) -> AbstractContextManager[None]:
        """Return what surrounds a call: an error passes through it, and is never held back."""


class NoWatch:
    """Watches nothing."""

    _nothing = nullcontext()

    def around(self, call: Call) -> AbstractContextManager[None]:
        """See the port."""
        return self._nothing


NO_WATCH = NoWatch()


@dataclass(frozen=True, slots=True)
class Watches:
    """Several watches as one; the first is the outermost."""

    watches: tuple[Watch, ...]

    @contextmanager
    def around(self, call: Call) -> Iterator[None]:
        """See the port."""
        with ExitStack() as stack:
            for watch in self.watches:
                stack.enter_context(watch.around(call))
            yield


def joined(*watches: Watch) -> Watch:
    """Return one watch that does what all of them do."""
    real = tuple(watch for watch in watches if watch is not NO_WATCH)
    match real:
        case ():
            return NO_WATCH
        case (only,):
            return only
        case _:
            return Watches(real)


def outcome_of(error: BaseException | None) -> str:
    """Return how a call ended, in one of few words: `ok`, the code of its error, or `cancelled`.

    What is no error of ours is a bug, `internal`; what is no error at all ends a call from outside.
    """
    match error:
        case None:
            return OK
        case PinyonError():
            return error.code
        case Exception():
            return PinyonError.code
        case _:
            return CANCELLED


class Watched(Protocol):
    """What has operations, and somebody who watches them."""

    _watch: Watch


W = TypeVar("W", bound=Watched)


def watched(
    operation: Callable[Concatenate[W, P], Awaitable[T]],
) -> Callable[Concatenate[W, P], Coroutine[Any, Any, T]]:
    """Let the watch of a client surround one of its operations."""
    name = operation.__name__

    @wraps(operation)
    async def surrounded(self: W, /, *args: P.args, **kwargs: P.kwargs) -> T:
        call = Call(name, _told(kwargs))
        with self._watch.around(call):
            answer = await operation(self, *args, **kwargs)
            call.answer = answer
        return answer

    return surrounded


def watched_stream(
    operation: Callable[Concatenate[W, P], AsyncIterator[T]],
) -> Callable[Concatenate[W, P], AsyncIterator[T]]:
    """Let the watch of a client surround an operation that answers bit by bit."""
    name = operation.__name__

    @wraps(operation)
    async def surrounded(self: W, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        with self._watch.around(Call(name, _told(kwargs), streams=True)):
            async for bit in operation(self, *args, **kwargs):
                yield bit

    return surrounded


def _told(arguments: Mapping[str, object]) -> Mapping[str, object]:
    return {name: arguments[name] for name in TOLD if name in arguments}
