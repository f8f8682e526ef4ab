"""A chat model that says what a script tells it, in process, for tests of what asks one."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pinyon.models.answering import Said, answered
from pinyon.ports.chat import Completion, F, Message
from pinyon.text.counting import estimated_tokens

Answer = str | Mapping[str, Any] | Exception
"""What it answers: words as they come, JSON, or what it fails with."""

Script = Callable[[Sequence[Message]], Answer]


class ScriptedChat:
    """See `pinyon.ports.chat.Chat`. What cannot be read it is told of, as any model.

    Attributes:
        asked: What was said to it, each time.
    """

    label = "scripted:chat"

    def __init__(self, script: Script | Iterable[Answer]) -> None:
        """Take what it says: a function of what is said, or answers, one after the other."""
        self.asked: list[Sequence[Message]] = []
        self._script = script if callable(script) else _in_order(script)

    @property
    def seen(self) -> str:
        """All that was said to it, in one text."""
        return "\n".join(message.text for messages in self.asked for message in messages)

    async def complete(
        self, messages: Sequence[Message], *, form: type[F], max_tokens: int, timeout_s: float
    ) -> Completion[F]:
        """See the port."""
        assert messages[-1].role == "user", "the user speaks last"
        assert max_tokens > 0 < timeout_s
        return await answered(self._say, messages, form=form, model=self.label)

    async def _say(self, messages: Sequence[Message]) -> Said:
        self.asked.append(tuple(messages))
        answer = self._script(messages)
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        read = sum(estimated_tokens(message.text) for message in messages)
        return Said(text=text, tokens_in=read, tokens_out=estimated_tokens(text))


def _in_order(answers: Iterable[Answer]) -> Script:
    left = iter(answers)

    def say(messages: Sequence[Message]) -> Answer:
        answer = next(left, None)
        assert answer is not None, "the script has no more answers"
        return answer

    return say
