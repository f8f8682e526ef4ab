"""The operations of a client by which what was said becomes what is true and what works."""

from abc import ABC, abstractmethod
from dataclasses import replace

from pinyon.care.consolidating import EPISODES_AT_ONCE, Consolidator
from pinyon.domain.consolidation import Consolidated
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.space import Scope
from pinyon.errors import InvalidValue
from pinyon.ports.watch import Watch, watched

EPISODES_MAX = 10_000


class LearningOperations(ABC):
    """Consolidation; `MemoryClient` has the rest."""

    _by: Actor
    _watch: Watch
    _consolidator: Consolidator

    @abstractmethod
    async def _who(self, scope: Scope | None = None) -> Principal:
        """Return the principal as grants leave it now."""

    @watched
    async def consolidate(self, *, limit: int = EPISODES_MAX) -> Consolidated:
        """Make facts and playbooks of what waits. See `pinyon.ports.client.Operations`."""
        is_whole = isinstance(limit, int) and not isinstance(limit, bool)
        if not is_whole or not 1 <= limit <= EPISODES_MAX:
            raise InvalidValue("limit", limit, f"a whole number from 1 to {EPISODES_MAX:,}")
        space = (await self._who("own")).space("own")
        done = Consolidated()
        while done.episodes < limit:
            at_once = min(EPISODES_AT_ONCE, limit - done.episodes)
            part = await self._consolidator.run(space, by=self._by, limit=at_once)
            done = joined(done, part)
            if not part.episodes:
                break
        return done


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
