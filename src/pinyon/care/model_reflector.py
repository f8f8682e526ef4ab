"""Asks a chat model what a task teaches, and takes its answer for no more than a proposal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from pinyon.care.budget import Budget
from pinyon.care.proposed_form import Id, Share, Words
from pinyon.care.shown_material import CountTokens, playbooks_shown, turn_shown
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Step
from pinyon.domain.reflection import Ended, FinishedTask, Lesson
from pinyon.ports.chat import Chat, Form, Message
from pinyon.prompts.loading import load
from pinyon.text.counting import estimated_tokens
from pinyon.text.fencing import fenced

BUDGET_TOKENS = 6_000
ANSWER_TOKENS_MAX = 2_000
STEPS_MAX = 20
PITFALLS_MAX = 5
NOT_SHOWN = EventId("not-shown")
"""Stands for a short id that the model was not shown: no turn's, so that it is refused."""

_OUTCOMES: Mapping[Ended, str] = {"worked": "succeeded", "failed": "failed"}

Turns = Annotated[list[Id], Field(min_length=1, max_length=40)]


class LearntWay(Form):
    """A way that led to success."""

    text: Words
    trigger: Words
    steps: Annotated[list[Words], Field(min_length=1, max_length=STEPS_MAX)]
    turns: Turns
    confidence: Share


class LearntPitfall(Form):
    """What failed."""

    text: Words
    trigger: Words
    turns: Turns
    confidence: Share


class Lessons(Form):
    """All that a model says that a task teaches."""

    ways: Annotated[list[LearntWay], Field(max_length=1)]
    pitfalls: Annotated[list[LearntPitfall], Field(max_length=PITFALLS_MAX)]


class ModelReflector:
    """See `pinyon.ports.reflector.Reflector`."""

    def __init__(
        self,
        chat: Chat,
        *,
        budget: Budget | None = None,
        timeout_s: float = 120.0,
        budget_tokens: int = BUDGET_TOKENS,
        count_tokens: CountTokens = estimated_tokens,
    ) -> None:
        """Take whom to ask.

        Args:
            chat: The model.
            budget: What its calls are paid from; `None` where they cost nothing.
            timeout_s: How long a call may take.
            budget_tokens: How much it is shown; of a long task the end.
            count_tokens: Counts what a text takes.
        """
        self._chat, self._budget, self._timeout_s = chat, budget, timeout_s
        self._budget_tokens, self._count_tokens = budget_tokens, count_tokens
        self._prompt = load("reflect")

    @property
    def label(self) -> str:
        """See the port: the version of the prompt, and the model."""
        return f"{self._prompt.label} {self._chat.label}"

    async def lessons(self, task: FinishedTask) -> Sequence[Lesson]:
        """See the port."""
        chat = self._chat
        if self._budget is not None:
            chat = self._budget.paying(chat, task.space)
        lines, ids = self._turns(task)
        asked = self._prompt.render(
            outcome=_OUTCOMES[task.outcome],
            playbooks=playbooks_shown(task.playbooks),
            turns=fenced(lines),
        )
        completion = await chat.complete(
            [Message("user", asked)],
            form=Lessons,
            max_tokens=ANSWER_TOKENS_MAX,
            timeout_s=self._timeout_s,
        )
        return list(_lessons(completion.value, ids))

    def _turns(self, task: FinishedTask) -> tuple[list[str], dict[str, MemoryId | EventId]]:
        """Return the last turns that there is room for, and what their short ids stand for."""
        lines: list[str] = []
        ids: dict[str, MemoryId | EventId] = {}
        left = self._budget_tokens
        for place, turn in reversed(list(enumerate(task.turns, start=1))):
            line = turn_shown(f"t{place}", turn)
            left -= self._count_tokens(line)
            if left < 0:
                break
            lines.append(line)
            ids[f"t{place}"] = turn.id
        return lines[::-1], ids


def _lessons(learnt: Lessons, ids: Mapping[str, MemoryId | EventId]) -> Iterator[Lesson]:
    for way in learnt.ways:
        yield Lesson(
            text=way.text.strip(),
            trigger=way.trigger.strip(),
            steps=tuple(Step(step.strip()) for step in way.steps if step.strip()),
            rests_on=_meant(way.turns, ids),
            confidence=way.confidence,
        )
    for pitfall in learnt.pitfalls:
        yield Lesson(
            text=pitfall.text.strip(),
            trigger=pitfall.trigger.strip(),
            rests_on=_meant(pitfall.turns, ids),
            is_pitfall=True,
            confidence=pitfall.confidence,
        )


def _meant(
    shorts: Sequence[str], ids: Mapping[str, MemoryId | EventId]
) -> tuple[MemoryId | EventId, ...]:
    named = (ids.get(one.strip().strip("[]").lower(), NOT_SHOWN) for one in shorts)
    return tuple(dict.fromkeys(named))
