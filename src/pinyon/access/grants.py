"""What grants leave of a principal; asked at every call, so that one taken back is gone at once."""

from dataclasses import replace

from pinyon.domain.principal import Principal
from pinyon.domain.space import Space
from pinyon.ports.registry import Registry


async def narrowed(registry: Registry, principal: Principal) -> Principal:
    """Return a principal without the spaces that it may not read, or not write to.

    A project, and a tenant's shared space, are open to all of the tenant until somebody is granted
    something there; from then on only who was granted it may read, or write. A user's own space and
    the agents' notes are nobody else's and need no grant.
    """
    reads, writes = list(principal.reads), list(principal.writes)
    for space in filter(is_shared, principal.reads):
        granted = {grant.user: grant.permission for grant in await registry.grants(space)}
        if not granted:
            continue
        permission = granted.get(principal.user)
        if permission is None:
            reads.remove(space)
        if permission != "write" and space in writes:
            writes.remove(space)
    return replace(principal, reads=tuple(reads), writes=tuple(writes))


def is_shared(space: Space) -> bool:
    """Return whether several users may read a space."""
    return space.segments[0] != "user"
