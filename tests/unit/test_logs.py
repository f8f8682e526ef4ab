"""The log of a server: one line a request, and not a word of what anybody wrote or asked."""

import io
import json
import logging
from contextlib import contextmanager

import pytest

import pinyon
from pinyon.domain.policy import Policies, Policy
from pinyon.errors import PinyonError
from pinyon.observing.logs import SILENT, TAKEN, Request, log_crash, log_request, set_up
from pinyon.write.gate import Gate

pytestmark = pytest.mark.anyio

CANARY = "xyzzycanary"
REQUEST = Request(
    operation="recall",
    method="POST",
    route="/v1/memory/search",
    status=200,
    code="",
    took_ms=3.14159,
    request_id="req_1",
    key_id="key_1",
)


@contextmanager
def as_it_was():
    """Put back every logger that a set-up takes over."""
    loggers = [logging.getLogger(name) for name in ("", "pinyon", *TAKEN, *SILENT)]
    before = [(one.handlers[:], one.level, one.propagate, one.disabled) for one in loggers]
    try:
        yield
    finally:
        for one, (handlers, level, propagate, disabled) in zip(loggers, before, strict=True):
            one.handlers, one.propagate, one.disabled = handlers, propagate, disabled
            one.setLevel(level)


@pytest.fixture
def stream():
    with as_it_was():
        written = io.StringIO()
        set_up(as_json=True, stream=written)
        yield written


def lines(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_request_is_one_line(stream):
    log_request(REQUEST)

    (line,) = lines(stream)
    assert line.pop("at").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "pinyon.request",
        "operation": "recall",
        "method": "POST",
        "route": "/v1/memory/search",
        "status": 200,
        "took_ms": 3.1,
        "request_id": "req_1",
        "key_id": "key_1",
    }


@pytest.mark.parametrize(
    ("status", "code", "level"),
    [
        (404, "not_found", "info"),
        (503, "store_busy", "warning"),
        (500, "internal", "error"),
        (500, "", "error"),
    ],
)
def test_how_loud_a_request_is_depends_on_whose_fault_it_was(stream, status, code, level):
    log_request(
        Request(
            operation="",
            method="GET",
            route="/v1/memory/{id}",
            status=status,
            code=code,
            took_ms=1,
            request_id="r",
            key_id="",
        )
    )

    assert lines(stream)[0]["level"] == level


def test_a_person_reads_a_line_without_json():
    with as_it_was():
        stream = io.StringIO()
        set_up(as_json=False, stream=stream)
        log_request(REQUEST)

    said = stream.getvalue()
    assert "/v1/memory/search" in said
    assert "{" not in said
    assert "\x1b" not in said


@pytest.mark.promise(
    "isolation",
    "No metric, span or log line holds a text, a question, a tenant or a user.",
)
async def test_nothing_that_was_written_asked_or_refused_is_in_any_line(stream, client_of):
    logging.getLogger("pinyon").setLevel(logging.DEBUG)
    client = client_of(f"user{CANARY}", tenant=f"tenant{CANARY}")
    strict = client_of(gate=Gate(Policies(Policy().but({"credit_card": "refuse"}))))

    written = await client.remember(f"the {CANARY} sings")
    await client.recall(f"does the {CANARY} sing?")
    for act in (
        lambda: strict.remember(f"{CANARY} pays with 4111 1111 1111 1111"),
        lambda: client.recall("what?", quality=CANARY),
        lambda: client.edit(written.id, importance=CANARY),
    ):
        try:
            await act()
        except PinyonError as error:
            logging.getLogger("pinyon.request").exception("refused")
            log_crash(error, request_id="r")

    assert len(lines(stream)) == 6
    assert CANARY not in stream.getvalue()
    assert "pinyon.errors.Sensitive sensitive" in stream.getvalue()


def crash(secret):
    try:
        return {}[secret]
    except KeyError as error:
        raise RuntimeError(f"could not read {secret}") from error


def test_a_crash_says_where_it_was_and_not_what_it_held(stream):
    try:
        crash(CANARY)
    except RuntimeError as error:
        log_crash(error, request_id="req_1")
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")

    ours, uvicorns = lines(stream)
    assert (ours["event"], ours["request_id"]) == ("crashed", "req_1")
    assert uvicorns["event"] == "Exception in ASGI application"
    for line in (ours, uvicorns):
        assert line["raised"][0] == "builtins.RuntimeError"
        assert "builtins.KeyError" in line["raised"]
        assert any(part.strip().startswith("crash at ") for part in line["raised"])
    assert CANARY not in stream.getvalue()


@pytest.mark.parametrize("name", ["uvicorn.error", "asyncio", "opentelemetry.sdk"])
def test_what_a_known_library_logs_is_cut_down_to_what_is_fixed(stream, name):
    logging.getLogger(name).warning("it went wrong for %s", CANARY)
    logging.getLogger(name).error(f"it went wrong\nfuture: <Task {CANARY}>")
    logging.getLogger(name).info("GET %s", CANARY)

    assert [line["event"] for line in lines(stream)] == ["it went wrong for %s", "it went wrong"]
    assert CANARY not in stream.getvalue()


@pytest.mark.parametrize(
    ("said", "event"),
    [
        (OSError(98, "Address already in use"), "OSError: Address already in use"),
        (ValueError(CANARY), "ValueError"),
        (f"could not read {CANARY}", "a line of "),
        ({"event": CANARY}, "a line of "),
    ],
)
def test_what_anybody_else_logs_is_told_by_where_it_stands(stream, said, event):
    logging.getLogger("anything.else").error(said)

    (line,) = lines(stream)
    assert line["event"].startswith(event)
    assert line["logger"] == "anything.else"
    assert CANARY not in stream.getvalue()


def test_a_line_that_does_not_fit_together_is_lost_rather_than_printed(stream, capsys):
    record = logging.makeLogRecord({"name": "pinyon", "msg": "one %s and %s", "args": (CANARY,)})

    handler, *_ = logging.getLogger().handlers
    handler.handle(record)

    assert stream.getvalue() == ""
    assert CANARY not in capsys.readouterr().err


def test_uvicorns_own_lines_for_requests_are_off(stream):
    logging.getLogger("uvicorn.access").warning('%s - "%s"', "10.0.0.1", f"GET /{CANARY}")

    assert stream.getvalue() == ""


def test_a_program_that_sets_up_no_log_hears_nothing_of_the_library(capsys):
    assert pinyon.__name__ == "pinyon"
    handlers = logging.getLogger("pinyon").handlers

    assert any(isinstance(one, logging.NullHandler) for one in handlers)


def test_errors_without_a_traceback_and_errors_of_errors_are_told(stream):
    one, other = ValueError(CANARY), ValueError(CANARY)
    one.__cause__, other.__cause__ = other, one

    log_crash(one, request_id="r")

    assert lines(stream)[0]["raised"] == ["builtins.ValueError", "builtins.ValueError"]
