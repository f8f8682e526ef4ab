"""The log of a server: one line for each request, and nothing that anybody wrote or asked.

The library itself logs to the standard logger `pinyon`, which says nothing until a program sets it
up; only a server calls `set_up`. What others log is cut down to what is fixed in their code, and
an error to its class and to where it was raised: all else may quote a memory.

Needs the package structlog, which the extra `server` brings.
"""

import logging
import traceback
from collections.abc import Collection, Iterator, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, TextIO, TypeAlias

import structlog

from pinyon.errors import PinyonError

Said: TypeAlias = MutableMapping[str, Any]

OURS = "pinyon"
SILENT = ("uvicorn.access",)
"""Loggers that are switched off: a line of ours says the same without paths and addresses."""
TAKEN = ("uvicorn", "uvicorn.error", "uvicorn.asgi")
TRUSTED = ("uvicorn", "asyncio", "opentelemetry")
"""Whose messages are fixed texts, into which what is particular is only filled."""
FRAMES_MAX = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is logged of a request.

    Attributes:
        operation: Which operation of a client it asked for; "" for none.
        method: `GET`, `POST`, ...
        route: The template that its path fits, as `/v1/memory/{id}`; never the path.
        status: What it was answered with.
        code: The code of the error; "" where there was none.
        took_ms: How long it took.
        request_id: What the answer calls it, so that a user can name it.
        key_id: Which credential asked, by its public name; "" for none.
    """

    operation: str
    method: str
    route: str
    status: int
    code: str
    took_ms: float
    request_id: str
    key_id: str


def log_request(request: Request) -> None:
    """Write the line of a request: an error of ours as a warning, a bug as an error."""
    said = {name: value for name, value in asdict(request).items() if value != ""}
    said["took_ms"] = round(request.took_ms, 1)
    log = _logger(f"{OURS}.request")
    if request.status >= 500:
        level = logging.ERROR if request.code in ("", PinyonError.code) else logging.WARNING
        log.log(level, "request", **said)
    else:
        log.info("request", **said)


def log_crash(error: BaseException, *, request_id: str) -> None:
    """Write where a bug was raised while a request was answered, and not what it said."""
    exc_info = (type(error), error, error.__traceback__)
    _logger(f"{OURS}.request").error("crashed", request_id=request_id, exc_info=exc_info)


def set_up(*, as_json: bool, stream: TextIO) -> None:
    """Take over what this process logs; for a server, once, before it starts.

    Uvicorn must be told to leave logging alone (`log_config=None`).

    Args:
        as_json: One line of JSON for each, rather than one for a person.
        stream: Where to: a server's stderr.
    """
    handler = _Handler(stream)
    handler.setFormatter(
        _Formatter(
            foreign_pre_chain=[_say_what_was_raised, *_STAMPS],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False)
                if as_json
                else structlog.dev.ConsoleRenderer(colors=stream.isatty()),
            ],
            use_get_message=False,
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(logging.INFO)
    for name in TAKEN:
        taken = logging.getLogger(name)
        taken.handlers, taken.propagate = [], True
        taken.setLevel(logging.WARNING)
    for name in SILENT:
        logging.getLogger(name).disabled = True


@cache
def _logger(name: str) -> Any:
    """Return a logger of fields; structlog's settings of the whole program are left alone."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            _say_what_was_raised,
            *_STAMPS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


class _Handler(logging.StreamHandler[TextIO]):
    """Loses a line that cannot be written; the standard one would print all that was in it."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing."""


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Takes out of a line what it must not say, before anything looks at it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        quiet = logging.makeLogRecord(record.__dict__)
        if not (isinstance(record.msg, dict) and _is_of((OURS,), record)):
            quiet.msg, quiet.args = _said(record), ()
            quiet.raised = _raised_by(record.exc_info)
        quiet.exc_info = quiet.exc_text = quiet.stack_info = None
        return super().format(quiet)


def _said(record: logging.LogRecord) -> str:
    """Return what a line may say: all of ours, what is fixed in others', of the rest where."""
    if _is_of((OURS,), record):
        return record.getMessage()
    match record.msg:
        case str() as said if _is_of(TRUSTED, record):
            return said.split("\n", maxsplit=1)[0]
        case OSError() as error:
            return f"{type(error).__name__}: {error.strerror}"
        case BaseException() as error:
            return type(error).__name__
        case _:
            return f"a line of {_place(record.pathname)}:{record.lineno}"


def _is_of(names: Collection[str], record: logging.LogRecord) -> bool:
    return record.name.split(".", maxsplit=1)[0] in names


def _say_what_was_raised(_logger: object, _method: str, said: Said) -> Said:
    """Put the error of a record, or of a line of ours, among its fields."""
    exc_info = said.pop("exc_info", None)
    record = said.get("_record")
    raised = _raised_by(exc_info) if record is None else record.raised
    return {**said, "raised": raised} if raised else said


def _raised_by(exc_info: object) -> list[str]:
    match exc_info:
        case (_, BaseException() as error, _):
            return list(_raised(error))
        case _:
            return []


def _raised(error: BaseException) -> Iterator[str]:
    """Yield an error's class and its frames, the last call last, and then what it came from."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        kind = type(current)
        code = f" {current.code}" if isinstance(current, PinyonError) else ""
        yield f"{kind.__module__}.{kind.__qualname__}{code}"
        frames = traceback.extract_tb(current.__traceback__)[-FRAMES_MAX:]
        yield from (
            f"  {frame.name} at {_place(frame.filename)}:{frame.lineno}" for frame in frames
        )
        current = current.__cause__ or (
            None if current.__suppress_context__ else current.__context__
        )


def _place(path: str) -> str:
    """Return a source file as it is imported: the machine's folders are nobody's business."""
    for root in ("/site-packages/", "/src/", "/lib/"):
        _, found, rest = path.rpartition(root)
        if found:
            return rest
    return path.rpartition("/")[2]


_STAMPS: Sequence[Any] = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
)
