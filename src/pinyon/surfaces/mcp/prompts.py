"""Prompts that a person may choose in a client: they teach a model the rules of this memory."""

from collections.abc import Mapping

from pinyon.errors import InvalidValue, UnknownField
from pinyon.prompts.loading import Prompt, load

OFFERED = ("memory_rules", "recall_first", "save_conversation")

INPUT_CHARS_MAX = 20_000


def offered() -> tuple[Prompt, ...]:
    """Return the prompts, in the order in which they are listed."""
    return tuple(map(load, OFFERED))


def rendered(prompt: Prompt, arguments: Mapping[str, str]) -> str:
    """Return a prompt's text, with what a person gave.

    Raises:
        UnknownField: The prompt takes nothing of that name.
        InvalidValue: Something is missing or too long.
    """
    for name in arguments:
        if name not in prompt.inputs:
            raise UnknownField(name, prompt.inputs)
    for name in prompt.inputs:
        given = arguments.get(name, "")
        if not given.strip() or len(given) > INPUT_CHARS_MAX:
            raise InvalidValue(name, given, f"a text of at most {INPUT_CHARS_MAX:,} characters")
    return prompt.render(**arguments)


def instructions(user: str) -> str:
    """Return what a server tells a model of itself: whose memory it is, and the rules in short."""
    return load("mcp_instructions").render(user=user)
