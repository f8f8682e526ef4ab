"""An embeddings endpoint, by a real server: what it promises, and what comes of every failure."""

import asyncio
import hashlib
import json
import logging
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio
import anyio.to_thread
import numpy as np
import pytest

from pinyon.errors import ModelUnavailable
from pinyon.models import endpoint as endpoint_module
from pinyon.models.endpoint import BATCH, PAUSE_S, TEXT_CHARS_MAX, EndpointEmbedder
from pinyon.models.pairs import PAIRS
from pinyon.testing.model_contract import EmbedderContract

pytest.importorskip("httpx2", reason="httpx2 is not installed: pip install 'pinyon[endpoint]'")

pytestmark = pytest.mark.anyio

KEY = "sk-a-secret-key"
TEXT = "the bulbs only show white"
DIM = 64


def vector_of(text, dim=DIM):
    """Return a vector of words hashed to places; it is longer than 1."""
    vector = np.full(dim, 0.1)
    for word in text.lower().split():
        vector[int.from_bytes(hashlib.blake2b(word.encode(), digest_size=2).digest()) % dim] += 1
    return vector


def listed(texts, dim=DIM):
    """Return an answer as the endpoint gives it, last text first."""
    items = [
        {"object": "embedding", "index": place, "embedding": vector_of(text, dim).tolist()}
        for place, text in enumerate(texts)
    ]
    return {"object": "list", "data": items[::-1], "model": "m"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        status, headers, answer = self.server.answers(body["input"])
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    """Answers as `answers` says, and keeps what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.hanging, self.released = threading.Event(), threading.Event()
        self.serve_well()

    def serve_well(self, dim=DIM):
        self.serve(lambda texts: listed(texts, dim))

    def serve(self, answer, status=200, **headers):
        """Answer with what a function makes of the texts: bytes, or what becomes JSON."""

        def answers(texts):
            given = answer(texts)
            return (
                status,
                headers,
                given if isinstance(given, bytes) else json.dumps(given).encode(),
            )

        self.answers = answers

    def hang(self):
        def answers(texts):
            self.hanging.set()
            self.released.wait(30)
            return 503, {}, b""

        self.answers = answers

    def handle_error(self, request, client_address):
        """Say nothing: many callers here go away before they are answered."""


@pytest.fixture
def server():
    with Server() as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving
        serving.released.set()
        serving.shutdown()
        thread.join()


class Ticking:
    """Tells the seconds that a test sets."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def ticking():
    return Ticking()


@pytest.fixture
def embedder(server, ticking):
    return EndpointEmbedder(server.url, "words", KEY, monotonic=ticking)


@pytest.fixture
async def known(embedder):
    """Return an embedder that was asked before."""
    await embedder.embed(["a hub"])
    return embedder


async def failure_of(embedder, texts=(TEXT,)):
    with pytest.raises(ModelUnavailable) as failed:
        await embedder.embed(list(texts))
    return str(failed.value)


class TestEndpoint(EmbedderContract):
    @pytest.fixture
    async def embedder(self, known):
        return known


async def test_vectors_stand_for_their_texts_whatever_the_order_of_the_answer(embedder):
    texts = ["white bulbs", "a dog named Pickle"]

    embedded = await embedder.embed(texts)

    for text, one in zip(texts, embedded, strict=True):
        expected = vector_of(text) / np.linalg.norm(vector_of(text))
        assert np.frombuffer(one.dense, np.float32) == pytest.approx(expected, abs=1e-6)


async def test_a_place_counts_where_an_index_is_left_out(server, embedder):
    def without_index(texts):
        return {"data": [{"embedding": vector_of(text).tolist()} for text in texts]}

    expected = await embedder.embed(["white bulbs", "a dog"])
    server.serve(without_index)

    assert await embedder.embed(["white bulbs", "a dog"]) == expected


async def test_the_endpoint_is_asked_as_it_expects(server, known):
    await known.embed_question("which hub?")

    path, headers, body = server.asked[-1]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "words", "input": ["which hub?"], "encoding_format": "float"}


async def test_without_a_key_none_is_sent(server):
    await EndpointEmbedder(server.url + "/", "words").embed([TEXT])

    path, headers, _ = server.asked[-1]
    assert path == "/v1/embeddings"
    assert "Authorization" not in headers


async def test_texts_go_in_batches_after_the_pairs_that_calibrate(server, embedder):
    await embedder.embed([f"text {number}" for number in range(2 * BATCH + 1)])

    sizes = [len(body["input"]) for _, _, body in server.asked]
    assert sizes == [2 * len(PAIRS), BATCH, BATCH, 1]


