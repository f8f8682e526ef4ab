"""A turn of a conversation or of an agent's loop: what is asked of memory, and what it brings."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypedDict, get_args

from pinyon.domain.answers import Recall, Written
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.question import RecallContext

Moment = Literal["message", "plan", "tool", "observation", "finish"]
"""Where in a loop it is: a user's message came; a plan is to be made; a tool is to be called; its
result came; the task is done."""
MOMENTS: tuple[Moment, ...] = get_args(Moment)

TaskOutcome = Literal["", "worked", "failed"]

IMPORTANCE_OF_OUTCOME: Mapping[TaskOutcome, float] = {"": 0.5, "worked": 0.7, "failed": 0.8}
"""What a task weighs that is done: a failure teaches more than a success."""

Message = Mapping[str, object]
"""One message of a conversation, in the form that OpenAI's or Anthropic's API has: a `role`, and a
`content` that is text or a list of blocks."""


class TurnDetails(TypedDict, total=False):
    """What else may be said of a turn, by keyword.

    `session`: in which conversation. `history`: its messages so far, as they are sent to the model:
    what they show is not brought again. `context`: the situation, above all the `tool` and the
    `task_id`. `k`: how many memories at most, by default 8. `budget_tokens`: what they may take, by
    default 1,500. `if_needed`: a message that memory cannot help with is left alone (the default).
    `message_id` and `parent_event`: as in `remember`.
    """

    session: str
    history: Sequence["Message"]
    context: RecallContext | None
    k: int
    budget_tokens: int
    if_needed: bool
    message_id: str
    parent_event: str


CutBecause = Literal["budget", "shortened", "in_context"]

TOOL = "recall_memory"
"""The tool that an agent would have called for what a turn brings."""

CONTENT_DEPTH_MAX = 6
"""How deep the content of a message is looked into; both vendors' forms have three levels."""

_CALL_CHARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What was left out of a prompt, or is in it only in part.

    Attributes:
        because: `budget`: there was no room. `shortened`: only its best passages are in.
            `in_context`: the conversation shows it already.
    """

    id: MemoryId | EventId
    because: CutBecause


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMemory:
    """What memory brings to a turn.

    Attributes:
        message: What was said, as it was recalled with.
        written: What became of the message.
        recall: The hits, without what the conversation shows already, and why.
        block: The hits as text for a model, fenced as data; "" where nothing came.
        tokens: About how many tokens that takes.
        cut: What was left out, or is in it only in part.
    """

    message: str
    written: Written
    recall: Recall
    block: str = ""
    tokens: int = 0
    cut: tuple[Cut, ...] = ()

    def as_openai(self) -> list[dict[str, object]]:
        """Return two messages for a chat completion, as if the model had asked; or none.

        They follow the user's message. The same turn gives the same bytes, for prompt caches.
        """
        if not self.block:
            return []
        call_id = self._call_id("call_")
        arguments = json.dumps({"query": self.message}, ensure_ascii=False)
        function = {"name": TOOL, "arguments": arguments}
        call = {"id": call_id, "type": "function", "function": function}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": self.block},
        ]

    def as_anthropic(self) -> list[dict[str, object]]:
        """Return the same for Anthropic's Messages; see `as_openai`."""
        if not self.block:
            return []
        call_id = self._call_id("toolu_")
        call = {"type": "tool_use", "id": call_id, "name": TOOL, "input": {"query": self.message}}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": self.block}
        return [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]

    def _call_id(self, prefix: str) -> str:
        said = json.dumps([self.message, self.written.id, self.block]).encode()
        return prefix + blake2b(said, digest_size=_CALL_CHARS // 2).hexdigest()


SectionName = Literal["rules", "core facts", "working memory", "last conversation", "memories"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing in a context.

    Attributes:
        text: As it stands there, with its id, its date and whose word it is.
        tokens: About how many tokens that takes.
        is_history: It no longer holds, or never did.
        is_whole: All that it says is in.
    """

    id: MemoryId | EventId
    text: str
    tokens: int
    is_history: bool = False
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a context; one without entries is left out."""

    name: SectionName
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a prompt gets from memory.

    Attributes:
        text: All of it, fenced as data; "" where there is nothing.
        tokens: About how many tokens it takes; never over `budget_tokens`.
        cut: What was left out, or is in it only in part, the weightiest first.
        recall: How the memories were found.
    """

    text: str
    sections: tuple[Section, ...]
    tokens: int
    budget_tokens: int
    cut: tuple[Cut, ...]
    recall: Recall


def texts_of(messages: Sequence[Message], role: str | None = None) -> tuple[str, ...]:
    """Return what stands in the messages of a conversation, oldest first, tools' results too.

    Args:
        messages: In either vendor's form; what is no text is passed over.
        role: Only of these messages.
    """
    return tuple(
        text
        for one in messages
        if role in (None, one.get("role"))
        for text in _texts_in(one.get("content"))
    )


def _texts_in(content: object, depth: int = CONTENT_DEPTH_MAX) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    if not depth:
        return []
    inner: Iterable[object] = ()
    if isinstance(content, Mapping):
        inner = [content.get(name) for name in ("text", "content")]
    elif isinstance(content, Sequence) and not isinstance(content, bytes):
        inner = content
    return [text for one in inner for text in _texts_in(one, depth - 1)]
