"""Doing what consolidation may do: one commit, against the versions that were read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
)
from pinyon.care.procedures import refined, tried
from pinyon.domain.change import Change, Count, Link, Patch, Settle
from pinyon.domain.consolidation import Consolidated, Material, PlaybookProposal
from pinyon.domain.draft import Draft
from pinyon.domain.ids import MemoryId, NewUuid
from pinyon.domain.memory import Memory, Step
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.errors import BadInput, Refused
from pinyon.ports.clock import Clock
from pinyon.ports.store import Store
from pinyon.text.normal import content_hash
from pinyon.write.gate import admit
from pinyon.write.keeper import Beside, Keeper
from pinyon.write.standing import planned_retraction

CONFIDENCE_MOST = 0.99
WHY_CHARS = 200


@dataclass(slots=True)
class _Work:
    """What is to be done in one commit.

    Attributes:
        made_by: Who proposed it.
    """

    made_by: str

    drafts: list[Draft] = field(default_factory=list)
    conflicts: list[tuple[int, tuple[Memory, ...]]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    expect: dict[MemoryId, int] = field(default_factory=dict)
    strengthened: list[MemoryId] = field(default_factory=list)
    superseded: list[MemoryId] = field(default_factory=list)
    refined: list[MemoryId] = field(default_factory=list)
    outcomes: list[MemoryId] = field(default_factory=list)


class Committer:
    """Does what was accepted: what is new goes through the gate, and all of it or nothing."""

    def __init__(
        self, store: Store, keeper: Keeper, copies: Copies, *, clock: Clock, new_uuid: NewUuid
    ) -> None:
        self._store, self._keeper, self._copies = store, keeper, copies
        self._clock, self._new_uuid = clock, new_uuid

    async def done(
        self,
        space: Space,
        material: Material,
        waiting: Sequence[Memory],
        found: Guarded,
        *,
        made_by: str,
        by: Actor,
    ) -> Consolidated:
        """Do it, and let what waited wait no more.

        Args:
            space: In which.
            material: What it was made from, as it is now.
            waiting: What is done with, beside what told an outcome; what is gone is left out.
            found: What may be done, and what was refused.
            made_by: Who proposed it.
            by: Who does it.

        Raises:
            VersionConflict: Somebody changed what was read.
        """
        work = _Work(made_by=made_by)
        refused = Counter(one.reason for one in found.refused)
        episodes = {one.id: one for one in material.episodes}
        for one in found.accepted:
            await self._plan(work, one, episodes)
        await self._screened(space, work, refused)
        told = [one.proposal.support for one in found.accepted if isinstance(one, Outcome)]
        ids = dict.fromkeys([*(one.id for one in waiting), *told])
        there = await self._store.records.get(space, list(ids))
        # Only for the first one: what an episode says of an outcome is counted once.
        settled = [
            Settle(one.id, "consolidation", is_first=True)
            for one in there
            if "consolidation" in one.awaits
        ]
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
                work.drafts.append(_fact(one, episode, work.made_by))
                self._expect(work, (*one.supersedes, *one.conflicts))
                work.superseded += [old.id for old in one.supersedes]
            case Fact(known=known) if known is not None:
                self._strengthen(work, known, one.proposal.support, one.proposal.confidence)
            case End():
                await self._end(work, one, episodes[one.proposal.support])
            case Playbook():
                self._playbook(work, one)
            case Outcome(proposal=told, memory=memory):
                at_us = episodes[told.support].times.occurred_at_us
                work.changes.append(tried(memory.id, told.outcome, at_us))
                work.outcomes.append(memory.id)

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
            work.drafts.append(_new_playbook(one.proposal, work.made_by))
            return
        patch = refined(known, [Step(step) for step in proposal.steps])
        if patch is not None:
            work.changes.append(patch)
            work.refined.append(known.id)
            self._expect(work, (known,))
        for support in proposal.supports:
            self._strengthen(work, known, support, proposal.confidence)

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


def _fact(one: Fact, episode: Memory, made_by: str) -> Draft:
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
        metadata={**_said(marks), MADE_BY: made_by},
        occurred_at=_when(episode),
        project=episode.project,
        supporting=(episode.id,),
        quote=proposal.quote,
        supersedes=tuple(old.id for old in one.supersedes),
        contradiction=proposal.contradiction,
    )


def _new_playbook(proposal: PlaybookProposal, made_by: str) -> Draft:
    return Draft(
        text=proposal.text,
        kind="procedural",
        trigger=proposal.trigger,
        steps=proposal.steps,
        confidence=proposal.confidence,
        trust="agent",
        metadata={**_said({"why": proposal.why}), MADE_BY: made_by},
        supporting=proposal.supports,
        quote=proposal.quote,
    )


def _when(episode: Memory) -> str | None:
    at_us = episode.times.occurred_at_us
    return None if at_us is None else show_instant(at_us, episode.times.offset_min)


def _said(marks: Mapping[str, str]) -> dict[str, object]:
    return {name: value[:WHY_CHARS] for name, value in marks.items() if value}
