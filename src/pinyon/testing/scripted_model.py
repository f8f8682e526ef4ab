"""A model that says what a script tells it, over real HTTP, for tests of agents.

It speaks the two protocols that agents speak, OpenAI's chat completions and Anthropic's messages,
whole or in a stream, so that a vendor's own SDK takes it for the vendor. A conversation that the
vendor would refuse it refuses too: a tool's result without its call, or a call without its result.
It holds no conversation between two requests: each brings the whole of it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Self

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model wants called."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says: words, tools to call, or both."""

    text: str = ""
    calls: Sequence[Call] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the model was sent, as it came; `seen` is all of its words in one text."""

    path: str
    body: Body

    @property
    def seen(self) -> str:
        """All that the model can read of what was said, tools included."""
        parts = [self.body.get("system", ""), *self.body["messages"], self.body.get("tools", "")]
        return "\n".join(json.dumps(part, ensure_ascii=False) for part in parts if part)


Script = Callable[[Asked], Reply]


class ScriptedModel:
    """A server on this machine; `with` starts and stops it.

    Attributes:
        asked: Every request that it answered, in order.
    """

    def __init__(self, script: Script | Iterable[Reply | str]) -> None:
        """Take what it says: a function of what it is sent, or replies, one after the other."""
        self.asked: list[Asked] = []
        self._script = script if callable(script) else _in_order(script)
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where it is: the `base_url` of Anthropic's SDK; of OpenAI's it ends in `/v1`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> tuple[Reply, int]:
        """Return what it says, and the number of the answer."""
        with self._lock:
            self.asked.append(asked)
            return self._script(asked), len(self.asked)


class Unfit(Exception):
    """A request that the vendor would refuse, and why; `details` are for its SDK."""

    def __init__(self, why: str, **details: object) -> None:
        self.details = details
        super().__init__(why)


def _in_order(replies: Iterable[Reply | str]) -> Script:
    left = iter(replies)

    def say(asked: Asked) -> Reply:
        reply = next(left, None)
        if reply is None:
            raise Unfit("the script has no more replies")
        return Reply(reply) if isinstance(reply, str) else reply

    return say


def _told(error: Exception) -> Body:
    unfit = error if isinstance(error, Unfit) else Unfit(f"the script failed: {error!r}")
    told = {"message": str(unfit), "details": unfit.details}
    return {"type": "error", "error": {"type": "invalid_request_error", **told}}


def _handler_of(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # an answer goes out in two pieces, which it would hold up

        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            speak = _PROTOCOLS.get(path)
            if speak is None:
                self._send(404, {"error": {"type": "not_found_error", "message": path}})
                return
            check, whole, streamed = speak
            try:
                check(body)
                reply, number = model.answer(Asked(path, body))
            except Exception as error:  # noqa: BLE001 - a script may fail in any way; it is told so
                self._send(400, _told(error))
                return
            if body.get("stream"):
                self._send_events(streamed(reply, number, body))
            else:
                self._send(200, whole(reply, number, body))

        def _send(self, status: int, answer: Body) -> None:
            self._send_bytes(status, "application/json", json.dumps(answer).encode())

        def _send_events(self, events: Iterable[str]) -> None:
            self._send_bytes(200, "text/event-stream", "".join(events).encode())

        def _send_bytes(self, status: int, content_type: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: what a test prints is its own."""

    return Handler


# ── OpenAI's chat completions ────────────────────────────────────────────────────────────────


def _check_openai(body: Body) -> None:
    """See that every tool call is followed by its results, and every result follows its call."""
    owed: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in owed:
                raise Unfit("messages with role 'tool' must follow a message with 'tool_calls'")
            owed.discard(message["tool_call_id"])
            continue
        if owed:
            raise Unfit(f"an assistant message with 'tool_calls' lacks a result for {min(owed)}")
        owed = {call["id"] for call in message.get("tool_calls") or ()}
    if owed:
        raise Unfit(f"an assistant message with 'tool_calls' lacks a result for {min(owed)}")


