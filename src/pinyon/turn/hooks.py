"""The hooks of an agent's loop: the same door as a turn, with what is fitting at each moment."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Generic, TypeVar, Unpack

from pinyon.domain.question import RecallContext
from pinyon.domain.turn import Moment, TaskOutcome, TurnDetails

T = TypeVar("T")


class LoopHooks(ABC, Generic[T]):
    """What an agent's loop calls, at any client; `T` is what its `turn` returns."""

    @abstractmethod
    def turn(
        self,
        message: str,
        *,
        at: Moment = "message",
        outcome: TaskOutcome = "",
        key: str | None = None,
        **details: Unpack[TurnDetails],
    ) -> T:
        """Keep what was said, and bring what memory holds for it."""

    def before_plan(self, task: str, **details: Unpack[TurnDetails]) -> T:
        """Bring what worked before, and what did not, when a plan is to be made."""
        return self.turn(task, at="plan", **details)

    def before_tool(
        self, tool: str, arguments: Mapping[str, object] | str, **details: Unpack[TurnDetails]
    ) -> T:
        """Bring how a tool was called before and what came of it, when it is to be called."""
        said = arguments if isinstance(arguments, str) else _shown(arguments)
        return self.turn(f"{tool}({said})", at="tool", **_of_tool(tool, details))

    def on_observation(self, tool: str, result: str, **details: Unpack[TurnDetails]) -> T:
        """Bring what is known of a result, an error above all, when a tool has answered."""
        return self.turn(result, at="observation", **_of_tool(tool, details))

    def finish_task(
        self, summary: str, *, outcome: TaskOutcome, **details: Unpack[TurnDetails]
    ) -> T:
        """Keep how a task went, as a memory; bring what is known of such tasks.

        Args:
            summary: What was done, what came of it, and why: what the next one wants to read.
            outcome: `worked` or `failed`.
            details: As in `turn`.
        """
        return self.turn(summary, at="finish", outcome=outcome, **details)


def _shown(arguments: Mapping[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, default=str)


def _of_tool(tool: str, details: TurnDetails) -> TurnDetails:
    """Return details with the tool in their situation."""
    context = details.get("context") or RecallContext()
    return {**details, "context": replace(context, tool=tool)}
