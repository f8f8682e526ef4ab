"""What every chat promises. Subclass the contract and override its fixture."""

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
from pydantic import Field

from pinyon.errors import BadModelOutput
from pinyon.ports.chat import Chat, Completion, Form, Message

ChatOf = Callable[[Sequence[str]], Chat]

PRIVATE = "the bulbs only show white"
SAID = (Message("system", "Judge."), Message("user", f"How is it that {PRIVATE}?"))


class Thing(Form):
    """A thing that a verdict names."""

    name: str
    count: int


class Verdict(Form):
    """A form with all that a form may have."""

    verdict: Literal["yes", "no"] = Field(description="Whether it is so.")
    confidence: float = Field(ge=0, le=1)
    title: str
    things: list[Thing] = Field(max_length=2)


GOOD = {
    "verdict": "yes",
    "confidence": 0.5,
    "title": "Größe",
    "things": [{"name": "hub", "count": 2}],
}
JSON = json.dumps(GOOD)
VERDICT = Verdict.model_validate(GOOD)


def _but(**fields: Any) -> str:
    return json.dumps({**GOOD, **fields})


CLEANED = {
    "as it is asked for": JSON,
    "fenced": f"```json\n{JSON}\n```",
    "fenced without a name": f"Here you are:\n```\n{JSON}\n```\nAnything else?",
    "with a sentence around it": f"Sure! {JSON} I hope that this helps.",
    "behind its thoughts": f"<think>{{maybe}} no</think>\n{JSON}",
    "with blanks around it": f"\n\n  {JSON}\n",
}
"""Answers that are taken for what they hold."""

BAD = {
    "nothing": "",
    "blanks": "  \n ",
    "prose": "I am sure that the bulbs only show white because of a power cut.",
    "truncated": JSON[: len(JSON) // 2],
    "a truncated fence": f"```json\n{JSON[:20]}",
    "its own schema": json.dumps(Verdict.model_json_schema()),
    "a list": f"[{JSON[1:20]}]",
    "an empty object": "{}",
    "a field too many": _but(more="the bulbs only show white"),
    "a field too few": json.dumps({"verdict": "yes"}),
    "another word": _but(verdict="the bulbs only show white"),
    "out of range": _but(confidence=7),
    "no number": _but(confidence=float("nan")),
    "too many": _but(things=[{"name": "x", "count": 1}] * 3),
    "null": _but(things=None),
    "nested without end": '{"things":' * 2_000,
    "two answers": JSON + "\n" + JSON,
}
"""Answers that cannot be read."""


class ChatContract:
    """The promises of `pinyon.ports.chat`, as tests."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def chat_of(self) -> ChatOf:
        """Return what makes a chat whose model answers these texts, one after the other."""
        raise NotImplementedError("return what makes a chat")

    async def asked(self, chat: Chat) -> Completion[Verdict]:
        return await chat.complete(SAID, form=Verdict, max_tokens=500, timeout_s=30)

    @pytest.mark.parametrize("answer", CLEANED.values(), ids=CLEANED)
    async def test_an_answer_comes_in_its_form(self, chat_of: ChatOf, answer: str) -> None:
        completion = await self.asked(chat_of([answer]))

        assert completion.value == VERDICT
        assert completion.tokens_in > 0 < completion.tokens_out
        assert completion.calls == 1

    @pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
    async def test_what_cannot_be_read_is_told_and_answered_again(
        self, chat_of: ChatOf, bad: str
    ) -> None:
        once = await self.asked(chat_of([JSON]))
        completion = await self.asked(chat_of([bad, JSON]))

        assert completion.value == VERDICT
        assert completion.tokens_in > once.tokens_in
        assert completion.calls == 2

    @pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
    async def test_what_cannot_be_read_twice_is_a_failure_that_shows_nothing_of_it(
        self, chat_of: ChatOf, bad: str
    ) -> None:
        chat = chat_of([bad, bad, JSON])
        with pytest.raises(BadModelOutput) as failed:
            await self.asked(chat)

        assert failed.value.model == chat.label
        assert failed.value.tokens > 0
        assert "white" not in str(failed.value)
        assert failed.value.__cause__ is failed.value.__context__ is None

    async def test_what_stands_in_a_field_is_not_taken_for_a_wrapping(
        self, chat_of: ChatOf
    ) -> None:
        title = "<think>a</think> ```json\n{}\n``` {b}"
        completion = await self.asked(chat_of([json.dumps({**GOOD, "title": title}, indent=1)]))

        assert completion.value.title == title

    async def test_after_a_failure_it_can_be_asked_again(self, chat_of: ChatOf) -> None:
        chat = chat_of(["", "", JSON])
        with pytest.raises(BadModelOutput):
            await self.asked(chat)

        assert (await self.asked(chat)).value == VERDICT

    async def test_its_label_says_whose_model_it_is(self, chat_of: ChatOf) -> None:
        chat = chat_of([JSON])
        before = chat.label
        await self.asked(chat)

        vendor, _, model = chat.label.partition(":")
        assert vendor and model
        assert chat.label == before

    async def test_neither_what_is_said_nor_what_is_answered_is_logged(
        self, chat_of: ChatOf, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        for name in ("openai", "anthropic", "httpx2"):
            caplog.set_level(logging.DEBUG, name)

        await self.asked(chat_of([_but(title=PRIVATE, more=1), _but(title=PRIVATE)]))

        assert PRIVATE not in caplog.text
