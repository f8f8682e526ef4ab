"""A chat behind an address: asked as its vendor expects, sent nothing else, failing in words."""

import asyncio
import json
import logging
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pinyon.errors import BadModelOutput, ModelUnavailable
from pinyon.models.anthropic_chat import ANTHROPIC_URL, AnthropicChat
from pinyon.models.openai_chat import OPENAI_URL, OpenAIChat
from pinyon.ports.chat import Message
from pinyon.testing.chat_contract import GOOD, JSON, SAID, VERDICT, Verdict

pytest.importorskip("openai", reason="openai is not installed: pip install 'pinyon[openai]'")
anthropic = pytest.importorskip(
    "anthropic", reason="anthropic is not installed: pip install 'pinyon[anthropic]'"
)

pytestmark = pytest.mark.anyio

KEY = "sk-a-secret-key"
PRIVATE = "the bulbs only show white"
ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-env",
    "OPENAI_ADMIN_KEY": "sk-env",
    "OPENAI_ORG_ID": "org-env",
    "OPENAI_PROJECT_ID": "proj-env",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/env",
    "OPENAI_CUSTOM_HEADERS": "X-Env: env\nAuthorization: Bearer sk-env",
    "ANTHROPIC_API_KEY": "sk-env",
    "ANTHROPIC_AUTH_TOKEN": "sk-env",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9/env",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Env: env\nAuthorization: Bearer sk-env",
    "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
}
SENT = {
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
    "x-stainless-raw-response",
    "x-stainless-retry-count",
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.path, headers, body))
        status, more, answer = self.server.answers(len(self.server.asked))
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    """Answers as `answers` says, and keeps what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.released = threading.Event()
        self.serve(whole(JSON))

    def serve(self, *bodies, status=200, **headers):
        """Answer with these, the last of them for ever: bytes, or what becomes JSON."""
        began = len(self.asked)

        def answers(number):
            given = bodies[min(number - began, len(bodies)) - 1]
            content = given if isinstance(given, bytes) else json.dumps(given).encode()
            return status, {"Content-Type": "application/json", **headers}, content

        self.answers = answers

    def hang(self):
        def answers(number):
            self.released.wait(30)
            return 503, {}, b""

        self.answers = answers

    def handle_error(self, request, client_address):
        """Say nothing: many callers here go away before they are answered."""


def whole(text, *, is_cut=False):
    """Return an answer that either vendor's reader takes."""
    return {
        "choices": [
            {"message": {"content": text}, "finish_reason": "length" if is_cut else "stop"}
        ],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "max_tokens" if is_cut else "end_turn",
        "usage": {
            "prompt_tokens": 7,
            "completion_tokens": 3,
            "input_tokens": 7,
            "output_tokens": 3,
        },
    }


@pytest.fixture
def server():
    with Server() as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving
        serving.released.set()
        serving.shutdown()
        thread.join()


@pytest.fixture(params=[OpenAIChat, AnthropicChat])
def kind(request):
    return request.param


@pytest.fixture
def chat(server, kind):
    return kind("words", url=server.url + "/v1" * (kind is OpenAIChat), key=KEY, retries=0)


async def asked(chat, timeout_s=30.0):
    return await chat.complete(SAID, form=Verdict, max_tokens=500, timeout_s=timeout_s)


async def failure_of(chat, timeout_s=30.0):
    with pytest.raises(ModelUnavailable) as failed:
        await asked(chat, timeout_s)
    return str(failed.value)


async def test_openai_is_asked_as_it_expects(server):
    await asked(OpenAIChat("words", url=server.url + "/v1/", key=KEY))

    ((path, headers, body),) = server.asked
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body["messages"] == [{"role": one.role, "content": one.text} for one in SAID]
    assert body["model"] == "words"
    assert (body["max_tokens"], body["temperature"]) == (500, 0)
    held = body["response_format"]["json_schema"]
    assert (held["name"], held["strict"]) == ("Verdict", True)
    assert held["schema"]["additionalProperties"] is False


async def test_anthropic_is_asked_as_it_expects(server):
    await asked(AnthropicChat("words", url=server.url + "/", key=KEY))

    ((path, headers, body),) = server.asked
    assert path == "/v1/messages"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["anthropic-version"]
    assert (body["system"], body["max_tokens"]) == ("Judge.", 500)
    assert body["messages"] == [{"role": "user", "content": SAID[1].text}]
    assert body["output_config"]["format"]["type"] == "json_schema"


def test_without_an_address_it_is_the_vendors_own():
    assert OPENAI_URL == "https://api.openai.com/v1"
    assert ANTHROPIC_URL == "https://api.anthropic.com"


