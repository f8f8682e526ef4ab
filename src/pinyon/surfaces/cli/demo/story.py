"""The story, told to a temporary home, and the questions that are asked of it."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pinyon.client import MemoryClient
from pinyon.domain.answers import Recall, Written
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Principal
from pinyon.settings import read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.wiring import open_client

NOW = "2026-06-11T18:00:00+00:00"

_WHITE = "My bulbs only show white, what should I do?"
_VERSION = "Which hub version and which iOS version do I have?"
_DEVICES = "I never set up that range extender. Can you list all my devices?"
_PET = "Which pet damages wires?"
_LETTER = "Do I need v2.3.1 for that?"
_REWRITTEN = "Do I need the latest version for that?"
_EXTENDER = "How do I set up my range extender?"
# What this conversation holds already need not be recalled into it.
_ELSEWHERE = {"not": {"session": "jun-11"}}
_DOG = "What does Sarah's dog chew?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One question and what came of it.

    Attributes:
        title: What it shows.
        who: Who asks.
        question: The exact words.
        without: What an assistant without memory says, "" where that tells nothing.
        answer: What is recalled.
        moral: What the memories make of it.
        remembered: What became of the question itself, where it is kept first.
        rewritten: The question as an agent might put it, "" where that tells nothing.
        rewritten_answer: What that brings.
    """

    title: str
    who: str
    question: str
    without: str
    answer: Recall
    moral: str
    remembered: Written | None = None
    rewritten: str = ""
    rewritten_answer: Recall | None = None


def rows() -> Iterator[Mapping[str, Any]]:
    """Return the story's rows, in the order in which they are told."""
    text = (files(__package__) / "story.jsonl").read_text("utf-8")
    return map(json.loads, text.splitlines())


@asynccontextmanager
async def a_home() -> AsyncIterator[MemoryClient]:
    """Open a temporary home as Sarah; the directory goes when the story ends."""
    with TemporaryDirectory(prefix="pinyon-demo-", ignore_cleanup_errors=True) as folder:
        settings = read_settings(home=Path(folder) / "home", user="sarah")
        principal = Principal.of_home(tenant="demo", user="sarah")
        clock = FrozenClock(NOW)
        async with open_client(settings, principal, surface="demo", clock=clock) as sarah:
            yield sarah


async def tell(sarah: MemoryClient, tom: MemoryClient, told: Callable[[int], None]) -> int:
    """Remember the story; return how many memories and events it has."""
    count = 0
    for count, row in enumerate(rows(), start=1):
        await _keep(row, tom if row["who"] == "tom" else sarah)
        told(count)
    return count


async def scenes(sarah: MemoryClient, tom: MemoryClient) -> AsyncIterator[Scene]:
    """Ask the questions, one after the other."""
    yield Scene(
        title="The same trouble for the second time",
        who="Sarah",
        question=_WHITE,
        without="Please try to reset the hub: hold the button for ten seconds.",
        answer=await sarah.recall(_WHITE, k=4),
        moral="She reset the hub in March and again yesterday; neither helped. What did help was "
        "to save the scene again.",
    )
    yield Scene(
        title="A number is a number",
        who="Sarah",
        question=_VERSION,
        without="You will find it in the app, under Settings.",
        answer=await sarah.recall(_VERSION, k=3),
        moral="v2 and 17.4, as she said them; v3 is somebody else's.",
    )
    remembered = await sarah.remember(_DEVICES, session="jun-11")
    yield Scene(
        title="Two things in one message, remembered before it is answered",
        who="Sarah",
        question=_DEVICES,
        without="I have no list of your devices.",
        answer=await sarah.recall(_DEVICES, k=6, filters=_ELSEWHERE),
        moral="All five, the extender that still lies in its box among them.",
        remembered=remembered,
    )
    yield Scene(
        title="In other words",
        who="Sarah",
        question=_PET,
        without="I do not know of any pet.",
        answer=await sarah.recall(_PET, k=3),
        moral="No word of it was ever said: a dog, a cable, chewed. Meaning finds it.",
    )
    yield Scene(
        title="To the letter",
        who="Sarah",
        question=_LETTER,
        without="The newest version is always the best.",
        answer=await sarah.recall(_LETTER, k=3),
        moral="A version, a code, a name count as they were said. An agent that rewrites the "
        "question before it asks loses them.",
        rewritten=_REWRITTEN,
        rewritten_answer=await sarah.recall(_REWRITTEN, k=1),
    )
    yield Scene(
        title="The catalog beside her memory",
        who="Sarah",
        question=_EXTENDER,
        without="Which range extender do you have?",
        answer=await sarah.recall(_EXTENDER, k=3, filters=_ELSEWHERE),
        moral="The catalog says how, her memory says that hers still lies in its box.",
    )
    yield Scene(
        title="Somebody else asks",
        who="Tom",
        question=_DOG,
        without="",
        answer=await tom.recall(_DOG, k=3),
        moral="Tom's memory is another file. Hers is not filtered out of it: it was never in it.",
    )


async def _keep(row: Mapping[str, Any], client: MemoryClient) -> None:
    if row["kind"] == "episodic":
        await client.remember(
            row["text"],
            session=row["session"],
            role=row.get("role", "user"),
            occurred_at=row["at"],
        )
        return
    draft = Draft(
        text=row["text"],
        kind=row["kind"],
        title=row.get("title", ""),
        document=row.get("document", ""),
        trigger=row.get("trigger", ""),
        steps=row.get("steps", ()),
        tags=row.get("tags", ()),
        pinned=row.get("pinned", False),
        occurred_at=row.get("at"),
    )
    await client.write_many([draft], scope="shared" if row["who"] == "shared" else "own")
