"""What was said in temporary sessions, which only those sessions themselves may recall."""

from collections.abc import Sequence

from pinyon.domain.filter import EVERYTHING, Filter, In, Not
from pinyon.domain.space import Space
from pinyon.ports.sessions import Sessions
from pinyon.recall.side_by_side import side_by_side

STAYS_IN_ITS_SESSION = "temporary"
"""The name of the condition."""


async def kept_apart(
    sessions: Sessions, spaces: Sequence[Space], *, within: str = "", now_us: int
) -> Filter:
    """Return what keeps out what stays in temporary sessions; everything passes where none is open.

    Args:
        sessions: Tells which there are.
        spaces: Whose memories may answer.
        within: The session that is asked in: it recalls its own, as long as it is not over.
        now_us: When.
    """
    owners = dict.fromkeys(space.owner for space in spaces if space.owner is not None)
    held = await side_by_side([sessions.list_sessions(owner) for owner in owners])
    names = tuple(
        one.name
        for kept in held
        for one in kept
        if one.is_temporary and (one.name != within or one.is_over_at(now_us))
    )
    return Not(In("session", names)) if names else EVERYTHING
