"""MCP on standard input and output: one process, one client, one session."""

import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

NO_REQUEST = "this is no request as the protocol has it"
CHUNK_BYTES = 64 * 1024
PIPE_BYTES = 4 * 1024
"""A pipe that takes anything takes so much."""

ANSWERED_WITHIN_S = 10.0
"""How long, after the client has closed our input, what it asked before may take."""


async def serve_stdio(server: Server[Any], stdout: int) -> None:
    """Serve until the client closes our standard input, or the process is told to end.

    Args:
        server: What answers.
        stdout: Where the client listens, as `keep_stdout` gave it.
    """
    # Its messages may quote what was sent, and a client writes our stderr into a file.
    logging.getLogger("mcp").disabled = True
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_when_told, tasks.cancel_scope)
        # Who is gone hears no answer.
        with suppress(BrokenPipeError):
            await _serve(server, stdout)
        tasks.cancel_scope.cancel()


async def _serve(server: Server[Any], stdout: int) -> None:
    open_asks = _OpenAsks()
    # They are read from and written to as the SDK does it with files; no more is asked of them.
    spoken = _Spoken(stdout, open_asks)
    heard = _Heard(sys.stdin.fileno(), open_asks, spoken)
    files = cast("anyio.AsyncFile[str]", heard), cast("anyio.AsyncFile[str]", spoken)
    try:
        async with stdio_server(*files) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    except BaseExceptionGroup as group:
        gone, others = group.split(BrokenPipeError)
        if others is not None:
            raise others from None
        raise BrokenPipeError from gone


async def _end_when_told(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as told:
        async for _ in told:
            scope.cancel()
            return


class _OpenAsks:
    """Requests that came and were not answered yet."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._changed = anyio.Event()

    def came(self, line: bytes) -> None:
        """Note a message of the client."""
        match _message_in(line):
            case {"method": "notifications/cancelled", "params": {"requestId": asked}}:
                self._close(asked)
            case {"method": str(), "id": asked}:
                self._open.add(json.dumps(asked))

    def went(self, line: str) -> None:
        """Note a message of ours."""
        match _message_in(line):
            case {"id": asked, "result": _} | {"id": asked, "error": _}:
                self._close(asked)

    async def answered(self) -> None:
        """Wait until each is answered."""
        while self._open:
            await self._changed.wait()

    def _close(self, asked: object) -> None:
        self._open.discard(json.dumps(asked))
        self._changed.set()
        self._changed = anyio.Event()


def _message_in(line: str | bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _refusal_of(line: bytes) -> str:
    """Return what is said of a request that is none; "" where it is one, or nobody waits for it.

    The SDK passes over what it cannot read, and its client would wait for ever.
    """
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        match _message_in(line):
            case {"id": str() | int() as asked}:
                error = {"code": types.INVALID_REQUEST, "message": NO_REQUEST}
                return json.dumps({"jsonrpc": "2.0", "id": asked, "error": error}) + "\n"
    return ""


class _Heard:
    """The lines of a file descriptor, read so that waiting for one can be broken off.

    The SDK's own reader waits in a thread that nothing can end but the client. This one also ends
    only when what was asked is answered: whoever pipes requests in and closes hears of them.
    """

    def __init__(self, source: int, open_asks: _OpenAsks, spoken: "_Spoken") -> None:
        self._source, self._open_asks, self._spoken = source, open_asks, spoken

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield each line; a request that is none is refused here."""
        async for line in self._lines():
            if refusal := _refusal_of(line):
                await self._spoken.write(refusal)
            elif line.strip():
                self._open_asks.came(line)
                yield line.decode("utf-8", "replace")
        with anyio.move_on_after(ANSWERED_WITHIN_S):
            await self._open_asks.answered()

    async def _lines(self) -> AsyncIterator[bytes]:
        parts: list[bytes] = []
        while chunk := await self._read():
            *whole, begun = chunk.split(b"\n")
            for line in whole:
                yield b"".join([*parts, line])
                parts = []
            parts.append(begun)
        yield b"".join(parts)

    async def _read(self) -> bytes:
        if sys.platform == "win32":
            return await anyio.to_thread.run_sync(os.read, self._source, CHUNK_BYTES)
        with suppress(PermissionError):  # of a plain file, which is always ready
            await anyio.wait_readable(self._source)
        return os.read(self._source, CHUNK_BYTES)


class _Spoken:
    """What the client hears; no more is written at a time than a pipe takes without waiting."""

    def __init__(self, target: int, open_asks: _OpenAsks) -> None:
        self._target, self._open_asks = target, open_asks
        self._writing = anyio.Lock()

    async def write(self, line: str) -> None:
        """Write a line, whole, before another one."""
        rest = line.encode("utf-8")
        async with self._writing:
            while rest:
                written = await self._write(rest[:PIPE_BYTES])
                rest = rest[written:]
        self._open_asks.went(line)

    async def flush(self) -> None:
        """Do nothing: a line is with the client when `write` returns."""

    async def _write(self, part: bytes) -> int:
        if sys.platform == "win32":
            return await anyio.to_thread.run_sync(os.write, self._target, part)
        with suppress(PermissionError):  # as above
            await anyio.wait_writable(self._target)
        return os.write(self._target, part)
