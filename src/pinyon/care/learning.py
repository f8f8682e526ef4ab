"""The operations of a client by which what was said becomes what is true and what works."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from pinyon.care.consolidating import EPISODES_AT_ONCE, Consolidator
from pinyon.care.handed_in import handed_in
from pinyon.care.reflecting import Reflection, over_of
from pinyon.domain.consolidation import (
    Consolidated,
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.reflection import Ended, Reflected
from pinyon.domain.space import Scope
from pinyon.errors import InvalidValue
from pinyon.ports.watch import Watch, watched

EPISODES_MAX = 10_000
MATERIAL_MAX = 100


class LearningOperations(ABC):
    """Consolidation; `MemoryClient` has the rest."""

    _by: Actor
    _watch: Watch
    _consolidator: Consolidator
    _reflection: Reflection

    @abstractmethod
    async def _who(self, scope: Scope | None = None) -> Principal:
        """Return the principal as grants leave it now."""

    @watched
    async def consolidate(self, *, limit: int = EPISODES_MAX) -> Consolidated:
        """Make facts and playbooks of what waits. See `pinyon.ports.client.Operations`."""
        _check_limit(limit, EPISODES_MAX)
        space = (await self._who("own")).space("own")
        done = Consolidated()
        while done.episodes < limit:
            at_once = min(EPISODES_AT_ONCE, limit - done.episodes)
            part = await self._consolidator.run(space, by=self._by, limit=at_once)
            done = joined(done, part)
            if not part.episodes:
                break
        return done

    @watched
    async def material(self, *, limit: int = EPISODES_AT_ONCE) -> Material:
        """Return what waits, and what is near it. See `pinyon.ports.client.Operations`."""
        _check_limit(limit, MATERIAL_MAX)
        space = (await self._who()).space("own", to="read")
        return await self._consolidator.material(space, limit=limit)

    @watched
    async def propose(
        self,
        *,
        episodes: Sequence[str] = (),
        facts: Sequence[FactProposal] = (),
        ends: Sequence[EndProposal] = (),
        playbooks: Sequence[PlaybookProposal] = (),
        outcomes: Sequence[OutcomeProposal] = (),
    ) -> Consolidated:
        """Hand in what somebody made of it. See `pinyon.ports.client.Operations`."""
        given = handed_in(
            episodes=episodes, facts=facts, ends=ends, playbooks=playbooks, outcomes=outcomes
        )
        space = (await self._who("own")).space("own")
        return await self._consolidator.propose(
            space, given.proposals, settles=given.settles, by=self._by
        )

    @watched
    async def reflect(
        self,
        task: str,
        *,
        outcome: Ended,
        summary: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Reflected:
        """Learn from a task that is over. See `pinyon.ports.client.Operations`."""
        over = over_of(task, outcome=outcome, summary=summary, session=session, key=key)
        space = (await self._who("own")).space("own")
        return await self._reflection.run(space, over, by=self._by)


def _check_limit(limit: object, most: int) -> None:
    if isinstance(limit, int) and not isinstance(limit, bool) and 1 <= limit <= most:
        return
    raise InvalidValue("limit", limit, f"a whole number from 1 to {most:,}")


def joined(first: Consolidated, second: Consolidated) -> Consolidated:
    """Return what became of two parts of what waited, one after the other."""
    reasons = (*first.refused, *second.refused)
    counts = {
        one: first.refused.get(one, 0) + second.refused.get(one, 0) for one in sorted(reasons)
    }
    told = [one for one in (first, second) if one.episodes] or [second]
    return replace(
        second,
        episodes=first.episodes + second.episodes,
        created=first.created + second.created,
        strengthened=first.strengthened + second.strengthened,
        superseded=first.superseded + second.superseded,
        refined=first.refined + second.refined,
        outcomes=first.outcomes + second.outcomes,
        conflicts=first.conflicts + second.conflicts,
        refused=counts,
        made_by=", ".join(dict.fromkeys(one.made_by for one in told if one.made_by)),
    )
