"""Asking as an intruder would, and looking for what the answer betrays."""

import json
import logging
import random
import re
import traceback
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio

import isolation.learning
import isolation.personal  # noqa: F401 - its generators are marked by being read
from isolation.canaries import HEX, TOKEN, World, client_of, open_home
from isolation.principals import own_of
from isolation.probes import Call, Case, calls_of
from pinyon.client import MemoryClient
from pinyon.domain.answers import (
    CatalogDocument,
    CatalogImported,
    EventListing,
    Exported,
    FedBack,
    Forgotten,
    History,
    Imported,
    Listing,
    Noted,
    Published,
    Recall,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.consent import Consent
from pinyon.domain.consolidation import Consolidated, Material
from pinyon.domain.memory import Copy, Memory
from pinyon.domain.principal import Principal
from pinyon.domain.receipt import Receipt
from pinyon.domain.reflection import Reflected
from pinyon.domain.session import Session
from pinyon.domain.space import Space
from pinyon.domain.turn import Context, TurnMemory
from pinyon.errors import ForeignHit, PinyonError, Unavailable
from pinyon.moving.jsonl import row_of
from pinyon.ports.client import OPERATIONS
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.store import Store
from pinyon.remote.client import RemoteMemoryClient
from pinyon.surfaces import encode, encode_consolidation, encode_turn

Client = MemoryClient | RemoteMemoryClient
Opened = Callable[[Principal], Client]
"""Gives each principal its own client of one home."""
Opening = Callable[[Store, Sequence[Principal], Models], AbstractAsyncContextManager[Opened]]
"""A way to a home: embedded, or over HTTP."""

ENCODED: dict[type, Callable[[Any], Any]] = {
    CatalogDocument: lambda one: encode.catalog([one]),
    CatalogImported: encode.catalog_imported,
    EventListing: encode.events,
    Consent: encode.consent,
    Consolidated: encode_consolidation.consolidated,
    Context: encode_turn.context,
    Exported: row_of,
    FedBack: encode.fed_back,
    Forgotten: encode.forgotten,
    History: encode.history,
    Imported: encode.imported,
    Listing: encode.listing,
    Material: encode_consolidation.material,
    Memory: encode.memory,
    Noted: encode.noted,
    Published: encode.published,
    Recall: encode.recall,
    Reflected: encode_consolidation.reflected,
    Receipt: encode.receipt,
    Session: encode.session,
    TurnMemory: encode_turn.turn_memory,
    Warmed: encode.warmed,
    WhyNot: encode.why_not,
    Written: encode.written,
}
WRITES = {operation.name for operation in OPERATIONS if operation.permission == "write"}
VARIES = re.compile(r"wall_ms=[0-9.e-]+|\b\d{16}\b|\d+\.\d{6,}")


@dataclass(frozen=True)
class Answered:
    """What came over a wire.

    Attributes:
        request_id: How the server calls the request, which is another one each time.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    request_id: str

    @property
    def shown(self) -> str:
        """Return all of it."""
        return f"{self.status} {self.headers}\n{self.body}"

    @property
    def alike(self) -> str:
        """Return what must be the same of two: what was asked about, and so its length, is not."""
        headers = [one for one in self.headers if one[0] != "content-length"]
        return f"{self.status} {headers}\n{self.body}".replace(self.request_id, "#")


HEARD: ContextVar[list[Answered]] = ContextVar("HEARD")
"""Of the call that runs in this task: what came over a wire, if it goes over one."""


@dataclass
class Report:
    """What came of many probes."""

    probes: int = 0
    answers: int = 0
    refusals: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)

    def add(self, other: "Report") -> None:
        """Count another's probes too."""
        self.probes += other.probes
        self.answers += other.answers
        self.refusals += other.refusals
        self.operations += other.operations
        self.leaks += other.leaks


@dataclass(frozen=True)
class Outcome:
    """What an operation answered, or raised, as it can be seen from outside."""

    value: Any
    error: PinyonError | None
    seen: str
    heard: tuple[Answered, ...] = ()


async def asked(client: Client, operation: str, call: Call) -> Outcome:
    """Call an operation and return all that its caller can see."""
    heard: list[Answered] = []
    HEARD.set(heard)
    try:
        given = getattr(client, operation)(*call.args, **call.kwargs)
        value = [row async for row in given] if hasattr(given, "__aiter__") else await given
    except PinyonError as error:
        return Outcome(None, error, _seen(told(error), heard), tuple(heard))
    # What comes over a wire is encoded already.
    shown = repr(value) if heard else f"{value!r}\n{_encoded(value)}"
    return Outcome(value, None, _seen(shown, heard), tuple(heard))


def _seen(shown: str, heard: Sequence[Answered]) -> str:
    return "\n".join((shown, *(one.shown for one in heard)))


def told(error: BaseException) -> str:
    """Return everything that an error says: itself, what led to it, and its traceback."""
    parts: list[str] = []
    one: BaseException | None = error
    while one is not None:
        parts += [type(one).__qualname__, str(one), repr(one), repr(one.args), repr(vars(one))]
        parts.append(getattr(one, "code", ""))
        one = one.__cause__ or one.__context__
    parts += traceback.TracebackException.from_exception(error, lookup_lines=False).format()
    return "\n".join(parts)


def _encoded(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "\n".join(map(_encoded, value))
    return json.dumps(ENCODED[type(value)](value), ensure_ascii=False)


def spaces_in(value: Any) -> Iterator[Space]:
    """Yield the spaces that an answer names, but for where copies are and come from."""
    if isinstance(value, Space):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from spaces_in(one)
    elif is_dataclass(value) and not isinstance(value, Copy | type):
        for part in fields(value):
            yield from spaces_in(getattr(value, part.name))


def alike(one: Outcome, other: Outcome, swapped: tuple[str, str]) -> bool:
    """Return whether two outcomes are the same but for what was asked about."""
    return _plain(one, swapped[0]) == _plain(other, swapped[1])


def _plain(outcome: Outcome, named: str) -> object:
    forms = {named, named.casefold(), named.casefold().replace("-", "").removeprefix("mem_")}
    shown: str
    if outcome.error is None:
        shown = VARIES.sub("#", repr(outcome.value))
    else:
        shown = repr((outcome.error.code, str(outcome.error), sorted(vars(outcome.error).items())))
    for one in outcome.heard:
        # What stands in an answer was compared as values; an error is compared to the letter.
        shown += one.alike if one.status >= 400 else str(one.status)
    for form in sorted(forms - {""}, key=len, reverse=True):
        shown = shown.replace(form, "NAMED")
    return shown


class Prober:
    """Asks for one user after the other, and reports."""

    def __init__(self, world: World, opened: Opened) -> None:
        self.world, self._opened = world, opened
        self.report = Report()
        self._said: dict[Space, set[str]] = {}

    async def round(
        self, principal: Principal, seed: int, *, most: int | None = None, quiet: bool = False
    ) -> None:
        """Ask every probe once for a principal; `quiet`: nobody else changes what it reads."""
        chosen = random.Random(f"{self.world.seed} {seed} {principal}")  # noqa: S311
        case = Case(self.world, principal, chosen)
        client = self._opened(principal)
        calls = list(calls_of(case))
        if most is not None:
            calls = sorted(chosen.sample(calls, min(most, len(calls))), key=calls.index)
        for operation, call in calls:
            await self.probe(client, operation, call, quiet=quiet, asker=principal)
        await client.close()

    async def probe(
        self,
        client: Client,
        operation: str,
        call: Call,
        *,
        quiet: bool = False,
        asker: Principal | None = None,
    ) -> Outcome:
        """Ask one probe, and its twin, and note what is betrayed to who asks."""
        asker = asker or client.principal
        outcome = await self._asked(client, operation, call, asker)
        if call.twin is not None:
            twin = await self._asked(client, operation, call.twin, asker)
            is_comparable = quiet or outcome.error is not None or twin.error is not None
            if is_comparable and not alike(outcome, twin, call.swapped):
                what = f"{_plain(outcome, call.swapped[0])} / {_plain(twin, call.swapped[1])}"
                self._leak(asker, operation, call, f"told from what never was: {what}")
        return outcome

    async def _asked(
        self, client: Client, operation: str, call: Call, principal: Principal
    ) -> Outcome:
        given = set(call.given)
        said = self._said.setdefault(own_of(principal), set())
        if operation in WRITES:
            # What it says, it may read again.
            said |= given
        outcome = await asked(client, operation, call)
        self.report.probes += 1
        self.report.operations[operation] += 1
        self.report.answers += outcome.error is None
        self.report.refusals += outcome.error is not None
        betrayed = self.world.betrayed(outcome.seen, principal, given | said)
        if betrayed:
            self._leak(principal, operation, call, f"it shows {betrayed}: {outcome.seen[:2000]}")
        strange = set(spaces_in(outcome.value)) - set(principal.reads)
        if strange:
            self._leak(principal, operation, call, f"it names {strange}")
        broke = any(one.status >= 500 for one in outcome.heard)
        if broke or isinstance(outcome.error, ForeignHit | Unavailable):
            self._leak(principal, operation, call, f"it fails: {outcome.seen}")
        return outcome

    def _leak(self, asker: Principal, operation: str, call: Call, what: str) -> None:
        said = f"{operation}{call.args}{call.kwargs}"
        self.report.leaks.append(f"{own_of(asker)}: {said}: {what}")


def named_in(text: str) -> set[str]:
    """Return the canaries and the ids, as 32 hex digits, that stand in a text."""
    shown = text.casefold()
    return {*TOKEN.findall(shown), *HEX.findall(shown)}


@contextmanager
def overhearing() -> Iterator[list[str]]:
    """Gather everything that is logged or warned of meanwhile."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(f"{record.getMessage()} {vars(record)!r}")

    root, ear = logging.getLogger(), Ear()
    level = root.level
    root.addHandler(ear)
    root.setLevel(logging.DEBUG)
    # It is on the side of who asks, and repeats what was asked.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            yield heard
            heard += [str(one.message) for one in warned]
    finally:
        root.removeHandler(ear)
        root.setLevel(level)


def grouped(principals: Sequence[Principal]) -> list[list[Principal]]:
    """Return principals by user: what one of them writes, the others may read."""
    users: dict[Space, list[Principal]] = {}
    for principal in principals:
        users.setdefault(own_of(principal), []).append(principal)
    return list(users.values())


@asynccontextmanager
async def embedded(
    store: Store, _principals: Sequence[Principal], models: Models
) -> AsyncIterator[Opened]:
    """Give clients that hold the home themselves."""
    yield partial(client_of, store, models=models)


async def probe_together(
    home: Path,
    world: World,
    principals: Sequence[Principal],
    seeds: Sequence[int],
    *,
    models: Models = NO_MODELS,
    most: int | None = None,
    over: Opening = embedded,
) -> Report:
    """Let several principals probe at once, each user in a task of its own."""
    store = open_home(home)
    total = Report()

    async def probe(user: list[Principal], opened: Opened) -> None:
        prober = Prober(world, opened)
        for seed in seeds:
            for principal in user:
                await prober.round(principal, seed, most=most)
        total.add(prober.report)

    with overhearing() as heard:
        async with over(store, principals, models) as opened, anyio.create_task_group() as group:
            for user in grouped(principals):
                group.start_soon(probe, user, opened)
        await store.close()
    # A log is nobody's, so it may betray nobody.
    said = {one for one in heard if not world.readers.keys().isdisjoint(named_in(one))}
    total.leaks += [f"it was logged: {one}" for one in said]
    return total


async def everything_in(home: Path, spaces: Sequence[Space]) -> dict[Space, object]:
    """Return all that spaces hold, with their sequence numbers and journals."""
    store = open_home(home)
    held: dict[Space, object] = {}
    for space in spaces:
        memories = await store.records.scan(space, limit=1000)
        events = await store.records.events(space, limit=1000)
        journal = await store.journal.entries(space, limit=100_000)
        receipts = await store.receipts.of_space(space)
        seq = await store.changes.seq(space)
        sessions = await store.sessions.list_sessions(space)
        feedback = await store.feedback.list_feedback(space, limit=10_000)
        consent = await store.registry.consent(space)
        versions = [await store.records.versions(space, m.id) for m in memories.memories]
        said = (sessions, feedback, consent)
        held[space] = (seq, memories, versions, events, journal, receipts, said)
    await store.close()
    return held
