"""What a tool is: a function that says what it takes and answers, and what calling it does."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

from pinyon.domain.credential import Right
from pinyon.ports.client import OPERATIONS
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.flat import Parameter, input_schema, output_schema, parameters_of, read

Json = dict[str, Any]

_OPERATIONS = {one.name: one for one in OPERATIONS}
_FORGETS = frozenset({"forget", "end_session"})
_RIGHTS: Mapping[str, Right] = {
    "forget": "memory:forget",
    "set_consent": "consent:write",
    "receipts": "audit:own",
}
"""What an operation needs that is more than to read or to write."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers: the same as data for a program, and as text for a model."""

    data: Json
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model can have done.

    Attributes:
        name: At most 24 characters of `[a-z_]`: clients put theirs before it, and have a limit.
        about: When to call it, and what comes of it; a model reads this.
        operation: What of a client it does, by the name in the table of operations.
        answer: The shape of `Reply.data`; `None` where it is an operation's own, as REST gives it.
    """

    name: str
    about: str
    operation: str
    parameters: Sequence[Parameter]
    act: Callable[..., Awaitable[Reply]]
    answer: type | None = None

    @property
    def right(self) -> Right:
        """What the credential must be allowed."""
        reads = _OPERATIONS[self.operation].permission == "read"
        return _RIGHTS.get(self.operation, "memory:read" if reads else "memory:write")

    def described(self) -> Json:
        """Return what a client is told of it."""
        of = _OPERATIONS[self.operation]
        reads = of.permission == "read"
        hints = {"readOnlyHint": reads, "openWorldHint": False}
        if not reads:
            hints["destructiveHint"] = self.operation in _FORGETS
            hints["idempotentHint"] = of.idempotent
        told: Json = {
            "name": self.name,
            "description": self.about,
            "inputSchema": input_schema(self.parameters),
            "annotations": hints,
        }
        if self.answer is not None:
            told["outputSchema"] = output_schema(self.answer)
        return told

    async def call(self, asked: Asked, arguments: Mapping[str, object]) -> Reply:
        """Do it.

        Raises:
            NotAllowed: The credential may not do such things.
            BadInput: An argument is not known, or not what it must be.
            PinyonError: What the operation itself raises.
        """
        asked.check(self.right)
        return await self.act(asked, **read(self.parameters, arguments))


def tool(
    operation: str, answer: type | None = None
) -> Callable[[Callable[..., Awaitable[Reply]]], Tool]:
    """Make a tool of a function: its name, its docstring and its signature are the tool's."""

    def made(act: Callable[..., Awaitable[Reply]]) -> Tool:
        return Tool(
            name=act.__name__,
            about=" ".join((getdoc(act) or "").split()),
            operation=operation,
            parameters=parameters_of(act),
            act=act,
            answer=answer,
        )

    return made
