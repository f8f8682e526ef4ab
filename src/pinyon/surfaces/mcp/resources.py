"""What a client may attach to a conversation: one memory, or what to know of the user."""

from pinyon.errors import BadInput
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.block import fenced

SCHEME = "memory://"
PROFILE = f"{SCHEME}profile"
TEMPLATE = SCHEME + "{id}"

NO_FACTS = "Memory holds no core facts yet."


async def read(asked: Asked, uri: str) -> str:
    """Return a resource as a block of data.

    Raises:
        BadInput: There is no such resource, or its id is none.
        NotFound: No memory of this user has that id.
        NotAllowed: The credential may not read.
    """
    asked.check("memory:read")
    if uri == PROFILE:
        return fenced(await asked.client.core_facts()) or NO_FACTS
    if not uri.startswith(SCHEME):
        raise BadInput(f"a resource is {PROFILE} or {TEMPLATE}")
    return fenced([await asked.client.show(uri.removeprefix(SCHEME))])