async def test_it_is_calibrated_once(server, known):
    before = len(server.asked)
    await known.embed([TEXT])

    assert len(server.asked) == before + 1


async def test_a_long_text_is_cut(server, known):
    await known.embed(["long " * TEXT_CHARS_MAX])

    (sent,) = server.asked[-1][2]["input"]
    assert len(sent) == TEXT_CHARS_MAX


async def test_nothing_is_asked_for_nothing(server, embedder):
    assert await embedder.embed([]) == []
    assert server.asked == []


@pytest.mark.parametrize(
    "what",
    [lambda one: one.fingerprint, lambda one: one.dim, lambda one: one.calibration_of("a hub")],
)
async def test_before_it_was_asked_nothing_is_known_of_a_model(embedder, what):
    with pytest.raises(ModelUnavailable, match="not asked yet"):
        what(embedder)


async def test_the_fingerprint_names_model_and_dimension(server, known):
    other_model = EndpointEmbedder(server.url, "other")
    other_place = EndpointEmbedder(server.url + "/v2", "words")
    other_key = EndpointEmbedder(server.url, "words", "another key")
    for embedder in (other_model, other_place, other_key):
        await embedder.embed([TEXT])

    assert known.fingerprint.startswith(f"words-{DIM}@")
    assert other_key.fingerprint == known.fingerprint
    assert len({known.fingerprint, other_model.fingerprint, other_place.fingerprint}) == 3


async def test_what_is_asked_about_lies_nearer_than_the_rest(known):
    question = await known.embed_question("which bulbs show white")
    texts = await known.embed([TEXT, "Sarah works from home on Mondays"])

    vector = np.frombuffer(question.dense, np.float32)
    near, far = (float(np.frombuffer(text.dense, np.float32) @ vector) for text in texts)
    assert near > far
    calibration = known.calibration_of("which bulbs show white")
    assert calibration.relevance(near) > calibration.floor


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "whether the model embeds"),
        (401, "the right one"),
        (404, "correct them"),
        (429, "wait"),
        (500, "its log"),
        (503, "its log"),
        (204, "whether the model embeds"),
    ],
)
async def test_a_status_says_what_to_do(server, known, status, advice):
    server.serve(lambda _: b"" if status == 204 else b"a body with " + TEXT.encode(), status)

    said = await failure_of(known)

    assert f"HTTP {status}" in said
    assert advice in said
    assert TEXT not in said


async def test_a_redirect_is_not_followed(server, known):
    server.serve(lambda _: b"", 307, Location="/elsewhere")
    before = len(server.asked)

    assert "redirects" in await failure_of(known)
    assert [path for path, _, _ in server.asked[before:]] == ["/v1/embeddings"]


def item(embedding, **more):
    return {"embedding": embedding, **more}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "no list of vectors"),
        (b"<html>the bulbs only show white</html>", "no list of vectors"),
        (b'{"data": [', "no list of vectors"),
        ([], "no list of vectors"),
        ({"error": "the bulbs only show white"}, "no list of vectors"),
        ({"data": [item(None)] * 2}, "no list of vectors"),
        ({"data": [item("AACAPw==")] * 2}, "no list of vectors"),
        ({"data": [item([float("nan")] * DIM)] * 2}, "no direction"),
        ({"data": []}, "0 vectors for 2 texts"),
        ({"data": [item([1.0] * DIM)]}, "1 vectors for 2 texts"),
        ({"data": [item([1.0] * DIM)] * 3}, "3 vectors for 2 texts"),
        ({"data": [item([1.0] * DIM, index=1)] * 2}, "2 vectors for 2 texts"),
        ({"data": [item([1.0] * DIM, index=place) for place in (0, 2)]}, "2 vectors for 2 texts"),
        ({"data": [item([1.0] * DIM), item([1.0])]}, "differ in length"),
        ({"data": [item([])] * 2}, "no direction"),
        ({"data": [item([1.0] * DIM), item([0.0] * DIM)]}, "no direction"),
        ({"data": [item([1e300] * DIM)] * 2}, "no direction"),
        ({"data": [item([1.0] * 8)] * 2}, f"8 numbers now and had {DIM}"),
    ],
)
async def test_an_answer_that_is_none_is_refused(server, known, answer, why):
    server.serve(lambda _: answer)

    said = await failure_of(known, [TEXT, "a hub"])

    assert why in said
    assert TEXT not in said


async def test_an_answer_without_end_is_refused(server, known, monkeypatch):
    monkeypatch.setattr(endpoint_module, "ANSWER_BYTES_MAX", 100_000)
    server.serve(lambda _: b" " * 2_000_000)

    assert "too large" in await failure_of(known)


