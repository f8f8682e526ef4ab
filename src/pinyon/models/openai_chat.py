"""Any endpoint that chats as OpenAI's does: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and more."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from pinyon.models.answering import Said, answered, described
from pinyon.models.asking import Asking, Holds, Line, NoAnswer
from pinyon.models.strict_schema import Schema, strict_schema
from pinyon.ports.chat import Completion, F, Message

OPENAI_URL = "https://api.openai.com/v1"

_Way = Literal["schema", "object", "words"]


class OpenAIChat:
    """A model behind OpenAI's protocol. See `pinyon.ports.chat.Chat`.

    An endpoint that cannot hold a model to a schema is asked for any JSON object, and one that
    cannot do that for nothing but words; the schema is then said in words too.
    """

    def __init__(self, model: str, *, url: str = "", key: str = "", retries: int = 2) -> None:
        """Nothing is asked yet.

        Args:
            model: The name under which the endpoint knows the model.
            url: What stands before `/chat/completions`; OpenAI's own where it is empty.
            key: What is sent as a bearer token, if anything.
            retries: How often a request is sent again that failed for the moment.
        """
        self._model, self._url, self._retries = model, url.rstrip("/") or OPENAI_URL, retries
        self._asking = Asking("openai", self.label, key)
        self._holds: Holds[_Way] = Holds("schema", "object", "words")

    @property
    def label(self) -> str:
        """See the port."""
        return f"openai:{self._model}"

    async def complete(
        self, messages: Sequence[Message], *, form: type[F], max_tokens: int, timeout_s: float
    ) -> Completion[F]:
        """See the port."""
        schema = strict_schema(form, bounds_lists=self._url != OPENAI_URL)
        async with self._asking.line(timeout_s) as line:

            async def say(messages: Sequence[Message]) -> Said:
                async def ask(way: _Way) -> bytes:
                    held = _held(way, form.__name__, schema)
                    told = messages if way == "schema" else _with_schema(messages, schema)
                    return await self._asked(line, told, {**held, **self._bounds(max_tokens)})

                return _said(await self._holds.tried(ask, line.sdk.APIStatusError))

            return await answered(say, messages, form=form, model=self.label)

    def _bounds(self, max_tokens: int) -> dict[str, object]:
        """Return how long an answer may be: OpenAI's newer models and older servers differ here."""
        if self._url == OPENAI_URL:
            return {"max_completion_tokens": max_tokens}
        return {"max_tokens": max_tokens, "temperature": 0}

    async def _asked(
        self, line: Line, messages: Sequence[Message], how: dict[str, object]
    ) -> bytes:
        # A key must be given, or the SDK looks for one; what is sent as one is set with the line.
        client = line.sdk.AsyncOpenAI(
            api_key="unused", base_url=self._url, http_client=line.http, max_retries=self._retries
        )
        answer = await client.chat.completions.with_raw_response.create(
            model=self._model,
            messages=[{"role": one.role, "content": one.text} for one in messages],
            timeout=None,
            **how,
        )
        content: bytes = answer.content
        return content


def _held(way: _Way, name: str, schema: Schema) -> dict[str, Any]:
    match way:
        case "schema":
            held = {"name": name, "schema": schema, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": held}}
        case "object":
            return {"response_format": {"type": "json_object"}}
        case "words":
            return {}


def _with_schema(messages: Sequence[Message], schema: Schema) -> list[Message]:
    """Return messages whose first one by the user says the form in words.

    Not as a message of the system: templates of small models know none, or only one.
    """
    first = next(place for place, one in enumerate(messages) if one.role == "user")
    told = Message("user", f"{messages[first].text}\n\n{described(schema)}")
    return [*messages[:first], told, *messages[first + 1 :]]


class _Spoken(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Spoken
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Answer(BaseModel):
    """What we read of an answer; the SDK's own types believe whatever comes."""

    choices: list[_Choice]
    usage: _Usage | None = None


def _said(body: bytes) -> Said:
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError:
        raise NoAnswer from None
    if not answer.choices:
        raise NoAnswer
    choice, usage = answer.choices[0], answer.usage or _Usage()
    return Said(
        text=choice.message.content or "",
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
        is_cut=choice.finish_reason == "length",
    )
