"""Anthropic's models, or any endpoint that speaks Anthropic's messages."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from pinyon.models.answering import Said, answered
from pinyon.models.asking import Asking, Holds, Line, NoAnswer
from pinyon.models.strict_schema import Schema, strict_schema
from pinyon.ports.chat import Completion, F, Message

ANTHROPIC_URL = "https://api.anthropic.com"

_Way = Literal["format", "tool"]


class AnthropicChat:
    """A model behind Anthropic's protocol. See `pinyon.ports.chat.Chat`.

    A model that cannot be held to a format of its output is given the form as a tool that it must
    call.
    """

    def __init__(self, model: str, *, url: str = "", key: str = "", retries: int = 2) -> None:
        """Nothing is asked yet.

        Args:
            model: The name under which the endpoint knows the model.
            url: What stands before `/v1/messages`; Anthropic's own where it is empty.
            key: What is sent as a bearer token, if anything.
            retries: How often a request is sent again that failed for the moment.
        """
        self._model, self._url, self._retries = model, url.rstrip("/") or ANTHROPIC_URL, retries
        self._asking = Asking("anthropic", self.label, key)
        self._holds: Holds[_Way] = Holds("format", "tool")

    @property
    def label(self) -> str:
        """See the port."""
        return f"anthropic:{self._model}"

    async def complete(
        self, messages: Sequence[Message], *, form: type[F], max_tokens: int, timeout_s: float
    ) -> Completion[F]:
        """See the port."""
        schema = strict_schema(form)
        async with self._asking.line(timeout_s) as line:

            async def say(messages: Sequence[Message]) -> Said:
                async def ask(way: _Way) -> bytes:
                    held = _held(way, form.__name__, schema)
                    return await self._asked(line, messages, {**held, "max_tokens": max_tokens})

                return _said(await self._holds.tried(ask, line.sdk.APIStatusError))

            return await answered(say, messages, form=form, model=self.label)

    async def _asked(
        self, line: Line, messages: Sequence[Message], how: dict[str, object]
    ) -> bytes:
        # A key must be given, or the SDK looks for one; what is sent as one is set with the line.
        client = line.sdk.AsyncAnthropic(
            api_key="unused",
            base_url=self._url,
            http_client=line.http,
            max_retries=self._retries,
            open_telemetry=False,
        )
        system = "\n\n".join(one.text for one in messages if one.role == "system")
        answer = await client.messages.with_raw_response.create(
            model=self._model,
            messages=[
                {"role": one.role, "content": one.text} for one in messages if one.role != "system"
            ],
            timeout=None,
            **({"system": system} if system else {}),
            **how,
        )
        content: bytes = await answer.read()
        return content


def _held(way: _Way, name: str, schema: Schema) -> dict[str, Any]:
    match way:
        case "format":
            return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
        case "tool":
            tool = {"name": name, "description": "Gives the answer.", "input_schema": schema}
            return {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}


class _Block(BaseModel):
    type: str
    text: str = ""
    input: dict[str, Any] | None = None


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0


class _Answer(BaseModel):
    """What we read of an answer; the SDK's own types believe whatever comes."""

    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage = _Usage()


def _said(body: bytes) -> Said:
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError:
        raise NoAnswer from None
    called = [block.input for block in answer.content if block.type == "tool_use"]
    text = "".join(block.text for block in answer.content if block.type == "text")
    return Said(
        text=json.dumps(called[0], ensure_ascii=False) if called else text,
        tokens_in=answer.usage.input_tokens,
        tokens_out=answer.usage.output_tokens,
        is_cut=answer.stop_reason == "max_tokens",
    )