async def test_an_endpoint_that_hangs_is_waited_for_no_longer_than_said(server, ticking):
    server.hang()
    hanging = EndpointEmbedder(server.url, "words", timeout_s=0.05, monotonic=ticking)
    began_s = time.perf_counter()

    said = await failure_of(hanging)

    assert "no answer within 0.2 s" in said  # 32 texts: four times as long
    assert time.perf_counter() - began_s < 5


async def test_where_nothing_listens_it_says_so():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # nobody else's either, as long as it is held
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"

        assert "ConnectError" in await failure_of(EndpointEmbedder(url, "words"))


@pytest.mark.parametrize("url", ["", "localhost:11434/v1", "ftp://localhost/v1", "http://[/v1"])
async def test_an_address_that_is_none_is_told(url):
    assert "correct its address" in await failure_of(EndpointEmbedder(url, "words"))


@pytest.mark.parametrize("key", ["sk-secret\nX-Other: 1", "sk-sécret"])
async def test_a_key_that_no_header_can_hold_is_told_and_not_shown(server, key):
    said = await failure_of(EndpointEmbedder(server.url, "words", key))

    assert "copy it again" in said
    assert "sk-" not in said
    assert server.asked == []


async def test_the_key_is_shown_nowhere(server, known, caplog):
    caplog.set_level(logging.DEBUG)
    await known.embed([TEXT])
    server.serve(lambda _: KEY.encode(), 401)

    said = await failure_of(known)

    assert KEY not in said + repr(known) + caplog.text
    assert TEXT not in caplog.text


async def test_no_proxy_of_the_environment_is_used(server, known, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert len(await known.embed([TEXT])) == 1


async def test_without_its_library_it_says_what_to_install(embedder, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)

    assert "pip install 'pinyon[endpoint]'" in await failure_of(embedder)


async def test_after_a_failure_nothing_is_asked_for_a_while(server, known, ticking):
    server.serve(lambda _: b"", 500)
    await failure_of(known)
    server.serve_well()
    before = len(server.asked)

    ticking.now_s += PAUSE_S - 0.1
    said = await failure_of(known)

    assert "HTTP 500" in said
    assert "asked again in 5 s" in said
    assert len(server.asked) == before


async def test_after_the_pause_an_endpoint_that_recovered_is_used_again(server, known, ticking):
    server.serve(lambda _: b"", 500)
    await failure_of(known)
    server.serve_well()
    ticking.now_s += PAUSE_S

    assert len(await known.embed([TEXT])) == 1
    assert len(await known.embed([TEXT])) == 1


async def test_after_the_pause_one_tries_and_the_others_go_by_it(server, known, ticking):
    server.serve(lambda _: b"", 500)
    await failure_of(known)
    before = len(server.asked)
    ticking.now_s += PAUSE_S

    said = await asyncio.gather(*(failure_of(known) for _ in range(5)))

    assert len(server.asked) == before + 1
    assert all("HTTP 500" in one for one in said)


async def give_up(embedder, server, ticking, after_s):
    """Stop waiting for an endpoint that hangs, after so many of the seconds that are told."""
    server.hang()
    async with anyio.create_task_group() as group:
        group.start_soon(embedder.embed, [TEXT])
        await anyio.to_thread.run_sync(server.hanging.wait, 30)
        ticking.now_s += after_s
        group.cancel_scope.cancel()


async def test_callers_who_give_up_after_long_are_a_failure(server, known, ticking):
    await give_up(known, server, ticking, after_s=1.9)
    server.serve_well()

    assert "no answer in time" in await failure_of(known)


async def test_a_caller_who_gives_up_at_once_is_none(server, known, ticking):
    await give_up(known, server, ticking, after_s=0.1)
    server.serve_well()

    assert len(await known.embed([TEXT])) == 1


async def test_a_trial_that_is_given_up_leaves_the_next_one_to_try(server, known, ticking):
    server.serve(lambda _: b"", 500)
    await failure_of(known)
    ticking.now_s += PAUSE_S
    await give_up(known, server, ticking, after_s=0.1)
    server.serve_well()

    assert len(await known.embed([TEXT])) == 1


def test_it_may_be_asked_from_one_event_loop_after_another(server):
    embedder = EndpointEmbedder(server.url, "words")

    first, second = (asyncio.run(embedder.embed([TEXT])) for _ in range(2))

    assert first == second


def test_it_may_be_asked_from_two_event_loops_at_once(server):
    embedder = EndpointEmbedder(server.url, "words")
    found = []

    def ask():
        found.append(asyncio.run(embedder.embed([TEXT, "a hub"])))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 4
    assert all(one == found[0] for one in found)
