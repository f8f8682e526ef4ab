"""Playing conversations into a home, as they happened, and looking at what was made of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from pinyon.client import MemoryClient
from pinyon.domain.memory import Contradiction, Memory, Trust
from pinyon.domain.times import US_PER_S, read_instant
from pinyon.errors import BadModelOutput
from pinyon.evaluation.consolidation.expected import Key
from pinyon.evaluation.quality.corpus import Corpus, Row
from pinyon.evaluation.quality.measuring import Open, Tell, counted_uuids
from pinyon.ports.models import Models
from pinyon.testing.clocks import FrozenClock

PASSES_AFTER = 5
"""How often it is consolidated once more, a day apart, when everything has been."""

_USERS = ("", "user")
"""Roles of what becomes an episode."""
_DAY_S = 24 * 3600.0
_LISTED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a message something stands: `[start, end)` in characters."""

    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFact:
    """A fact that was made, as it is in the end.

    Attributes:
        supports: The messages that it rests on; "" for what is no message of its tenant.
        places: Where it says to stand in them.
        subject: What its metadata says that it is about; likewise `attribute`.
        holds: Whether it holds in the end.
        ended: How it ended, where nothing took its place: it was true, or never was.
        superseded_by: The fact that took its place.
        contradiction: How this one stands to those whose place it took.
    """

    tenant: str
    id: str
    text: str
    trust: Trust = "user"
    supports: tuple[str, ...]
    places: tuple[Place, ...] = ()
    subject: str = ""
    attribute: str = ""
    holds: bool = True
    ended: Contradiction | None = None
    superseded_by: str | None = None
    contradiction: Contradiction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MadePlaybook:
    """A playbook that was made of what was said."""

    tenant: str
    text: str
    supports: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Played:
    """What there is when everything has been said.

    Attributes:
        texts: By tenant and id, the messages as they are kept.
        outcomes: By playbook of the corpus, how often it was counted as worked and as failed.
        changed: Memories that further passes changed, made or took away.
        left: Episodes that wait in the end.
        refused: Why proposals were not followed, and how often.
        made_by: What proposed, and in how many passes.
    """

    texts: dict[Key, str] = field(default_factory=dict)
    facts: list[MadeFact] = field(default_factory=list)
    playbooks: list[MadePlaybook] = field(default_factory=list)
    outcomes: dict[Key, dict[str, int]] = field(default_factory=dict)
    changed: int = 0
    left: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    made_by: Counter[str] = field(default_factory=Counter)

    @property
    def unreadable(self) -> int:
        """Return how often a model's answer could not be read, and rules read the messages."""
        return self.refused[BadModelOutput.code]


async def play(
    open_home: Open, folder: Path, corpus: Corpus, models: Models, every: int, tell: Tell
) -> Played:
    """Say what a corpus holds in the order of its time, and consolidate as a worker would.

    Its episodes and playbooks are kept; facts that it brings along are left out.

    Args:
        open_home: Opens a home.
        folder: Where to.
        corpus: What is said.
        models: The models.
        every: After how many episodes of a person it is consolidated, beside once a day and at the
            end; 0 for only at the end.
        tell: Says how far it is.
    """
    clock = FrozenClock()
    clock.at_us = corpus.asked_at_us
    client = open_home(folder / "home", clock=clock, new_uuid=counted_uuids(), models=models)
    played = Played()
    spoken = list(_in_time(corpus))
    async with client:
        speakers = {
            tenant.name: _Speaker(client.acting_for(tenant.name), tenant.name, played)
            for tenant in corpus.tenants
        }
        for done, (at_us, tenant, row) in enumerate(spoken, start=1):
            clock.at_us = at_us
            speaker = speakers[tenant]
            if every and speaker.has_waited_a_day(at_us):
                await speaker.consolidate()
            await speaker.say(row, at_us)
            if every and speaker.waiting >= every:
                await speaker.consolidate()
            tell("talking", done, len(spoken))
        for place, speaker in enumerate(speakers.values(), start=1):
            await speaker.end(clock)
            tell("looking", place, len(speakers))
    return played


