"""A chat model as a judge of what was found; its answer is taken for an opinion, and no more."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated

from pydantic import Field, create_model

from pinyon.domain.times import show_instant
from pinyon.ports.allowance import Allowance
from pinyon.ports.chat import Chat, Form, Message
from pinyon.ports.judge import JUDGED_MAX, ForJudging, Judgement
from pinyon.prompts.loading import load
from pinyon.text.fencing import defused, fenced
from pinyon.text.orders import gives_orders

ANSWER_TOKENS_MAX = 2_000
"""Of one answer, what a model thinks before it answers included."""
MEMORY_CHARS_MAX = 800
TURN_CHARS_MAX = 300
QUESTION_CHARS_MAX = 2_000
"""Of what is longer, the end is not shown."""
REASON_CHARS_MAX = 120
_NOTHING = "(nothing)"


class Judged(Form):
    """What a model says of one memory; `prompts/judge.md` says what each field is for."""

    note: int
    score: Annotated[float, Field(ge=0, le=1)]
    keep: bool
    reason: Annotated[str, Field(max_length=REASON_CHARS_MAX)]


class AllJudged(Form):
    """What a model says of all of them."""

    judgements: Annotated[list[Judged], Field(max_length=JUDGED_MAX)]


class ChatJudge:
    """See `pinyon.ports.judge.Judge`."""

    def __init__(
        self, chat: Chat, *, timeout_s: float = 30.0, allowance: Allowance | None = None
    ) -> None:
        """Take whom to ask.

        Args:
            chat: The model.
            timeout_s: How long it may take; somebody is waiting.
            allowance: What may be spent on it; all of it where `None`.
        """
        self._chat, self._timeout_s, self._allowance = chat, timeout_s, allowance
        self._prompt = load("judge")

    @property
    def label(self) -> str:
        """See the port: the version of the prompt, and the model."""
        return f"{self._prompt.label} {self._chat.label}"

    async def judge(self, found: ForJudging) -> Mapping[int, Judgement]:
        """See the port."""
        said = self._prompt.render(
            today=show_instant(found.now_us)[:10],
            said_before=_lines(f"- {_cut(one, TURN_CHARS_MAX)}" for one in found.said_before),
            memories=_lines(
                f"[{place}] {_cut(one, MEMORY_CHARS_MAX)}"
                for place, one in enumerate(found.memories, start=1)
            ),
            question=_lines([_cut(found.question, QUESTION_CHARS_MAX)]),
            count=str(len(found.memories)),
        )
        count = len(found.memories)
        chat = self._chat
        if self._allowance is not None:
            chat = self._allowance.paying(chat, found.space)
        done = await chat.complete(
            [Message("user", said)],
            form=form_of(count),
            max_tokens=ANSWER_TOKENS_MAX,
            timeout_s=self._timeout_s,
        )
        return _by_place(done.value.judgements, count)


@cache
def form_of(count: int) -> type[AllJudged]:
    """Return the form of an answer about so many memories.

    It asks for that many judgements and takes fewer: a small model that may says nothing of any.
    """
    asked = {"minItems": count, "maxItems": count}
    field = Field(max_length=JUDGED_MAX, json_schema_extra=dict(asked))
    return create_model("AllJudged", __base__=AllJudged, judgements=(list[Judged], field))


def _by_place(judged: Sequence[Judged], count: int) -> dict[int, Judgement]:
    """Return what is said of the memories that there are; of two sayings the first one counts."""
    found: dict[int, Judgement] = {}
    for one in judged:
        if 1 <= one.note <= count:
            judgement = Judgement(one.score, one.keep, _shown(one.reason))
            found.setdefault(one.note - 1, judgement)
    return found


def _shown(reason: str) -> str:
    """Return a reason as others may read it: another model too, which it must not order about."""
    told = defused(" ".join(reason.split()))
    return "" if gives_orders(told) else told


def _cut(text: str, chars: int) -> str:
    return defused(text if len(text) <= chars else text[: chars - 1] + "…")


def _lines(lines: "Iterator[str] | Sequence[str]") -> str:
    return fenced(list(lines)) or _NOTHING