@pytest.mark.promise(
    "chat",
    "It is sent what it is asked and its key; nothing of this machine, or of its environment.",
)
async def test_nothing_of_this_machine_or_its_environment_is_sent(server, kind, monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    suffix = "/v1" * (kind is OpenAIChat)

    await asked(kind("words", url=server.url + suffix, key=KEY))
    await asked(kind("words", url=server.url + suffix))

    (_, with_key, _), (_, without, _) = server.asked
    assert set(with_key) - {"anthropic-version"} <= SENT
    assert with_key["authorization"] == f"Bearer {KEY}"
    assert set(with_key) - set(without) == {"authorization"}
    assert "env" not in json.dumps([with_key, without])


async def test_what_it_took_is_told(chat):
    completion = await asked(chat)

    assert (completion.tokens_in, completion.tokens_out, completion.calls) == (7, 3, 1)


async def test_an_endpoint_need_not_say_what_it_took(server, chat):
    server.serve({name: value for name, value in whole(JSON).items() if name != "usage"})

    completion = await asked(chat)

    assert (completion.value, completion.tokens_in, completion.tokens_out) == (VERDICT, 0, 0)


async def test_why_an_answer_cannot_be_read_is_told_to_the_model_with_what_it_said(server, chat):
    server.serve(whole('{"verdict": "perhaps"}'), whole(JSON))

    await asked(chat)

    said, why = server.asked[-1][2]["messages"][-2:]
    assert said == {"role": "assistant", "content": '{"verdict": "perhaps"}'}
    assert why["role"] == "user"
    assert "verdict: Input should be 'yes' or 'no'" in why["content"]
    assert "confidence: Field required" in why["content"]


async def test_an_answer_without_a_word_is_told_in_words(server, chat):
    server.serve(whole(""), whole(JSON))

    await asked(chat)

    assert server.asked[-1][2]["messages"][-2] == {"role": "assistant", "content": "(nothing)"}


@pytest.mark.parametrize("text", [JSON[:30], "I would say"])
async def test_an_answer_that_was_cut_is_told_to_be_shorter(server, chat, text):
    server.serve(whole(text, is_cut=True))

    with pytest.raises(BadModelOutput, match="it was cut"):
        await asked(chat)

    assert "shorter" in server.asked[-1][2]["messages"][-1]["content"]


async def test_a_failure_tells_what_it_took(server, chat):
    server.serve(whole("no"))

    with pytest.raises(BadModelOutput) as failed:
        await asked(chat)

    assert failed.value.tokens == 20


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "how much it can read"),
        (401, "PINYON_CHAT_KEY"),
        (403, "PINYON_CHAT_KEY"),
        (404, "PINYON_CHAT_URL"),
        (413, "how much it can read"),
        (422, "how much it can read"),
        (429, "wait"),
        (500, "its log"),
        (529, "its log"),
    ],
)
async def test_a_status_says_what_to_do(server, chat, status, advice):
    server.serve({"error": {"message": PRIVATE, "type": "x"}, "type": "error"}, status=status)

    said = await failure_of(chat)

    assert f"HTTP {status}" in said
    assert advice in said
    assert PRIVATE not in said


@pytest.mark.promise("chat", "It is asked at the address that was set; no redirect is followed.")
async def test_a_redirect_is_not_followed(server, chat):
    server.serve(b"", status=307, Location="/elsewhere")

    assert "redirects" in await failure_of(chat)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>the bulbs only show white</html>",
        b'{"choices": [',
        [],
        {"error": PRIVATE},
        {"choices": [], "content": None},
        {"choices": [{"message": None}], "content": [{"text": PRIVATE}]},
        {"choices": [{"message": {"content": 5}}], "content": [{"type": "text", "text": None}]},
    ],
)
async def test_what_is_no_answer_of_a_chat_is_told(server, chat, answer):
    server.serve(answer)

    said = await failure_of(chat)

    assert "nothing that chats answers there" in said
    assert PRIVATE not in said


@pytest.mark.promise("chat", "It is waited for no longer than was said.")
async def test_it_is_waited_for_no_longer_than_said(server, chat):
    server.hang()
    began_s = time.perf_counter()

    assert "no answer within 0.2 s" in await failure_of(chat, timeout_s=0.2)
    assert time.perf_counter() - began_s < 5


async def test_a_request_that_fails_for_the_moment_is_sent_again(server, kind):
    answers = iter([(503, b"{}"), (200, json.dumps(whole(JSON)).encode())])

    def busy(number):
        status, content = next(answers)
        return status, {"Content-Type": "application/json", "Retry-After": "0"}, content

    server.answers = busy
    chat = kind("words", url=server.url + "/v1" * (kind is OpenAIChat), retries=1)

    assert (await asked(chat)).value == VERDICT
    assert len(server.asked) == 2


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "localhost:11434/v1", "http://[/v1"])
async def test_where_nothing_listens_it_says_so(kind, url):
    said = await failure_of(kind("words", url=url, retries=0))

    assert "correct its address" in said


