"""Prompts that a person may choose in a client: they teach a model the rules of this memory."""

from collections.abc import Awaitable, Callable, Mapping

from pinyon.errors import InvalidValue, UnknownField
from pinyon.prompts.loading import Prompt, load
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.learning import CONSOLIDATES, handed_over

OFFERED = ("memory_rules", "recall_first", "save_conversation")

FILLED: Mapping[str, Callable[[Asked], Awaitable[str]]] = {CONSOLIDATES: handed_over}
"""Prompts that memory fills in."""

INPUT_CHARS_MAX = 20_000


def offered(*, more: bool) -> tuple[Prompt, ...]:
    """Return the prompts, in the order in which they are listed.

    Args:
        more: Those too that need tools beyond the core ones.
    """
    return tuple(map(load, (*OFFERED, *FILLED) if more else OFFERED))


def arguments_of(prompt: Prompt) -> tuple[str, ...]:
    """Return what a person gives; what memory itself fills in is not asked for."""
    return () if prompt.name in FILLED else prompt.inputs


async def rendered(prompt: Prompt, arguments: Mapping[str, str], asked: Asked) -> str:
    """Return a prompt's text, with what a person gave or what memory holds.

    Raises:
        UnknownField: The prompt takes nothing of that name.
        InvalidValue: Something is missing or too long.
        NotAllowed: The credential may not read what it is filled with.
    """
    inputs = arguments_of(prompt)
    for name in arguments:
        if name not in inputs:
            raise UnknownField(name, inputs)
    if prompt.name in FILLED:
        asked.check("memory:read")
        return await FILLED[prompt.name](asked)
    for name in inputs:
        given = arguments.get(name, "")
        if not given.strip() or len(given) > INPUT_CHARS_MAX:
            raise InvalidValue(name, given, f"a text of at most {INPUT_CHARS_MAX:,} characters")
    return prompt.render(**arguments)


def instructions(user: str) -> str:
    """Return what a server tells a model of itself: whose memory it is, and the rules in short."""
    return load("mcp_instructions").render(user=user)
