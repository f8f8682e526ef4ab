"""How often a credential may ask, for each user that it asks for; counted in this process."""

import math

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from pinyon.access.authenticating import Caller
from pinyon.domain.times import US_PER_S
from pinyon.ports.clock import Clock

WINDOW_S = 10
"""Over so many seconds requests are counted: a short burst is nobody's fault."""


class Limiter:
    """Counts requests of credentials; 0 a second stands for as many as they like."""

    def __init__(self, per_second: float, clock: Clock) -> None:
        self._clock = clock
        self._item = RateLimitItemPerSecond(max(1, round(per_second * WINDOW_S)), WINDOW_S)
        self._limiter = FixedWindowRateLimiter(MemoryStorage()) if per_second > 0 else None

    async def wait_s(self, caller: Caller) -> int:
        """Count a request; return how many seconds to wait before another, 0 for none."""
        if self._limiter is None:
            return 0
        user = "" if caller.principal is None else caller.principal.user
        who = (caller.credential_id, user)
        if await self._limiter.hit(self._item, *who):
            return 0
        window = await self._limiter.get_window_stats(self._item, *who)
        return max(1, math.ceil(window.reset_time - self._clock.now_us() / US_PER_S))