class _Speaker:
    """One person of the corpus, and what is made of what is said in the person's space."""

    def __init__(self, client: MemoryClient, tenant: str, played: Played) -> None:
        self._client, self._tenant, self._played = client, tenant, played
        self._row_of: dict[str, str] = {}
        self._waiting_since_us: int | None = None
        self.waiting = 0

    def has_waited_a_day(self, now_us: int) -> bool:
        """Return whether what was said the longest ago has waited for a day."""
        since_us = self._waiting_since_us
        return since_us is not None and now_us - since_us >= _DAY_S * US_PER_S

    async def say(self, row: Row, at_us: int) -> None:
        draft = row.draft
        if draft.kind == "procedural":
            (written,) = await self._client.write_many([replace(draft, supersedes=())])
        else:
            written = await self._client.remember(
                draft.text,
                session=draft.session,
                role=draft.role or "user",
                speaker=draft.speaker,
                occurred_at=draft.occurred_at,
            )
            if draft.role in _USERS:
                self.waiting += 1
                self._waiting_since_us = self._waiting_since_us or at_us
        self._row_of.setdefault(written.id, row.id)
        self._played.texts[self._tenant, row.id] = draft.text

    async def consolidate(self) -> None:
        self.waiting, self._waiting_since_us = 0, None
        done = await self._client.consolidate()
        self._played.refused.update(done.refused)
        if done.episodes:
            self._played.made_by.update(done.made_by.split(", "))

    async def end(self, clock: FrozenClock) -> None:
        """Consolidate what is left, and once more and again; then look at what there is."""
        await self.consolidate()
        before = await self._all()
        at_us = clock.now_us()
        for _ in range(PASSES_AFTER):
            clock.forward(_DAY_S)
            await self.consolidate()
        after = await self._all()
        clock.at_us = at_us
        ids = before.keys() | after.keys()
        self._played.changed += sum(before.get(one) != after.get(one) for one in ids)
        self._played.left += sum("consolidation" in one.awaits for one in after.values())
        for memory in after.values():
            self._look_at(memory, at_us)

    async def _all(self) -> dict[str, Memory]:
        found: dict[str, Memory] = {}
        cursor: str | None = None
        while True:
            listed = await self._client.list(cursor=cursor, limit=_LISTED_AT_ONCE)
            found |= {one.id: one for one in listed.memories}
            cursor = listed.next_cursor
            if cursor is None:
                return found

    def _look_at(self, memory: Memory, now_us: int) -> None:
        row = self._row_of.get(memory.id)
        match memory.kind:
            case "episodic" if row is not None:
                self._played.texts[self._tenant, row] = memory.text
            case "semantic":
                self._played.facts.append(self._made(memory, now_us))
            case "procedural" if row is None:
                made = MadePlaybook(
                    tenant=self._tenant, text=memory.text, supports=self._supports(memory)
                )
                self._played.playbooks.append(made)
            case "procedural":
                counts = {"worked": memory.counts.successes, "failed": memory.counts.failures}
                self._played.outcomes[self._tenant, row or ""] = counts

    def _made(self, memory: Memory, now_us: int) -> MadeFact:
        marks = dict(memory.metadata)
        until_us = memory.times.valid_until_us
        is_past = until_us is not None and until_us <= now_us
        by = memory.links.superseded_by
        return MadeFact(
            tenant=self._tenant,
            id=memory.id,
            text=memory.text,
            trust=memory.trust,
            supports=self._supports(memory),
            places=tuple(
                Place(self._row_of.get(one.memory_id, ""), one.start, one.end)
                for one in memory.source.spans
            ),
            subject=str(marks.get("subject", "")),
            attribute=str(marks.get("attribute", "")),
            holds=memory.status == "active" and memory.shelf == "open" and not is_past,
            ended=None if by is not None else _end_of(memory, is_past=is_past),
            superseded_by=by,
            contradiction=memory.links.contradiction,
        )

    def _supports(self, memory: Memory) -> tuple[str, ...]:
        return tuple(self._row_of.get(one, "") for one in memory.source.supporting)


def _end_of(memory: Memory, *, is_past: bool) -> Contradiction | None:
    if memory.status == "retracted":
        return "harsh"
    return "natural" if is_past else None


def _in_time(corpus: Corpus) -> Iterator[tuple[int, str, Row]]:
    """Yield episodes and playbooks with when they were said and by whom, the earliest first."""
    said = [
        (read_instant(row.draft.occurred_at)[0], tenant.name, row)
        for tenant in corpus.tenants
        for row in tenant.rows
        if row.draft.kind in ("episodic", "procedural") and row.draft.occurred_at is not None
    ]
    yield from sorted(said, key=lambda one: one[0])
