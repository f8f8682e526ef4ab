"""Material for consolidation: what waits, what was said around it, and what is known near it."""

from collections.abc import Sequence
from dataclasses import replace

from pinyon.care.guards import ATTRIBUTE, SUBJECT, Reads
from pinyon.care.procedures import is_playbook
from pinyon.domain.consolidation import Material
from pinyon.domain.event import Turn
from pinyon.domain.filter import Eq, Filter, Or, all_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Kind, Memory
from pinyon.domain.space import Space
from pinyon.ports.clock import Clock
from pinyon.ports.store import Store
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller

KNOWN_FOR_EACH = 5
KNOWN_MAX = 60
AROUND_MAX = 40
QUESTION_CHARS = 2_000

_HOLDS: Filter = all_of(Eq("status", "active"), Eq("shelf", "open"))


class Gatherer:
    """Reads what is looked at together."""

    def __init__(self, store: Store, recaller: Recaller, *, reads: Reads, clock: Clock) -> None:
        self._store, self._recaller = store, recaller
        self._reads, self._clock = reads, clock

    async def material(
        self, space: Space, episodes: Sequence[Memory], *, named: Sequence[MemoryId] = ()
    ) -> Material:
        """Return what is to be known of episodes.

        What was said in a temporary session stays in it: nothing is made of it.

        Args:
            space: Whose.
            episodes: Those that are looked at; what holds no more is left out.
            named: Facts and playbooks that somebody names beside those that recall finds.
        """
        now_us = self._clock.now_us()
        apart = await self._temporary(space)
        episodes = [one for one in episodes if holds(one) and one.source.session not in apart]
        known: dict[MemoryId, Memory] = {}
        for episode in episodes:
            for memory in await self._known_near(space, episode, now_us):
                known.setdefault(memory.id, memory)
        facts = tuple(one for one in known.values() if one.kind == "semantic")[:KNOWN_MAX]
        playbooks = tuple(filter(is_playbook, known.values()))[:KNOWN_MAX]
        missing = [one for one in named if one not in known]
        asked = await self._store.records.get(space, missing) if missing else []
        asked = [one for one in asked if holds(one)]
        return Material(
            episodes=tuple(episodes),
            around=await self._around(space, episodes),
            facts=(*facts, *(one for one in asked if one.kind == "semantic")),
            playbooks=(*playbooks, *filter(is_playbook, asked)),
            now_us=now_us,
        )

    async def turns_of(self, space: Space, task: str, *, limit: int) -> tuple[Turn, ...]:
        """Return what was said and done on a task, but for what stays in a temporary session."""
        apart = await self._temporary(space)
        turns = await self._store.event_log.of_task(space, task, limit=limit)
        return tuple(turn for turn in turns if turn.session not in apart)

    async def playbooks_near(self, space: Space, text: str) -> tuple[Memory, ...]:
        """Return the playbooks that recall finds for what is to be done."""
        found = await self._recalled(space, text, ("procedural",), self._clock.now_us())
        return tuple(filter(is_playbook, found))

    async def _temporary(self, space: Space) -> frozenset[str]:
        held = await self._store.sessions.list_sessions(space)
        return frozenset(one.name for one in held if one.is_temporary)

    async def _known_near(self, space: Space, episode: Memory, now_us: int) -> list[Memory]:
        """Return the facts and playbooks that recall finds, and facts on what it is about."""
        found = await self._recalled(space, episode.text, ("semantic", "procedural"), now_us)
        about = {(one.subject, one.attribute) for one in self._reads(episode.text)}
        if about:
            same = Or(
                tuple(
                    all_of(Eq(f"metadata.{SUBJECT}", subject), Eq(f"metadata.{ATTRIBUTE}", name))
                    for subject, name in sorted(about)
                )
            )
            where = all_of(_HOLDS, Eq("kind", "semantic"), same)
            found += (await self._store.records.scan(space, where, limit=KNOWN_MAX)).memories
        return found

    async def _recalled(
        self, space: Space, text: str, kinds: Sequence[Kind], now_us: int
    ) -> list[Memory]:
        asked = question_of(
            text[:QUESTION_CHARS], spaces=(space,), now_us=now_us, k=KNOWN_FOR_EACH, kinds=kinds
        )
        answer = await self._recaller.recall(replace(asked, key=""))
        return [hit.memory for hit in answer.hits]

    async def _around(self, space: Space, episodes: Sequence[Memory]) -> tuple[Turn, ...]:
        shown = {one.id for one in episodes}
        sessions = dict.fromkeys(one.source.session for one in episodes if one.source.session)
        turns: list[Turn] = []
        for session in sessions:
            turns += await self._store.event_log.latest(
                space, session, also_ended=True, limit=AROUND_MAX
            )
        return tuple(turn for turn in turns if turn.id not in shown)

    async def again(self, space: Space, material: Material) -> Material:
        """Return material as it is now: what is gone, or holds no more, is left out."""
        ids = [one.id for one in (*material.episodes, *material.facts, *material.playbooks)]
        now = {one.id: one for one in await self._store.records.get(space, ids)}

        def current(memories: Sequence[Memory]) -> tuple[Memory, ...]:
            held = [now[one.id] for one in memories if one.id in now]
            return tuple(one for one in held if holds(one))

        return replace(
            material,
            episodes=current(material.episodes),
            facts=current(material.facts),
            playbooks=current(material.playbooks),
        )


def holds(memory: Memory) -> bool:
    """Return whether a memory is true as far as is known, and recall looks at it."""
    return memory.status == "active" and memory.shelf == "open"