@pytest.mark.parametrize("key", ["sk-secret\nX-Other: 1", "sk-sécret"])
async def test_a_key_that_no_header_can_hold_is_told_and_not_shown(server, kind, key):
    said = await failure_of(kind("words", url=server.url, key=key))

    assert "copy it again" in said
    assert "sk-" not in said
    assert server.asked == []


async def test_without_its_sdk_it_says_what_to_install(chat, kind, monkeypatch):
    vendor = "openai" if kind is OpenAIChat else "anthropic"
    monkeypatch.setitem(sys.modules, vendor, None)

    assert f"pip install 'pinyon[{vendor}]'" in await failure_of(chat)


@pytest.mark.promise("chat", "Its key is shown nowhere.")
async def test_the_key_is_shown_nowhere(server, chat, caplog):
    caplog.set_level(logging.DEBUG)
    await asked(chat)
    server.serve({"error": {"message": KEY}}, status=401)

    assert KEY not in await failure_of(chat) + repr(chat) + caplog.text


async def test_what_others_say_through_the_same_sdk_is_logged_as_before(server, chat, caplog):
    caplog.set_level(logging.DEBUG)
    await asked(chat)
    async with anthropic.AsyncAnthropic(base_url=server.url, api_key="k") as client:
        said = [{"role": "user", "content": "somebody else's"}]
        await client.messages.create(model="m", max_tokens=5, messages=said)

    assert "somebody else's" in caplog.text
    assert PRIVATE not in caplog.text


def ways(server):
    """Return how each request asked for its form."""
    found = []
    for _, _, body in server.asked:
        held = body.get("response_format", body.get("output_config", body.get("tools")))
        found.append(held["type"] if isinstance(held, dict) and "type" in held else bool(held))
    return found


def refuse(server, *refused):
    """Refuse requests that hold one of these fields, and answer the others."""

    def answers(number):
        body = json.dumps(server.asked[-1][2])
        status = 400 if any(one in body for one in refused) else 200
        content = whole(JSON) if status == 200 else {"error": {"message": "unsupported"}}
        return status, {"Content-Type": "application/json"}, json.dumps(content).encode()

    server.answers = answers


async def test_an_endpoint_that_knows_no_schema_is_asked_for_an_object_from_then_on(server):
    refuse(server, "json_schema")
    chat = OpenAIChat("words", url=server.url)

    await asked(chat)
    await asked(chat)

    assert ways(server) == ["json_schema", "json_object", "json_object"]
    system, user = server.asked[-1][2]["messages"]
    assert system == {"role": "system", "content": SAID[0].text}
    assert user["content"].startswith(SAID[1].text)
    assert '"additionalProperties": false' in user["content"]


async def test_an_endpoint_that_knows_no_form_is_asked_in_words(server):
    refuse(server, "response_format")
    chat = OpenAIChat("words", url=server.url)

    await asked(chat)
    await asked(chat)

    assert ways(server) == ["json_schema", "json_object", False, False]


async def test_a_model_that_knows_no_format_is_given_a_tool(server):
    refuse(server, "output_config")
    call = {"type": "tool_use", "id": "t", "name": "Verdict", "input": GOOD}
    chat = AnthropicChat("words", url=server.url)
    answers = server.answers

    def calling(number):
        status, headers, content = answers(number)
        if status == 200:
            content = json.dumps({**whole("Here:"), "content": [call]}).encode()
        return status, headers, content

    server.answers = calling

    assert (await asked(chat)).value == VERDICT
    assert (await asked(chat)).value == VERDICT
    assert len(server.asked) == 3
    assert server.asked[-1][2]["tool_choice"] == {"type": "tool", "name": "Verdict"}


async def test_a_refusal_of_something_else_leaves_the_tightest_way_in_use(server, chat):
    server.serve({"error": {"message": "too long"}}, status=400)
    await failure_of(chat)
    server.serve(whole(JSON))
    before = len(server.asked)

    assert (await asked(chat)).value == VERDICT
    assert len(server.asked) == before + 1
    assert "json_schema" in json.dumps(server.asked[-1][2])


def test_it_may_be_asked_from_one_event_loop_after_another(chat):
    said = [Message("user", "Is it so?")]

    for _ in range(2):
        completion = asyncio.run(chat.complete(said, form=Verdict, max_tokens=500, timeout_s=30))
        assert completion.value == VERDICT