def _openai_message(reply: Reply, number: int) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for place, call in enumerate(reply.calls)
        ]
    return message


def _openai(reply: Reply, number: int, body: Body) -> Body:
    choice = {
        "index": 0,
        "message": _openai_message(reply, number),
        "finish_reason": "tool_calls" if reply.calls else "stop",
        "logprobs": None,
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {**_openai_head(number, body, "chat.completion"), "choices": [choice], "usage": usage}


def _openai_events(reply: Reply, number: int, body: Body) -> Iterator[str]:
    message = _openai_message(reply, number)
    calls = message.pop("tool_calls", ())
    pieces: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
    pieces += [{"content": piece} for piece in _pieces(reply.text)]
    for place, call in enumerate(calls if isinstance(calls, list) else ()):
        pieces.append({"tool_calls": [{"index": place, **call}]})
    head = _openai_head(number, body, "chat.completion.chunk")
    for piece in pieces:
        choice = {"index": 0, "delta": piece, "finish_reason": None}
        yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if reply.calls else "stop"}
    yield f"data: {json.dumps({**head, 'choices': [end]})}\n\ndata: [DONE]\n\n"


def _openai_head(number: int, body: Body, what: str) -> dict[str, object]:
    return {"id": f"chatcmpl-{number}", "object": what, "created": 0, "model": body["model"]}


# ── Anthropic's messages ─────────────────────────────────────────────────────────────────────


def _check_anthropic(body: Body) -> None:
    """See that the message behind a tool's use brings its results, and no message others."""
    if body.get("thread"):
        code = "thread_unsupported_request"
        raise Unfit("no conversation is held here", error_code=code, unsupported=["thread"])
    owed: set[str] = set()
    if body["messages"][0]["role"] != "user":
        raise Unfit("messages: the first message must use the 'user' role")
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        given = {b["tool_use_id"] for b in blocks if b["type"] == "tool_result"}
        if given - owed:
            raise Unfit(f"messages: unexpected 'tool_use_id' {min(given - owed)} in 'tool_result'")
        if owed - given:
            raise Unfit(f"messages: 'tool_use' {min(owed - given)} has no 'tool_result' behind it")
        owed = {b["id"] for b in blocks if b["type"] == "tool_use"}
        if (owed or given) and not body.get("tools"):
            raise Unfit("messages with 'tool_use' or 'tool_result' blocks must define tools")
    if owed:
        raise Unfit(f"messages: 'tool_use' {min(owed)} has no 'tool_result' behind it")


def _anthropic_blocks(reply: Reply, number: int) -> list[dict[str, object]]:
    blocks: list[dict[str, object]] = []
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for place, call in enumerate(reply.calls):
        use = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": call.name}
        blocks.append({**use, "input": dict(call.arguments)})
    return blocks


def _anthropic(reply: Reply, number: int, body: Body) -> dict[str, object]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": _anthropic_blocks(reply, number),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _anthropic_events(reply: Reply, number: int, body: Body) -> Iterator[str]:
    whole = _anthropic(reply, number, body)
    begun = {**whole, "content": [], "stop_reason": None}
    yield _event("message_start", message=begun)
    for index, block in enumerate(_anthropic_blocks(reply, number)):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield _event("content_block_start", index=index, content_block=empty)
        for piece in _pieces(str(block["text"]) if is_text else json.dumps(block["input"])):
            delta = (
                {"type": "text_delta", "text": piece}
                if is_text
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": 1})
    yield _event("message_stop")


def _event(name: str, **fields: object) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n"


def _pieces(text: str) -> list[str]:
    """Return a text in the pieces in which a stream brings it."""
    return [text[start : start + 16] for start in range(0, len(text), 16)]


_PROTOCOLS = {
    "/v1/chat/completions": (_check_openai, _openai, _openai_events),
    "/v1/messages": (_check_anthropic, _anthropic, _anthropic_events),
}
