"""The story: what Sarah and Tom have told their assistants by now, kept in a temporary home."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pinyon.client import MemoryClient
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Principal
from pinyon.domain.times import read_instant
from pinyon.settings import read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.wiring import open_client

TENANT = "demo"
NOW = "2026-06-11T18:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Home:
    """Where the story takes place.

    Attributes:
        sarah: Memory as her agent has it.
        tom: As his has it.
        folder: The directory that holds all of it.
        clock: The time of the story; it stands still until a scene moves it on.
    """

    sarah: MemoryClient
    tom: MemoryClient
    folder: Path
    clock: FrozenClock

    def go_to(self, at: str) -> str:
        """Let it be another time from now on; return it."""
        self.clock.at_us = read_instant(at)[0]
        return at

    def files_with(self, word: str) -> tuple[int, int]:
        """Return in how many files of the home a word stands, and how many files there are."""
        files_ = [path for path in self.folder.rglob("*") if path.is_file()]
        sought = word.lower().encode()
        return sum(sought in path.read_bytes().lower() for path in files_), len(files_)


def rows() -> Iterator[Mapping[str, Any]]:
    """Return the story's rows, in the order in which they are told."""
    text = (files(__package__) / "story.jsonl").read_text("utf-8")
    return map(json.loads, text.splitlines())


@asynccontextmanager
async def a_home() -> AsyncIterator[Home]:
    """Open a temporary home; the directory goes when the story ends."""
    with TemporaryDirectory(prefix="pinyon-demo-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        settings = read_settings(home=home, user="sarah")
        principal = Principal.of_home(tenant=TENANT, user="sarah")
        clock = FrozenClock(NOW)
        async with open_client(settings, principal, surface="demo", clock=clock) as sarah:
            yield Home(sarah, sarah.acting_for("tom"), home, clock)


async def tell(home: Home, told: Callable[[int], None]) -> int:
    """Remember the story; return how many memories and events it has."""
    count = 0
    said: dict[str, str] = {}
    for count, row in enumerate(rows(), start=1):
        client = home.tom if row["who"] == "tom" else home.sarah
        if row["kind"] == "episodic":
            said[row["at"]] = await _remember(row, client)
        else:
            await _write(row, client, [said[at] for at in row.get("said_at", ())])
        told(count)
    return count


async def _remember(row: Mapping[str, Any], client: MemoryClient) -> str:
    written = await client.remember(
        row["text"], session=row["session"], role=row.get("role", "user"), occurred_at=row["at"]
    )
    return written.id


async def _write(row: Mapping[str, Any], client: MemoryClient, supporting: list[str]) -> None:
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
        supporting=supporting,
    )
    await client.write_many([draft], scope="shared" if row["who"] == "shared" else "own")
