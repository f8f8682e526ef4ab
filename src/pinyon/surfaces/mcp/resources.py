"""What a client may attach to a conversation: one memory, or what to know of the user."""

from pinyon.errors import BadInput
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.block import of_memories

SCHEME = "memory://"
PROFILE = f"{SCHEME}profile"
TEMPLATE = SCHEME + "{id}"

ABOUT_PROFILE = "What to know of the user whatever is asked: the core facts."
ABOUT_MEMORY = "One memory, by its id."

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
        return of_memories(asked, await asked.client.core_facts()).text or NO_FACTS
    if not uri.startswith(SCHEME):
        raise BadInput(f"a resource is {PROFILE} or {TEMPLATE}")
    return of_memories(asked, [await asked.client.show(uri.removeprefix(SCHEME))]).text
