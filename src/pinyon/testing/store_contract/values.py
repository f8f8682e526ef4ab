"""The values that the contract is checked with."""

from dataclasses import replace
from typing import Any

import numpy as np

from pinyon.domain.event import Event
from pinyon.domain.filter import And, Cmp, Eq, Exists, Filter, In, Not, Or
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import (
    CatalogEntry,
    Counts,
    Facets,
    Links,
    Memory,
    Procedure,
    Source,
    Span,
    Step,
    Summary,
    Times,
)
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.testing.makers import memory_of
from pinyon.text.normal import content_hash

BOB = Space.of_user("acme", "bob")
STRANGERS = [
    BOB,
    Space.of_user("globex", "ann"),
    Space.of_user("acme-corp", "ann"),
    Space.of_user("acme", "Ann"),
    Space.of_user("acme", "*"),
    Space.of_user("acme", "%"),
    Space.of_user("acme", "an_"),
    Space.of_user("acme", "ann/agent/a"),
    Space.of_agent("acme", "ann", "a"),
    Space.of_project("acme", "ann"),
    Space.shared("acme"),
]
BY = Actor("acme/user/ann", "test")
MODEL = "test@1"
DIM = 8

_OTHER, _ANOTHER = MemoryId(f"mem_{98:032x}"), MemoryId(f"mem_{99:032x}")
_TIMES = Times(
    occurred_at_us=1,
    offset_min=-90,
    valid_from_us=2,
    valid_until_us=3,
    created_at_us=4,
    updated_at_us=5,
    expires_at_us=6,
)
_SOURCE = Source(
    session="s",
    task="t",
    agent="a",
    event_type="message",
    role="user",
    speaker="Sarah",
    parent_event="evt_" + "0" * 32,
    message_id="m1",
    spans=(Span(_OTHER, 3, 9),),
    supporting=(_OTHER,),
    derived_from=(_ANOTHER,),
)
_LINKS = Links(
    previous=EventId(f"evt_{5:032x}"),
    supersedes=(_ANOTHER,),
    superseded_by=_OTHER,
    superseded_at_us=8,
    contradiction="harsh",
    conflicts_with=(_OTHER,),
    outdated_by=_ANOTHER,
)
_FACETS = Facets(
    language="en",
    has_code=True,
    has_error=True,
    task_type="fix",
    stage="test",
    entities=("Lumio Hub",),
)


def unit(*numbers: float) -> bytes:
    """Return a vector of length 1 in `DIM` dimensions, as float32 bytes."""
    vector = np.zeros(DIM, np.float32)
    vector[: len(numbers)] = numbers
    return (vector / np.linalg.norm(vector)).astype(np.float32).tobytes()


def full_memory() -> Memory:
    """Return a memory in which every field has a value of its own."""
    text = "Reset the hub.\n\n" + "Hold the button for ten seconds. " * 30
    plain = memory_of(7, text)
    return replace(
        plain,
        kind="procedural",
        title="Reset",
        keywords=("hub", "reset"),
        scenarios=("bulbs show only white",),
        category="support",
        project="lumio",
        module="hub",
        tags=("zigbee", "重置"),
        metadata=(("a", 1), ("b", "x"), ("c", None), ("d", True), ("e", 1.5)),
        importance=0.9,
        confidence=0.8,
        trust="agent",
        shelf="hidden",
        pinned=True,
        version=3,
        times=_TIMES,
        source=_SOURCE,
        links=_LINKS,
        counts=Counts(
            uses=1, support=2, successes=3, failures=4, last_used_at_us=5, last_success_at_us=6
        ),
        procedure=Procedure(
            trigger="only white", steps=(Step("Hold", "button"),), refined_steps=(Step("Wait"),)
        ),
        catalog=CatalogEntry(document="manual.md", position=2, before=_OTHER, after=_ANOTHER),
        summary=Summary("Reset it", "rule"),
        facets=_FACETS,
        awaits=("vectors", "consolidation"),
    )


def event_of(number: int, text: str = "Try a reset", **fields: Any) -> Event:
    """Return an event whose id and times are made of a small number."""
    plain = Event(
        id=EventId(f"evt_{number:032x}"),
        text=text,
        role="assistant",
        session="s1",
        occurred_at_us=number * 1_000_000,
        created_at_us=number * 1_000_000,
        content_hash=content_hash(text),
    )
    return replace(plain, **fields)


FILTERS: list[Filter] = [
    Eq("kind", "semantic"),
    Eq("status", "active"),
    Eq("tags", "zigbee"),
    Eq("tags", ""),
    Eq("pinned", True),
    Eq("pinned", 1),
    Eq("importance", 0.9),
    Eq("importance", True),
    Eq("valid_until", None),
    Eq("valid_until", 3),
    Eq("superseded_by", ""),
    Eq("superseded_by", f"mem_{98:032x}"),
    Eq("superseded_by", "nonsense"),
    Eq("previous", f"evt_{5:032x}"),
    Eq("id", f"mem_{7:032x}"),
    Eq("content_hash", "zz"),
    Eq("metadata.a", 1),
    Eq("metadata.a", "1"),
    Eq("metadata.a", True),
    Eq("metadata.b", "x"),
    Eq("metadata.c", None),
    Eq("metadata.d", True),
    Eq("metadata.d", 1),
    Eq("metadata.nowhere", None),
    Eq("session", "*"),
    Eq("session", "%"),
    In("kind", ("episodic", "procedural")),
    In("tags", ("重置", "none")),
    In("kind", ()),
    Cmp("importance", "gte", 0.5),
    Cmp("valid_until", "lt", 10),
    Cmp("valid_until", "gt", 10),
    Cmp("metadata.a", "lte", 1),
    Cmp("metadata.b", "gt", "a"),
    Cmp("metadata.d", "gt", 0),
    Cmp("speaker", "gte", "S"),
    Cmp("importance", "gt", "0"),
    Exists("tags"),
    Exists("expires_at"),
    Exists("metadata.b"),
    Exists("metadata.d"),
    Exists("session"),
    And(()),
    Or(()),
    Not(Cmp("valid_until", "lt", 10)),
    Not(Eq("metadata.b", "x")),
    Or((Eq("kind", "catalog"), And((Eq("trust", "agent"), Exists("keywords"))))),
]
