"""Spaces filled alike, each with words of its own that betray it wherever they turn up."""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from isolation.principals import PRINCIPALS, own_of, scope_of
from pinyon.client import MemoryClient
from pinyon.domain.change import Link
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.question import RecallContext
from pinyon.domain.space import Space
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.store import Store
from pinyon.stores.sqlite import SqliteStore
from pinyon.wiring import SystemClock, new_uuid

TOKEN = re.compile(r"zq[bcdfghjklmnpqrtvwxz]{12}")
HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
KEEPER = Actor("keeper", "test")
CLOCK = SystemClock()

FIELDS = (
    "text",
    "title",
    "tag",
    "keyword",
    "meta",
    "session",
    "speaker",
    "message",
    "task",
    "document",
)
PUBLIC_FIELDS = {"text", "title", "tag", "keyword", "meta", "speaker"}
"""What a published copy takes along; the session and the message stay behind."""

QUESTIONS = (
    "which lamp in the hall belongs to the blue hub?",
    "what does John say about the hub of the lamp?",
    "how do I reset the lamp in the hall?",
)


@dataclass
class Contents:
    """What a space holds: ids by role, and its canaries by field."""

    space: Space
    tokens: dict[str, str]
    ids: dict[str, str] = field(default_factory=dict)
    event: str = ""
    cursor: str = ""
    topic: str = ""

    @property
    def session(self) -> str:
        """Return the name of its conversation."""
        return f"hall {self.tokens['session']}"

    @property
    def document(self) -> str:
        """Return the name of its document."""
        return f"manual {self.tokens['document']}.md"

    @property
    def key(self) -> str:
        """Return the idempotency key of its first write."""
        return f"first-of-{self.tokens['message']}"


@dataclass
class World:
    """Every space of a home, and who may read each canary and each id."""

    seed: int
    principals: tuple[Principal, ...]
    spaces: dict[Space, Contents] = field(default_factory=dict)
    readers: dict[str, frozenset[Space]] = field(default_factory=dict)
    """Of a canary, or of an id as 32 hex digits: the spaces in which it may stand."""

    def foreign_to(self, principal: Principal) -> list[Contents]:
        """Return the spaces that a principal may not read."""
        return [held for space, held in self.spaces.items() if space not in principal.reads]

    def betrayed(self, text: str, principal: Principal, given: Iterable[str] = ()) -> set[str]:
        """Return what a text says that a principal may not read and has not said itself."""
        shown = text.casefold()
        found = {*TOKEN.findall(shown), *HEX.findall(shown)} - set(given)
        reads = frozenset(principal.reads)
        return {one for one in found if one in self.readers and not self.readers[one] & reads}


def client_of(store: Store, principal: Principal, models: Models = NO_MODELS) -> MemoryClient:
    """Return a client that leaves the store open."""
    return MemoryClient(
        store, principal, clock=CLOCK, new_uuid=new_uuid, owns_store=False, models=models
    )


def open_home(home: Path) -> SqliteStore:
    """Open a home that need not survive a power cut."""
    return SqliteStore(home, clock=CLOCK, durable=False)


async def fill(
    home: Path,
    models: Models = NO_MODELS,
    *,
    principals: tuple[Principal, ...] = PRINCIPALS,
    seed: int = 1,
) -> World:
    """Fill the spaces of every principal, each like all others but for its canaries."""
    world = World(seed, principals)
    chosen = random.Random(seed)  # noqa: S311 - the same names each time
    store = open_home(home)
    for principal in principals:
        client = client_of(store, principal, models)
        for space in principal.reads:
            if space not in world.spaces:
                await _fill(store, client, space, world, chosen)
        await client.close()
    for principal in principals:
        await _publish(client_of(store, principal, models), world, chosen)
    await store.close()
    return world


def _canary(world: World, chosen: random.Random, *readers: Space) -> str:
    token = "zq" + "".join(chosen.choices("bcdfghjklmnpqrtvwxz", k=12))
    assert token not in world.readers
    world.readers[token] = frozenset(readers)
    return token


def _canaries(world: World, chosen: random.Random, *readers: Space) -> dict[str, str]:
    return {name: _canary(world, chosen, *readers) for name in FIELDS}


def draft_of(what: str, tokens: dict[str, str], **more: object) -> Draft:
    """Return a draft that has a canary in every field."""
    given: dict[str, object] = {
        "text": f"The {what} lamp in the hall belongs to the blue hub {tokens['text']}, John says",
        "title": f"Lamp of the hall {tokens['title']}",
        "tags": ["lamp", tokens["tag"]],
        "keywords": ["hub", tokens["keyword"]],
        "metadata": {"note": tokens["meta"]},
        "session": f"hall {tokens['session']}",
        "speaker": f"John {tokens['speaker']}",
        "message_id": f"{what} {tokens['message']}",
        "task": f"lamp {tokens['task']}",
    }
    return Draft(**{**given, **more})  # type: ignore[arg-type]


