"""Consolidation: what waits is read together, proposals are guarded, and one commit does the rest.

That an episode waits is cleared in the commit that made something of it, so a process that dies on
the way loses nothing and does nothing twice; and the commit holds only against the versions that
were read, so what is written meanwhile is not lost.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pinyon.care.copies import Copies
from pinyon.care.guards import (
    ATTRIBUTE,
    MADE_BY,
    SUBJECT,
    Accepted,
    End,
    Fact,
    Guarded,
    Outcome,
    Playbook,
    Reads,
    guarded,
)
from pinyon.domain.change import Change, Count, Link, Patch, Settle
from pinyon.domain.consolidation import Consolidated, Material, PlaybookProposal, Proposal
from pinyon.domain.draft import Draft
from pinyon.domain.event import Turn, is_summary
from pinyon.domain.filter import Eq, Filter, Or, all_of
from pinyon.domain.ids import MemoryId, NewUuid
from pinyon.domain.memory import Memory, Step
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.errors import BadInput, Refused
from pinyon.ports.clock import Clock
from pinyon.ports.proposer import Proposer
from pinyon.ports.store import Store
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash
from pinyon.write.anew import planned_anew
from pinyon.write.gate import admit
from pinyon.write.keeper import Beside, Keeper
from pinyon.write.standing import planned_retraction

EPISODES_AT_ONCE = 20
KNOWN_FOR_EACH = 5
KNOWN_MAX = 60
AROUND_MAX = 40
QUESTION_CHARS = 2_000
CONFIDENCE_MOST = 0.99
WHY_CHARS = 200

_HOLDS: Filter = all_of(Eq("status", "active"), Eq("shelf", "open"))


@dataclass(slots=True)
class _Work:
    """What is to be done in one commit."""

    drafts: list[Draft] = field(default_factory=list)
    conflicts: list[tuple[int, tuple[Memory, ...]]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    expect: dict[MemoryId, int] = field(default_factory=dict)
    strengthened: list[MemoryId] = field(default_factory=list)
    superseded: list[MemoryId] = field(default_factory=list)
    refined: list[MemoryId] = field(default_factory=list)
    outcomes: list[MemoryId] = field(default_factory=list)


class Consolidator:
    """Makes facts and playbooks of the episodes of a space."""

    def __init__(  # noqa: PLR0913 - all but four by keyword, and only a client makes one
        self,
        store: Store,
        keeper: Keeper,
        recaller: Recaller,
        copies: Copies,
        *,
        proposer: Proposer,
        reads: Reads,
        clock: Clock,
        new_uuid: NewUuid,
    ) -> None:
        """Take what it reads, asks and writes to.

        Args:
            store: Where.
            keeper: Writes what is new, through the gate.
            recaller: Finds what is known near an episode.
            copies: Lets copies follow what ends.
            proposer: Says what to make of it.
            reads: Reads off a text what it states.
            clock: Tells the time.
            new_uuid: Makes ids.
        """
        self._store, self._keeper, self._recaller, self._copies = store, keeper, recaller, copies
        self._proposer, self._reads = proposer, reads
        self._clock, self._new_uuid = clock, new_uuid

    async def run(self, space: Space, *, by: Actor, limit: int = EPISODES_AT_ONCE) -> Consolidated:
        """Consolidate what waits the longest, and return what became of it.

        Raises:
            Unavailable: Whoever proposes could not be asked; everything goes on waiting.
            BadModelOutput: What it said could not be read; likewise.
            VersionConflict: Somebody else changed what it read, each time.
        """
        waiting = await self._waiting(space, limit)
        if not waiting:
            return Consolidated(made_by=self._proposer.label, left=await self._left(space))
        episodes = tuple(one for one in waiting if _may_support(one))
        material = await self._material(space, episodes)
        proposals = await self._proposer.propose(material) if episodes else ()
        forgotten = await self._forgotten(space, proposals)

        async def attempt() -> Consolidated:
            current = await self._read_again(space, material)
            found = guarded(current, proposals, reads=self._reads, forgotten=forgotten)
            return await self._done(space, current, waiting, found, by)

        done = await planned_anew(attempt)
        if done.superseded:
            await self._copies.run(space)
        return replace(done, made_by=self._proposer.label, left=await self._left(space))

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

    # ── what it looks at ─────────────────────────────────────────────────────────────────────

    async def _material(self, space: Space, episodes: tuple[Memory, ...]) -> Material:
        now_us = self._clock.now_us()
        known: dict[MemoryId, Memory] = {}
        for episode in episodes:
            for memory in await self._known_near(space, episode, now_us):
                known.setdefault(memory.id, memory)
        facts = tuple(one for one in known.values() if one.kind == "semantic")
        playbooks = tuple(one for one in known.values() if one.kind == "procedural")
        return Material(
            episodes=episodes,
            around=await self._around(space, episodes),
            facts=facts[:KNOWN_MAX],
            playbooks=playbooks[:KNOWN_MAX],
            now_us=now_us,
        )

    async def _known_near(self, space: Space, episode: Memory, now_us: int) -> list[Memory]:
        """Return the facts and playbooks that recall finds, and facts on what it is about."""
        asked = question_of(
            episode.text[:QUESTION_CHARS],
            spaces=(space,),
            now_us=now_us,
            k=KNOWN_FOR_EACH,
            kinds=("semantic", "procedural"),
        )
        answer = await self._recaller.recall(replace(asked, key=""))
        found = [hit.memory for hit in answer.hits]
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

    async def _around(self, space: Space, episodes: Sequence[Memory]) -> tuple[Turn, ...]:
        shown = {one.id for one in episodes}
        sessions = dict.fromkeys(one.source.session for one in episodes if one.source.session)
        turns: list[Turn] = []
        for session in sessions:
            turns += await self._store.event_log.latest(
                space, session, also_ended=True, limit=AROUND_MAX
            )
        return tuple(turn for turn in turns if turn.id not in shown)

    async def _read_again(self, space: Space, material: Material) -> Material:
        """Return material as it is now: what is gone, or holds no more, is left out."""
        ids = [one.id for one in (*material.episodes, *material.facts, *material.playbooks)]
        now = {one.id: one for one in await self._store.records.get(space, ids)}

        def current(memories: Sequence[Memory]) -> tuple[Memory, ...]:
            held = [now[one.id] for one in memories if one.id in now]
            return tuple(one for one in held if one.status == "active" and one.shelf == "open")

        return replace(
            material,
            episodes=tuple(one for one in current(material.episodes) if _may_support(one)),
            facts=current(material.facts),
            playbooks=current(material.playbooks),
        )

    async def _forgotten(self, space: Space, proposals: Sequence[Proposal]) -> Mapping[str, int]:
        texts = [getattr(one, name, "") for one in proposals for name in ("text", "quote")]
        hashes = sorted({content_hash(text) for text in texts if text})
        return await self._store.receipts.forgotten(space, hashes) if hashes else {}

    # ── what it does ─────────────────────────────────────────────────────────────────────────

    async def _done(
        self,
        space: Space,
        material: Material,
        waiting: Sequence[Memory],
        found: Guarded,
        by: Actor,
    ) -> Consolidated:
        work = _Work()
        refused = Counter(one.reason for one in found.refused)
        episodes = {one.id: one for one in material.episodes}
        for one in found.accepted:
            await self._plan(work, one, episodes)
        await self._screened(space, work, refused)
        there = {one.id for one in await self._store.records.get(space, [m.id for m in waiting])}
        settled = [Settle(one.id, "consolidation") for one in waiting if one.id in there]
        beside = Beside(
            changes=(*work.changes, *settled),
            expect={**{one.id: one.version for one in material.episodes}, **work.expect},
        )
        created = await self._commit(space, work, beside, by)
        return Consolidated(
            episodes=len(settled),
            created=created,
            strengthened=tuple(work.strengthened),
            superseded=tuple(work.superseded),
            refined=tuple(work.refined),
            outcomes=tuple(work.outcomes),
            conflicts=tuple(old.id for _, olds in work.conflicts for old in olds),
            refused=dict(refused),
        )

    async def _commit(
        self, space: Space, work: _Work, beside: Beside, by: Actor
    ) -> tuple[MemoryId, ...]:
        records = self._store.records
        if not work.drafts:
            if beside.changes:
                await records.apply(space, beside.changes, by=by, expect=beside.expect)
            return ()
        written = await self._keeper.keep(
            space, work.drafts, by=by, repeats_support=False, beside=beside
        )
        linked: list[Change] = []
        for place, olds in work.conflicts:
            new = MemoryId(written[place].id)
            linked.append(Link(id=new, conflicts_with=tuple(old.id for old in olds)))
        if linked:
            await records.apply(space, linked, by=by)
        return tuple(MemoryId(one.id) for one in written if one.created)

    async def _plan(self, work: _Work, one: Accepted, episodes: Mapping[MemoryId, Memory]) -> None:
        match one:
            case Fact(known=None):
                episode = episodes[one.proposal.support]
                if one.conflicts:
                    work.conflicts.append((len(work.drafts), one.conflicts))
                work.drafts.append(self._fact(one, episode))
                self._expect(work, (*one.supersedes, *one.conflicts))
                work.superseded += [old.id for old in one.supersedes]
            case Fact(known=known) if known is not None:
                self._strengthen(work, known, one.proposal.support, one.proposal.confidence)
            case End():
                await self._end(work, one, episodes[one.proposal.support])
            case Playbook():
                self._playbook(work, one)
            case Outcome():
                self._count(work, one, episodes[one.proposal.support])

    def _fact(self, one: Fact, episode: Memory) -> Draft:
        proposal = one.proposal
        marks = {SUBJECT: proposal.subject, ATTRIBUTE: proposal.attribute, "why": proposal.why}
        # To the letter the user's own words are the user's; put otherwise, somebody concluded it.
        is_users = content_hash(proposal.text) == content_hash(proposal.quote)
        return Draft(
            text=proposal.text,
            kind="semantic",
            confidence=proposal.confidence,
            category=proposal.category,
            trust="user" if is_users else "agent",
            metadata={**_said(marks), MADE_BY: self._proposer.label},
            occurred_at=_when(episode),
            project=episode.project,
            supporting=(episode.id,),
            quote=proposal.quote,
            supersedes=tuple(old.id for old in one.supersedes),
            contradiction=proposal.contradiction,
        )

    def _strengthen(self, work: _Work, known: Memory, support: MemoryId, confidence: float) -> None:
        """Let a fact that is there gain support, once for each episode that says it."""
        if support in known.source.supporting or known.id in work.strengthened:
            return
        raised = min(CONFIDENCE_MOST, 1 - (1 - known.confidence) * (1 - confidence))
        work.changes += [
            Count(id=known.id, support=1),
            Link(id=known.id, supporting=(*known.source.supporting, support)),
        ]
        if raised > known.confidence:
            work.changes.append(Patch(id=known.id, confidence=round(raised, 6)))
        self._expect(work, (known,))
        work.strengthened.append(known.id)

    async def _end(self, work: _Work, one: End, episode: Memory) -> None:
        memory = one.memory
        if one.proposal.says == "never":
            changes, expect = await planned_retraction(self._store.records, memory)
            work.changes += changes
            work.expect |= expect
        else:
            until_us = episode.times.occurred_at_us
            work.changes.append(Link(id=memory.id, valid_until_us=until_us, act="end"))
        work.changes += self._copies.following(memory)
        self._expect(work, (memory,))
        work.superseded.append(memory.id)

    def _playbook(self, work: _Work, one: Playbook) -> None:
        """Keep a playbook; of one that is there, better steps are its next version."""
        proposal, known = one.proposal, one.known
        if known is None or known.procedure is None:
            work.drafts.append(self._new_playbook(one.proposal))
            return
        steps = tuple(Step(step) for step in proposal.steps)
        if _hashes(steps) != _hashes(known.procedure.current_steps):
            refined = replace(known, procedure=replace(known.procedure, refined_steps=steps))
            rows = index_rows(refined, "")
            work.changes.append(Patch(id=known.id, refined_steps=steps, rows=rows))
            work.refined.append(known.id)
            self._expect(work, (known,))
        for support in proposal.supports:
            self._strengthen(work, known, support, proposal.confidence)

    def _new_playbook(self, proposal: PlaybookProposal) -> Draft:
        return Draft(
            text=proposal.text,
            kind="procedural",
            trigger=proposal.trigger,
            steps=proposal.steps,
            confidence=proposal.confidence,
            trust="agent",
            metadata={**_said({"why": proposal.why}), MADE_BY: self._proposer.label},
            supporting=proposal.supports,
            quote=proposal.quote,
        )

    def _count(self, work: _Work, one: Outcome, episode: Memory) -> None:
        worked = one.proposal.outcome == "worked"
        work.changes.append(
            Count(
                id=one.memory.id,
                successes=int(worked),
                failures=int(not worked),
                succeeded_at_us=episode.times.occurred_at_us if worked else None,
            )
        )
        work.outcomes.append(one.memory.id)

    @staticmethod
    def _expect(work: _Work, memories: Sequence[Memory]) -> None:
        work.expect |= {one.id: one.version for one in memories}

    async def _screened(self, space: Space, work: _Work, refused: Counter[str]) -> None:
        """Leave out what the gate would not let in, rather than lose all of it."""
        gate = await self._keeper.gate_for(space)
        kept: list[Draft] = []
        places: dict[int, int] = {}
        for place, draft in enumerate(work.drafts):
            try:
                admitted = admit(
                    draft, space, now_us=self._clock.now_us(), new_uuid=self._new_uuid, gate=gate
                )
            except (BadInput, Refused) as error:
                refused[error.code] += 1
                continue
            if admitted.memory.shelf == "quarantined":
                refused["gives_orders"] += 1
                continue
            places[place] = len(kept)
            kept.append(draft)
        lost = {old for place, draft in enumerate(work.drafts) if place not in places
                for old in draft.supersedes}  # fmt: skip
        work.superseded = [one for one in work.superseded if one not in lost]
        work.conflicts = [(places[at], olds) for at, olds in work.conflicts if at in places]
        work.drafts = kept


def _may_support(memory: Memory) -> bool:
    return memory.status == "active" and memory.shelf == "open" and not is_summary(memory)


def _hashes(steps: Sequence[Step]) -> list[str]:
    return [content_hash(step.instruction) for step in steps]


def _when(episode: Memory) -> str | None:
    at_us = episode.times.occurred_at_us
    return None if at_us is None else show_instant(at_us, episode.times.offset_min)


def _said(marks: Mapping[str, str]) -> dict[str, object]:
    return {name: value[:WHY_CHARS] for name, value in marks.items() if value}
