"""What a conversation shows already: read once, so that memory does not say it again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pinyon.domain.filter import In, Not, Or
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.turn import Message, texts_of
from pinyon.errors import InvalidValue
from pinyon.recall.recalling import Question
from pinyon.text.fencing import ids_shown
from pinyon.text.normal import content_hash, keep
from pinyon.text.passages import TEXT_CHARS_MAX

MESSAGES_READ_MAX = 400
"""Of a longer history the last ones are looked at."""

IN_CONTEXT = "the conversation shows it already"
"""The condition by which a question leaves that out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a model sees without memory's help.

    Attributes:
        ids: Of memories and events that memory handed over before.
        hashes: Of texts that were said.
        said: What the user said, oldest first.
    """

    ids: frozenset[str] = frozenset()
    hashes: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()

    def shows(self, identifier: MemoryId | EventId, hashed: str) -> bool:
        """Return whether a memory, or an event, is among it."""
        return identifier in self.ids or hashed in self.hashes

    def with_message(self, text: str, identifier: str = "") -> "Shown":
        """Return this and the message that is being answered."""
        ids = self.ids | {identifier} if identifier else self.ids
        return replace(self, ids=ids, hashes=self.hashes | {content_hash(keep(text))})

    def left_out_of(self, question: Question) -> Question:
        """Return a question that none of this answers; the answer is kept for nobody else."""
        ids = tuple(sorted(one for one in self.ids if one.startswith("mem_")))
        is_shown = Or((In("id", ids), In("content_hash", tuple(sorted(self.hashes)))))
        return replace(question, where={**question.where, IN_CONTEXT: Not(is_shown)}, key="")


def read_history(history: Sequence[Message]) -> Shown:
    """Return what the messages of a conversation show.

    Raises:
        InvalidValue: It is no list of messages.
    """
    if not isinstance(history, Sequence) or isinstance(history, str | bytes):
        raise InvalidValue("history", history, "a list of messages, each with a role and a content")
    messages = history[-MESSAGES_READ_MAX:]
    for one in messages:
        if not isinstance(one, dict):
            raise InvalidValue("history", one, "messages, each with a role and a content")
    texts = texts_of(messages)
    short = (text for text in texts if len(text) <= TEXT_CHARS_MAX)
    return Shown(
        ids=ids_shown(texts),
        hashes=frozenset(content_hash(keep(text)) for text in short),
        said=texts_of(messages, "user"),
    )
