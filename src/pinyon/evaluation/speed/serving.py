"""What a server answers in a second on this machine, and how long that takes.

A home of many full spaces is served by a real `pinyon serve` in a process of its own, and this
process puts a load on it: as much as it takes, and then half of that by the clock. Before that
every user has asked a few questions, as those of a server that runs for a while have: what a space
brings into memory is there. No question is asked twice, for it would be answered as before.
Everyone's memories read the same, but lie in a file for each: nothing is read for one that serves
another.
"""

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, cycle
from pathlib import Path
from random import Random

import anyio

from pinyon.domain.space import Space
from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.embedders import recycled
from pinyon.evaluation.speed.babble import WORDS_OF_A_TURN, Babble
from pinyon.evaluation.speed.homes import Open, Tell, bytes_in, filled, opened
from pinyon.evaluation.speed.load import (
    Connection,
    Latency,
    Sample,
    Target,
    at_full_rate,
    at_rate,
    kept_open,
    latency,
)
from pinyon.evaluation.speed.server_process import ServerProcess, check_weighable, running
from pinyon.ports.models import NO_MODELS, Models
from pinyon.stores.sqlite.alike import make_alike
from pinyon.stores.sqlite.words_at_hand import WORDS_AFTER

TENANT = "bench"
STARTS = 3
OPENED_WITHIN_S = 120.0
"""How long the first questions of all users may take: what comes after them finds spaces open."""
BEFORE_EACH = WORDS_AFTER // 2 + 1
"""Questions of each user until the words of a space are in memory; each asks the index twice."""
BROUGHT_WITHIN_S = 300.0
PROBED_PER_S = 100
NOTE = "filled.json"
"""What a home that is kept says of itself."""
_STALLS = b"\npinyon_loop_stall_seconds "


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How much is asked for, and for how long.

    Attributes:
        connections: That ask at once.
        idle: Connections that are open and ask nothing.
        servers: On one home, with as many connections to each.
    """

    seconds: float = 10.0
    connections: int = 16
    idle: int = 1_000
    servers: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What a home holds.

    Attributes:
        users: Each with a space of its own.
        memories: In each space: turns of conversations.
        model: Fingerprint of the model whose vectors they have; "" for none.
    """

    users: int
    memories: int
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A load, and what it took.

    Attributes:
        per_s: Requests answered a second.
        took: How long they took; at half rate counted from when each was to be sent.
        server_cpu_ms: Processor time of the server for each request.
        client_cpu_ms: Processor time of what puts the load on it, for each request.
        client_late_ms: The 99th percentile of how late requests were sent because of the latter.
        loop_stalled_ms: The longest that the server's event loop stood still, by its own account of
            the last minute.
    """

    per_s: float
    took: Latency
    server_cpu_ms: float
    client_cpu_ms: float
    client_late_ms: float
    loop_stalled_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Connections that are open and ask nothing.

    Attributes:
        answered: How many of them were answered before.
        before_bytes: What memory the server held before them.
        with_bytes: What it held with them.
    """

    connections: int
    answered: int
    before_bytes: int
    with_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a server does, or several on one home.

    Attributes:
        by_meaning: It has a model; else it goes by words.
        servers: How many processes they are, on one home.
        ready_s: From starting the processes until they can answer: the median, and the longest.
        ready_bytes: The memory that it holds then.
        first: The first question of each user, which opens a space.
        recalls: Questions at full rate.
        recalls_half: Questions at half of that.
        probe: What a request that touches nothing took meanwhile.
        writes: Facts written at full rate; each is on the disk when it is answered.
        remembers: Turns that are remembered at full rate, likewise.
        full_bytes: The memory that it holds in the end.
    """

    by_meaning: bool
    servers: int
    ready_s: float
    ready_s_max: float
    ready_bytes: int
    idle: Idle
    first: Phase
    recalls: Phase
    recalls_half: Phase
    probe: Latency
    writes: Phase
    remembers: Phase
    full_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What serving a home takes on this machine.

    Attributes:
        home_bytes: What it takes on disk.
        words: By words alone.
        meaning: By meaning too; `None` where the home has no vectors.
    """

    filled: Filled
    home_bytes: int
    words: Served
    meaning: Served | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What it takes to fill a home and to serve it.

    Attributes:
        open_home: Opens one.
        new_key: Makes a service's key in one.
        command: Serves one: it is given `--home` and a folder.
        environment: Returns that of a server, with settings by name.
        models: What gives vectors, if anything does.
        vocabulary: Words that it knows.
    """

    open_home: Open
    new_key: Callable[[Path], Awaitable[str]]
    command: Sequence[str]
    environment: Callable[[Mapping[str, str]], Mapping[str, str]]
    models: Models = NO_MODELS
    vocabulary: Sequence[str] = ()

    def babble(self) -> Babble:
        """Return what makes texts, from their beginning."""
        return Babble(vocabulary=self.vocabulary, words=WORDS_OF_A_TURN)


async def serving_of(
    parts: Parts, folder: Path, *, users: int, memories: int, load: Load, tell: Tell
) -> Serving:
    """Fill a home unless it is there, serve it, and measure.

    Args:
        parts: With what.
        folder: The home; what is there already must hold what is asked for.
        users: How many.
        memories: Of each.
        load: How much is asked for.
        tell: Says what is going on.

    Raises:
        InvalidFile: The folder holds something else.
    """
    check_weighable()
    embedder = parts.models.embedder
    model = "" if embedder is None else embedder.fingerprint
    wanted = Filled(users=users, memories=memories, model=model)
    await _fill(parts, folder, wanted, tell)
    asking = _Asking(parts, wanted, await parts.new_key(folder))
    return Serving(
        filled=wanted,
        home_bytes=bytes_in(folder),
        words=await _served(parts, folder, asking, load, tell, by_meaning=False),
        meaning=await _served(parts, folder, asking, load, tell, by_meaning=True)
        if model
        else None,
    )


# ── filling ──────────────────────────────────────────────────────────────────────────────────


async def _fill(parts: Parts, folder: Path, wanted: Filled, tell: Tell) -> None:
    if _is_filled(folder, wanted):
        return
    tell(f"filling a space with {wanted.memories:,} memories")
    models = recycled(parts.models) if wanted.model else NO_MODELS
    async with opened(parts.open_home, folder, durable=False, models=models) as (_, client):
        await filled(client.acting_for(_user(0)), list(parts.babble().turns(wanted.memories)))
    first, *others = (Space.of_user(TENANT, _user(n)) for n in range(wanted.users))
    tell(f"making {len(others):,} spaces like it")
    await anyio.to_thread.run_sync(make_alike, folder, first, others)
    await anyio.Path(folder / NOTE).write_text(json.dumps(asdict(wanted)), "utf-8")


def _is_filled(folder: Path, wanted: Filled) -> bool:
    """Return whether a home holds what is wanted; one that holds anything else is refused."""
    note = folder / NOTE
    if note.exists():
        held = Filled(**json.loads(note.read_text("utf-8")))
        if held != wanted:
            raise InvalidFile(str(note), f"this home was filled otherwise: {held}")
        return True
    if folder.exists() and any(folder.iterdir()):
        raise InvalidFile(str(folder), "it is not empty, and was not filled by this command")
    return False


def _user(number: int) -> str:
    return f"user-{number}"


# ── asking ───────────────────────────────────────────────────────────────────────────────────


class _Asking:
    """Makes requests of users of a home: no two of them are equal, nor are those of two servers."""

    def __init__(self, parts: Parts, filled: Filled, key: str) -> None:
        self._babble = parts.babble()
        self._texts = [draft.text for draft in self._babble.turns(filled.memories)]
        self._users, self._key = filled.users, key
        # Others than the last time, on a home that was kept.
        self._numbers = count(filled.memories + time.time_ns() // 1_000_000 % 1_000_000)
        self._random = Random(11)  # noqa: S311 - not for secrets

    def first_questions(self, target: Target) -> Iterator[bytes]:
        """Yield a question of each user."""
        for number in range(self._users):
            yield self._question(target, number)

    def several_questions(self, target: Target) -> Iterator[bytes]:
        """Yield `BEFORE_EACH` questions of each user, by turns; as many to each server."""
        for _ in range(BEFORE_EACH * len(target.each)):
            yield from self.first_questions(target)

    def questions(self, target: Target) -> Iterator[bytes]:
        """Yield questions of users, any of them as often as any other."""
        while True:
            yield self._question(target, self._random.randrange(self._users))

    def written(self, target: Target, path: str, *, by_meaning: bool) -> Iterator[bytes]:
        """Yield texts to be kept: by meaning by every other user, by words by those between.

        What is written where there is no model lacks vectors, and the next write where there is one
        makes up for it: it would be measured with that one.
        """
        users = range(0 if by_meaning else 1, max(self._users, 2), 2)
        for number in self._numbers:
            said = {"text": self._babble.text(number)}
            yield self._post(target, path, said, self._random.choice(users))

    def _question(self, target: Target, user: int) -> bytes:
        text = self._random.choice(self._texts)
        return self._post(target, "/v1/memory/search", {"query": self._babble.question(text)}, user)

    def _post(self, target: Target, path: str, said: Mapping[str, object], user: int) -> bytes:
        headers = {"Authorization": f"Bearer {self._key}", "Pinyon-User": _user(user)}
        return target.request("POST", path, headers=headers, body=json.dumps(said).encode())


# ── measuring ────────────────────────────────────────────────────────────────────────────────


async def _served(
    parts: Parts, folder: Path, asking: _Asking, load: Load, tell: Tell, *, by_meaning: bool
) -> Served:
    how = "by meaning" if by_meaning else "by words"
    tell(f"starting {STARTS} servers that recall {how}")
    start = partial(_started, parts, folder, by_meaning=by_meaning, servers=load.servers)
    ready_s = []
    for _ in range(STARTS - 1):
        async with start() as server:
            ready_s.append(server.ready_s)
    async with start() as server:
        ready_s.append(server.ready_s)
        ready_bytes = server.rss_bytes()
        tell(f"holding {load.idle:,} connections")
        idle = await _idle(server, load.idle)
        measured = _Measured(server, load)
        tell(f"asking {how}: the first question of each user")
        first = await measured.full(asking.first_questions(server.target), OPENED_WITHIN_S)
        tell(f"asking {how}: what users ask before")
        await measured.full(asking.several_questions(server.target), BROUGHT_WITHIN_S)
        await server.until_at_rest()
        tell(f"asking {how} at full rate")
        recalls = await measured.full(asking.questions(server.target))
        tell(f"asking {how} at half of it")
        half, probe = await measured.half(asking.questions(server.target), recalls.per_s / 2)
        tell(f"writing {how}")
        written = partial(asking.written, server.target, by_meaning=by_meaning)
        writes = await measured.full(written("/v1/memory"))
        tell(f"remembering {how}")
        remembers = await measured.full(written("/v1/memory/events"))
        return Served(
            by_meaning=by_meaning,
            servers=load.servers,
            ready_s=sorted(ready_s)[len(ready_s) // 2],
            ready_s_max=max(ready_s),
            ready_bytes=ready_bytes,
            idle=idle,
            first=first,
            recalls=recalls,
            recalls_half=half,
            probe=probe,
            writes=writes,
            remembers=remembers,
            full_bytes=server.rss_bytes(),
        )


def _started(
    parts: Parts, folder: Path, *, by_meaning: bool, servers: int
) -> AbstractAsyncContextManager[ServerProcess]:
    settings = {"models": "auto" if by_meaning else "off", "rate_limit": "0"}
    command = [*parts.command, "--home", str(folder)]
    return running(command, parts.environment(settings), servers=servers)


async def _idle(server: ServerProcess, connections: int) -> Idle:
    probe = server.target.request("GET", "/healthz")
    async with Connection.to(server.target) as one:
        await one.ask(probe)
    before = server.rss_bytes()
    async with kept_open(server.target, probe, connections) as answered:
        held = server.rss_bytes()
    return Idle(connections=connections, answered=answered, before_bytes=before, with_bytes=held)


class _Measured:
    """Puts loads on one server, and says what each took."""

    def __init__(self, server: ServerProcess, load: Load) -> None:
        self._server, self._load = server, load
        self._probe = server.target.request("GET", "/healthz")

    async def full(self, requests: Iterator[bytes], seconds: float | None = None) -> Phase:
        """Ask at full rate, for as long as the load says where nothing else is said."""
        return await self._phase(
            partial(
                at_full_rate,
                self._server.target,
                requests,
                connections=self._load.connections,
                seconds=seconds or self._load.seconds,
            )
        )

    async def half(self, requests: Iterator[bytes], per_s: float) -> tuple[Phase, Latency]:
        """Ask by the clock; return what it took, and what a request that touches nothing did."""
        probed: list[Sample] = []
        target, load = self._server.target, self._load

        async def probe() -> None:
            probed.extend(
                await at_rate(
                    target,
                    cycle([self._probe]),
                    per_s=PROBED_PER_S,
                    connections=1,
                    seconds=load.seconds,
                )
            )

        ask = partial(
            at_rate,
            target,
            requests,
            per_s=per_s,
            connections=load.connections,
            seconds=load.seconds,
        )
        async with anyio.create_task_group() as group:
            group.start_soon(probe)
            phase = await self._phase(ask)
        return phase, latency(probed)

    async def _phase(self, act: Callable[[], Awaitable[list[Sample]]]) -> Phase:
        began, ours_s, its_s = time.perf_counter(), time.process_time(), self._server.cpu_s()
        samples = await act()
        took_s = time.perf_counter() - began
        ours_s, its_s = time.process_time() - ours_s, self._server.cpu_s() - its_s
        late = sorted(sample.late_ms for sample in samples)
        if not samples:
            raise InvalidValue("seconds", self._load.seconds, "so long that a request is answered")
        return Phase(
            per_s=len(samples) / took_s,
            took=latency(samples),
            server_cpu_ms=its_s * 1000 / len(samples),
            client_cpu_ms=ours_s * 1000 / len(samples),
            client_late_ms=late[int(len(late) * 0.99)],
            loop_stalled_ms=await self._stalled_ms(),
        )

    async def _stalled_ms(self) -> float:
        stalled = [0.0]
        for server in self._server.target.each:
            async with Connection.to(server) as connection:
                _, page = await connection.ask(server.request("GET", "/metrics"))
            _, found, rest = page.partition(_STALLS)
            stalled += [float(rest.split(b"\n", 1)[0]) * 1000] if found else []
        return max(stalled)
