"""A server as a process: how it begins and ends, and what comes over its sockets meanwhile."""

import json
import re
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from server.conftest import PATIENCE_S, command, environment, serving

KEY = re.compile(r"pyn_[0-9a-f]{32}_[0-9A-Za-z]{43}")
HASTY = "from pinyon.surfaces.rest import guards\nguards.BODY_WITHIN_S = 0.3"
LISTENING_ELSEWHERE = "0.0.0.0"  # noqa: S104 - it is what is to be refused
OVERHEARD = """
import sys
def hear(event, given):
    if event in ("socket.bind", "socket.connect", "socket.sendto", "socket.getaddrinfo"):
        print("HEARD", event, given[-1] if event != "socket.getaddrinfo" else given[:2],
              file=sys.stderr, flush=True)
sys.addaudithook(hear)
"""


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """Give one process for all that only asks."""
    with serving(tmp_path_factory.mktemp("standing") / "home", first=HASTY) as one:
        yield one


def run_to_its_end(home, *options, **given):
    done = subprocess.run(
        command(*options),
        env=environment(home, **given),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@contextmanager
def connection(server):
    at = urlsplit(server.url)
    with socket.create_connection((at.hostname, at.port), timeout=PATIENCE_S) as opened:
        yield opened


def request(server, method, path, body=b"", *lines, version="1.1"):
    """Return a request as it goes over the wire."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [
        f"{method} {path} HTTP/{version}",
        f"Host: {urlsplit(server.url).netloc}",
        f"Authorization: Bearer {server.key}",
        "Content-Type: application/json",
        f"Content-Length: {len(raw)}",
        *lines,
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + raw


def read_answer(reader):
    """Return status, headers and body of the next answer on a connection."""
    status = reader.readline()
    if not status:
        return None
    headers = {}
    while (line := reader.readline().strip()) != b"":
        name, _, value = line.partition(b":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers[b"content-length"])) if b"content-length" in headers else b""
    return int(status.split()[1]), headers, body


def said_to(server, raw):
    """Send bytes, and return the answer to them."""
    with connection(server) as opened:
        opened.sendall(raw)
        with opened.makefile("rb") as reader:
            return read_answer(reader)


def texts_of(server):
    listed = server.ask("GET", "/v1/memory", params={"limit": 1_000}).json()
    return [one["text"] for one in listed["memories"]]


def log_of(server):
    return (server.home.parent / "log").read_text("utf-8")


# ── how it begins ────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "The first key is shown once, by one process.")
def test_of_processes_that_begin_at_once_one_shows_the_first_key(tmp_path):
    home = tmp_path / "home"
    with ExitStack() as started:
        begun = [
            started.enter_context(
                subprocess.Popen(
                    command("--json"),
                    env=environment(home),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )
            for _ in range(2)
        ]
        for one in begun:
            started.callback(one.kill)
        said = [json.loads(one.stdout.readline()) for one in begun]
    with serving(home) as later:
        keys = [one["key"] for one in said if one["key"]]

        assert len(keys) == 1
        assert later.key is None
        assert {one["home"] for one in said} == {str(home)}
        headers = {"Authorization": f"Bearer {keys[0]}"}
        assert later.ask("GET", "/v1/me", headers=headers).json()["user"] == "sarah"


def test_a_person_is_told_where_it_is_and_the_key_to_it(tmp_path):
    process = subprocess.Popen(
        command(),
        env=environment(tmp_path / "home"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = []
    while not (said and "curl" in said[-1]):
        said.append(process.stdout.readline())
        assert said[-1], process.stderr.read()
    process.send_signal(signal.SIGINT)
    _, ended = process.communicate(timeout=PATIENCE_S)

    (url,) = re.findall(r"served at (http://127\.0\.0\.1:\d+)", "".join(said))
    assert KEY.search("".join(said))
    assert f"curl {url}/v1/memory/search" in said[-1]
    assert (process.returncode, "everything is written" in ended) == (0, True)


@pytest.mark.promise("server", "It listens beyond this machine only where somebody can be known.")
def test_others_can_reach_it_only_where_there_is_a_key(tmp_path):
    home = tmp_path / "home"
    refused = run_to_its_end(home, "--host", LISTENING_ELSEWHERE)
    with serving(home):
        pass
    with serving(home, "--host", LISTENING_ELSEWHERE) as reachable:
        status = reachable.ask("GET", "/healthz").status_code

    assert (refused[0], refused[1]) == (2, "")
    assert "pinyon keys create" in refused[2]
    assert (status, reachable.key) == (200, None)


def test_a_port_that_is_taken_is_told_with_what_to_do(standing, tmp_path):
    port = str(urlsplit(standing.url).port)
    code, said, why = run_to_its_end(tmp_path / "home", "--port", port)

    assert (code, said) == (2, "")
    assert "another --port" in why.replace("\n", " ")
    assert not (tmp_path / "home").exists()


@pytest.mark.promise("server", "It connects to nothing, and listens where it was told alone.")
def test_nothing_goes_out_and_one_socket_listens(tmp_path):
    with serving(tmp_path / "home", first=OVERHEARD) as one:
        one.ask("POST", "/v1/memory/events", {"text": "Sarah has a dog"})
        found = one.ask("POST", "/v1/memory/search", {"query": "a dog?"}).json()["hits"]
        one.ask("GET", "/metrics")
        code = one.end()
        heard = re.findall(r"^HEARD (\S+) (.*)$", log_of(one), re.MULTILINE)

    assert (len(found), code) == (1, 0)
    assert heard == [("socket.bind", "('127.0.0.1', 0)")]


@pytest.mark.promise("server", "Every request is counted, those that are refused too.")
def test_requests_are_counted_by_their_route_and_their_answer(tmp_path):
    with serving(tmp_path / "home", PINYON_RATE_LIMIT="1") as one:
        one.ask("GET", f"/v1/memory/mem_{'0' * 32}")
        one.ask("GET", "/v1/me", headers={"Authorization": "Bearer none"})
        one.ask("GET", "/v1/nothing")
        too_often = [one.ask("GET", "/v1/me").status_code for _ in range(12)].count(429)
        page = one.ask("GET", "/metrics").text
    counted = re.findall(r'http_requests_total\{route="(.*)",status="(\d+)"\} ([\d.]+)', page)
    counts = {(route, status): float(count) for route, status, count in counted}

    assert counts["/v1/memory/{memory_id}", "404"] == 1
    assert (counts["/v1/me", "401"], counts["none", "404"]) == (1, 1)
    assert counts["/v1/me", "429"] == too_often > 0


# ── how it ends ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "Told to end, it finishes what runs and takes nothing new.")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_what_runs_when_it_is_told_to_end_is_finished(tmp_path, told):
    home = tmp_path / "home"
    body = json.dumps({"text": "Sarah has a dog"}).encode()
    with serving(home) as one, connection(one) as opened:
        at = urlsplit(one.url)
        whole = request(one, "POST", "/v1/memory", body)
        opened.sendall(whole[:-5])
        one.ask("GET", "/healthz")
        one.process.send_signal(told)
        while is_reached(at):
            pass
        opened.sendall(whole[-5:])
        with opened.makefile("rb") as reader:
            status, _, _ = read_answer(reader)
            rest = reader.read()
        code = one.process.wait(PATIENCE_S)
    with serving(home) as again:
        again.key = one.key

        assert (status, rest, code) == (201, b"", 0)
        assert texts_of(again) == ["Sarah has a dog"]


def is_reached(at):
    try:
        socket.create_connection((at.hostname, at.port), timeout=1).close()
    except OSError:
        return False
    return True


# ── two of them ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "Two servers on one home are one: a write, a revoked key.")
def test_what_is_done_at_one_holds_at_the_other_at_once(tmp_path):
    home = tmp_path / "home"
    with serving(home) as one, serving(home) as other:
        other.key = one.key
        found = []
        for number in range(20):
            one.ask("POST", "/v1/memory", {"text": f"Note {number} speaks of otters"})
            found.append(len(texts_of(other)))
        hits = other.ask("POST", "/v1/memory/search", {"query": "otters", "k": 50}).json()["hits"]
        made = one.ask("POST", "/v1/keys", {"user": "tom"}).json()
        toms = {"Authorization": f"Bearer {made['key']}"}
        before = other.ask("GET", "/v1/me", headers=toms).status_code
        one.ask("DELETE", f"/v1/keys/{made['id']}")
        after = other.ask("GET", "/v1/me", headers=toms).status_code

    assert found == list(range(1, 21))
    assert len(hits) == 20
    assert (before, after) == (200, 401)


# ── clients that leave, or are slow ──────────────────────────────────────────────────────────


def test_a_client_that_leaves_halfway_leaves_nothing_behind(standing):
    before = texts_of(standing)
    for end in (20, 200, -1):
        with connection(standing) as opened:
            raw = request(standing, "POST", "/v1/memory", {"text": "Half of it"})
            opened.sendall(raw[:end])
    with connection(standing) as opened:
        # Whole, and the client is gone before it is answered: it may be kept, but once.
        opened.sendall(request(standing, "POST", "/v1/memory", {"text": "All of it"}))
    after = texts_of(standing)

    assert sorted({*after} - {*before}) in ([], ["All of it"])
    assert len(after) == len({*after})
    assert "Traceback" not in log_of(standing)
    assert '"status": 500' not in log_of(standing)


def test_a_reader_who_leaves_an_export_costs_nobody_anything(standing):
    texts = [{"text": f"Note {n}: " + "word " * 400} for n in range(500)]
    standing.ask("POST", "/v1/memory/batch", {"memories": texts, "scope": "shared"})
    for _ in range(20):
        with connection(standing) as opened:
            opened.sendall(request(standing, "GET", "/v1/memory/export?scope=shared"))
            opened.recv(1_000)
    whole = standing.ask("GET", "/v1/memory/export", params={"scope": "shared"}).text

    assert whole.count("\n") >= 501
    assert "Traceback" not in log_of(standing)


@pytest.mark.promise("server", "A body that does not come is waited for a while, then refused.")
def test_half_a_body_and_silence_is_refused(standing):
    raw = request(standing, "POST", "/v1/memory", {"text": "Half of it"})
    status, headers, body = said_to(standing, raw[:-4])

    assert (status, json.loads(body)["code"]) == (408, "too_slow")
    assert headers[b"connection"] == b"close"
    assert "Half of it" not in texts_of(standing)


@pytest.mark.promise("server", "Slow clients keep nobody from being answered.")
def test_clients_that_drip_keep_nobody_from_being_answered(standing):
    raw = request(standing, "POST", "/v1/memory", {"text": "Dripped"})
    with ExitStack() as opened:
        slow = [opened.enter_context(connection(standing)) for _ in range(50)]
        for number, one in enumerate(slow):
            # Some stop within the head, some within the body.
            one.sendall(raw[: 30 if number % 2 else -3])
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _: standing.ask("GET", "/v1/me"), range(20)))
        unanswered = sum(is_silent(one) for one in slow[1::2])

    assert [one.status_code for one in answers] == [200] * 20
    assert unanswered == 25  # those within the head still drip: nothing of theirs came first


def is_silent(opened):
    opened.setblocking(False)
    try:
        return opened.recv(1) == b"?"
    except BlockingIOError:
        return True


def test_two_hundred_connections_at_once_are_all_answered(standing):
    raw = request(standing, "GET", "/v1/me")
    with ExitStack() as opened:
        many = [opened.enter_context(connection(standing)) for _ in range(200)]
        for one in many:
            one.sendall(raw)
        readers = [opened.enter_context(one.makefile("rb")) for one in many]
        statuses = [read_answer(reader)[0] for reader in readers]

    assert statuses == [200] * 200


# ── what is said ─────────────────────────────────────────────────────────────────────────────


def test_one_connection_serves_many_requests_and_several_at_once(standing):
    one = request(standing, "GET", "/v1/me")
    other = request(standing, "GET", "/v1/nothing")
    with connection(standing) as opened, opened.makefile("rb") as reader:
        kept = []
        for _ in range(3):
            opened.sendall(one)
            kept.append(read_answer(reader)[0])
        opened.sendall(one + other + one)
        at_once = [read_answer(reader)[0] for _ in range(3)]

    assert kept == [200, 200, 200]
    assert at_once == [200, 404, 200]


def test_the_oldest_http_is_answered_and_closed(standing):
    with connection(standing) as opened:
        opened.sendall(request(standing, "GET", "/v1/me", version="1.0"))
        with opened.makefile("rb") as reader:
            status, _, body = read_answer(reader)
            rest = reader.read()

    assert (status, json.loads(body)["user"], rest) == (200, "sarah", b"")


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 40_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
        b"POST /v1/memory HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/memory HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Content-Length: 9\r\n\r\nabcdefghi",
        b"POST /v1/memory HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_what_is_no_request_is_refused_and_closed(standing, raw):
    answer = said_to(standing, raw)

    assert answer is None or answer[0] in (400, 404, 421)
    assert standing.ask("GET", "/healthz").status_code == 200
    assert "Traceback" not in log_of(standing)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"text": "', 400),
        (b'{"text": "\xff\xfe"}', 400),
        (b'{"text": "a lone \\ud800 surrogate"}', 201),
        (b'{"text": "a \\u0000 in it"}', 201),
        (json.dumps({"text": "x" * 1_000_000}).encode(), 413),
        (json.dumps({"text": "x" * 1_100_000}).encode(), 413),
    ],
    ids=["half", "no UTF-8", "surrogate", "NUL", "1 MB", "over 1 MiB"],
)
def test_whatever_text_comes_is_kept_or_refused_with_a_code(standing, body, status):
    before = len(texts_of(standing))
    answer = said_to(standing, request(standing, "POST", "/v1/memory", body))
    texts = texts_of(standing)

    assert answer[0] == status
    assert len(texts) - before == (status == 201)
    assert not any("\x00" in text or "\ud800" in text for text in texts)


@pytest.mark.promise("server", "Thousands of ids in one request are bounded, and told.")
@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/v1/memory/forget", lambda ids: {"ids": ids}),
        ("/v1/memory/feedback", lambda ids: {"ids": ids, "outcome": "used"}),
        ("/v1/memory", lambda ids: {"text": "New", "supersedes": ids}),
    ],
)
def test_five_thousand_ids_are_bounded(standing, path, named):
    body = named([f"mem_{number:032x}" for number in range(5_000)])
    answer = standing.ask("POST", path, body)

    assert answer.status_code in (400, 404, 413)
    assert answer.json()["code"] in ("invalid_value", "too_large", "not_found")