async def _fill(
    store: Store, client: MemoryClient, space: Space, world: World, chosen: random.Random
) -> None:
    """Write memories of every kind and status, and forget some."""
    tokens = _canaries(world, chosen, space)
    gone = _canaries(world, chosen)
    held = Contents(space, tokens)
    scope = scope_of(client.principal, space)
    past = datetime.now(UTC) - timedelta(days=3)
    drafts = {
        "active": draft_of("first", tokens, pinned=True),
        "old": draft_of("second", tokens),
        "retracted": draft_of("third", tokens),
        "hidden": draft_of("fourth", tokens),
        "quarantined": draft_of("fifth", tokens),
        "expired": draft_of("sixth", tokens, expires_at=past),
        "ended": draft_of("seventh", tokens, valid_from=past),
        "episode": draft_of("eighth", tokens, kind="episodic"),
        "procedure": draft_of(
            "ninth",
            tokens,
            kind="procedural",
            trigger=f"the lamp fails {tokens['title']}",
            steps=["open the hub", f"reset the lamp {tokens['text']}"],
        ),
        "catalog": draft_of("tenth", tokens, kind="catalog", document=held.document),
        "gone": draft_of("eleventh", gone),
    }
    written = await client.write_many(list(drafts.values()), scope=scope, key=held.key)
    held.ids = {role: one.id for role, one in zip(drafts, written, strict=True)}
    new = draft_of("newer", tokens, supersedes=[held.ids["old"]])
    (held.ids["new"],) = [one.id for one in await client.write_many([new], scope=scope)]
    rests = draft_of("resting", tokens, supporting=[held.ids["active"]])
    (held.ids["resting"],) = [one.id for one in await client.write_many([rests], scope=scope)]
    await client.retract(held.ids["retracted"])
    await client.end(held.ids["ended"])
    await client.hide(held.ids["hidden"])
    await client.edit(held.ids["active"], category=tokens["tag"])
    shelved = Link(id=held.ids["quarantined"], shelf="quarantined")  # type: ignore[arg-type]
    await store.records.apply(space, [shelved], by=KEEPER)
    session = f"hall {_canary(world, chosen, own_of(client.principal))}"
    context = RecallContext(session=session)
    await client.recall(drafts["gone"].text, given=True, context=context)
    await client.forget(held.ids["gone"])
    if scope == "own":
        await _talk(client, held)
        held.topic = _canary(world, chosen, space)
        await client.set_consent(never=[held.topic])
    held.cursor = (await client.list(scope=scope, limit=2)).next_cursor or ""
    world.spaces[space] = held
    for identifier in filter(None, (*held.ids.values(), held.event)):
        world.readers[identifier[4:]] = frozenset([space])


async def _talk(client: MemoryClient, held: Contents) -> None:
    said = {"session": held.session, "speaker": held.tokens["speaker"]}
    turn = await client.remember(f"I bought the blue lamp {held.tokens['text']}", **said)
    reply = await client.remember(
        f"The lamp belongs to the hub {held.tokens['text']}",
        role="assistant",
        message_id=held.tokens["message"],
        metadata={"note": held.tokens["meta"]},
        **said,
    )
    held.ids["turn"], held.event = turn.id, reply.id
    await client.start_session(held.session)
    asked = f"which lamp is {held.tokens['text']}?"
    await client.feedback(turn.id, "worked", query=asked, session=held.session)


async def _publish(client: MemoryClient, world: World, chosen: random.Random) -> None:
    """Publish a memory into each space of the principal that others read."""
    principal = client.principal
    held = world.spaces[own_of(principal)]
    for scope in ("shared", "project"):
        role = f"published in {scope}"
        if role in held.ids or (scope == "project" and principal.project is None):
            continue
        target = principal.space(scope)
        tokens = {
            name: _canary(world, chosen, held.space, *([target] if name in PUBLIC_FIELDS else []))
            for name in FIELDS
        }
        (written,) = await client.write_many([draft_of(f"public {scope}", tokens)])
        published = await client.publish(written.id, scope=scope)
        (copy,) = published.copies
        assert published.complete
        held.ids[role] = written.id
        # Whose a copy is, its readers are told.
        world.readers[written.id[4:]] = frozenset([held.space, target])
        world.readers[copy.id[4:]] = frozenset([held.space, target])
