"""Consolidation: what waits is read together, proposals are guarded, and one commit does the rest.

That an episode waits is cleared in the commit that made something of it, so a process that dies on
the way loses nothing and does nothing twice; and the commit holds only against the versions that
were read, so what is written meanwhile is not lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pinyon.care.committing import Committer
from pinyon.care.copies import Copies
from pinyon.care.gathering import Gatherer
from pinyon.care.guards import Reads, guarded
from pinyon.care.speakers import is_a_users
from pinyon.domain.consolidation import (
    Consolidated,
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
    Proposal,
)
from pinyon.domain.ids import MemoryId, NewUuid
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import BadModelOutput, NotWanted
from pinyon.ports.clock import Clock
from pinyon.ports.proposer import Proposer
from pinyon.ports.store import Store
from pinyon.text.normal import content_hash
from pinyon.write.anew import planned_anew
from pinyon.write.keeper import Keeper

EPISODES_AT_ONCE = 20
EPISODES_AFTER_BAD_OUTPUT = 5
"""With less to read, a model that could not answer may: it is asked once more."""

HANDED_IN = "handed-in@1"
"""Who proposed what somebody else's model made of the material."""


class Consolidator:
    """Makes facts and playbooks of the episodes of a space."""

    def __init__(  # noqa: PLR0913 - all but four by keyword, and only a client makes one
        self,
        store: Store,
        keeper: Keeper,
        gatherer: Gatherer,
        copies: Copies,
        *,
        proposer: Proposer,
        fallback: Proposer,
        reads: Reads,
        clock: Clock,
        new_uuid: NewUuid,
    ) -> None:
        """Take what it reads, asks and writes to.

        Args:
            store: Where.
            keeper: Writes what is new, through the gate.
            gatherer: Finds what is known near an episode.
            copies: Lets copies follow what ends.
            proposer: Says what to make of it.
            fallback: Says it where what the first one said could not be read.
            reads: Reads off a text what it states.
            clock: Tells the time.
            new_uuid: Makes ids.
        """
        self._store, self._keeper, self._copies = store, keeper, copies
        self._proposer, self._fallback, self._reads = proposer, fallback, reads
        self._gatherer = gatherer
        self._committer = Committer(store, keeper, copies, clock=clock, new_uuid=new_uuid)

    async def run(self, space: Space, *, by: Actor, limit: int = EPISODES_AT_ONCE) -> Consolidated:
        """Consolidate what waits the longest, and return what became of it.

        What a model answers to too much, or to one strange message, may be unreadable: then it is
        asked for less, and what it cannot read either, the fallback does. So nothing waits for
        ever behind something that no model can answer to.

        Raises:
            Unavailable: Whoever proposes could not be asked; everything goes on waiting.
            VersionConflict: Somebody else changed what it read, each time.
        """
        waiting = await self._waiting(space, limit)
        fewer = waiting[:EPISODES_AFTER_BAD_OUTPUT]
        tries = ((self._proposer, waiting), (self._proposer, fewer))
        for failed, (proposer, episodes) in enumerate(tries):
            if failed and len(fewer) == len(waiting):
                break
            try:
                return await self._run(space, episodes, proposer, by)
            except BadModelOutput:
                continue
        done = await self._run(space, fewer, self._fallback, by)
        refused = {**done.refused, BadModelOutput.code: 1}
        return replace(done, refused=refused)

    async def material(self, space: Space, *, limit: int) -> Material:
        """Return what waits the longest, and what is known near it, for somebody else to read."""
        waiting = await self._waiting(space, limit)
        return await self._gatherer.material(space, list(filter(is_a_users, waiting)))

    async def propose(
        self,
        space: Space,
        proposals: Sequence[Proposal],
        *,
        settles: Sequence[MemoryId],
        by: Actor,
    ) -> Consolidated:
        """Do what somebody proposes, under the guards that hold for everybody.

        Args:
            space: Whose episodes it is about.
            proposals: In the order in which they are to happen.
            settles: Episodes that are done with. One whose outcome is told is done with too.
            by: Who proposes.

        Raises:
            NotWanted: The user wants nothing kept.
            VersionConflict: Somebody else changed what it read, each time.
        """
        if (await self._keeper.gate_for(space)).allowed.is_paused:
            raise NotWanted("paused")
        supports = dict.fromkeys(
            (*settles, *(one for each in proposals for one in _rests_on(each)))
        )
        held = await self._store.records.get(space, list(supports))
        episodes = [one for one in held if one.kind == "episodic"]
        waiting = [one for one in episodes if one.id in settles]
        named = [one for each in proposals for one in _names(each)]
        material = await self._gatherer.material(space, episodes, named=named)
        return await self._done(space, material, waiting, proposals, made_by=HANDED_IN, by=by)

    async def _run(
        self, space: Space, waiting: Sequence[Memory], proposer: Proposer, by: Actor
    ) -> Consolidated:
        material = await self._gatherer.material(space, list(filter(is_a_users, waiting)))
        proposals = await proposer.propose(material) if material.episodes else ()
        return await self._done(space, material, waiting, proposals, made_by=proposer.label, by=by)

    async def _done(
        self,
        space: Space,
        material: Material,
        waiting: Sequence[Memory],
        proposals: Sequence[Proposal],
        *,
        made_by: str,
        by: Actor,
    ) -> Consolidated:
        forgotten = await self._forgotten(space, proposals)

        async def attempt() -> Consolidated:
            current = await self._gatherer.again(space, material)
            if made_by != HANDED_IN:
                # What somebody else has done meanwhile is not done again.
                current = replace(current, episodes=_still_waiting(current.episodes))
            found = guarded(current, proposals, reads=self._reads, forgotten=forgotten)
            return await self._committer.done(
                space, current, waiting, found, made_by=made_by, by=by
            )

        done = await planned_anew(attempt)
        if done.superseded:
            await self._copies.run(space)
        return replace(done, made_by=made_by, left=await self._left(space))

    async def _waiting(self, space: Space, limit: int) -> Sequence[Memory]:
        """Return what waits the longest; nothing while its user wants nothing kept.

        It goes on waiting then: what the gate refuses is not looked at again.
        """
        if (await self._keeper.gate_for(space)).allowed.is_paused:
            return ()
        return await self._store.records.pending(space, "consolidation", limit=limit)

    async def _left(self, space: Space) -> int:
        outlook = await self._store.jobs.outlook(space, tasks=())
        return outlook.awaited.get("consolidation", 0)

    async def _forgotten(self, space: Space, proposals: Sequence[Proposal]) -> Mapping[str, int]:
        texts = [getattr(one, name, "") for one in proposals for name in ("text", "quote")]
        hashes = sorted({content_hash(text) for text in texts if text})
        return await self._store.receipts.forgotten(space, hashes) if hashes else {}


def _still_waiting(episodes: Sequence[Memory]) -> tuple[Memory, ...]:
    return tuple(one for one in episodes if "consolidation" in one.awaits)


def _rests_on(proposal: Proposal) -> Sequence[MemoryId]:
    return proposal.supports if isinstance(proposal, PlaybookProposal) else (proposal.support,)


def _names(proposal: Proposal) -> Sequence[MemoryId]:
    """Return the facts and playbooks that a proposal is about."""
    match proposal:
        case FactProposal(supersedes=supersedes):
            return supersedes
        case EndProposal(fact=fact):
            return (fact,)
        case PlaybookProposal(refines=refines):
            return () if refines is None else (refines,)
        case OutcomeProposal(playbook=playbook):
            return (playbook,)
