"""What every chat model does with an answer: read it, and say once why it cannot be read.

What small models wrap around an answer is taken off: thoughts, fences, a sentence before or after.
Nothing is guessed at: JSON that is cut, and a field that is missing, stay what they are.
"""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from pinyon.errors import BadModelOutput
from pinyon.ports.chat import Completion, F, Form, Message

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_NOTHING = "(nothing)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a model said, as it came.

    Attributes:
        is_cut: It was longer than it might be.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    is_cut: bool = False


Say = Callable[[Sequence[Message]], Awaitable[Said]]
"""Asks a model once."""


async def answered(
    say: Say, messages: Sequence[Message], *, form: type[F], model: str
) -> Completion[F]:
    """Ask a model; where its answer cannot be read, tell it why and ask once more.

    Args:
        say: Asks it.
        messages: What it is asked.
        form: What the answer is to look like.
        model: What it is called in an error.

    Raises:
        BadModelOutput: The second answer cannot be read either.
    """
    first = await say(messages)
    read = _read(first, form)
    if not isinstance(read, _Wrong):
        return Completion(value=read, tokens_in=first.tokens_in, tokens_out=first.tokens_out)
    # An answer of no words at all is refused by vendors as part of a conversation.
    repair = Message("assistant", first.text.strip() or _NOTHING), Message("user", _told(read))
    second = await say((*messages, *repair))
    read = _read(second, form)
    tokens_in = first.tokens_in + second.tokens_in
    tokens_out = first.tokens_out + second.tokens_out
    if isinstance(read, _Wrong):
        raise BadModelOutput(model, read.why, tokens=tokens_in + tokens_out)
    return Completion(value=read, tokens_in=tokens_in, tokens_out=tokens_out, calls=2)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Why an answer cannot be read: `why` for everybody, in words of ours; `details` for it."""

    why: str
    details: str


def _told(wrong: _Wrong) -> str:
    return (
        f"That cannot be read: {wrong.details}. Answer again, with one JSON object of the form "
        "that was asked for and nothing before or after it."
    )


def _read(said: Said, form: type[F]) -> F | _Wrong:
    text = _json_of(said.text)
    if text is None:
        why = "it was cut" if said.is_cut else "it holds no JSON"
        return _Wrong(why, why + (", so it must be shorter" if said.is_cut else ""))
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        return _wrong_of(error, said, form)


def _json_of(text: str) -> str | None:
    """Return what may be the JSON object in an answer, or `None` where there is no trace of one."""
    if not text.lstrip().startswith("{"):
        text = _THOUGHTS.sub("", text)
        if (fenced := _FENCED.search(text)) is not None:
            text = fenced[1]
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return None
    return text[start : end + 1] if end > start else text[start:]


def _wrong_of(error: ValidationError, said: Said, form: type[Form]) -> _Wrong:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    kinds = sorted({problem["type"] for problem in problems})
    if kinds == ["json_invalid"]:
        why = "it was cut" if said.is_cut else "its JSON does not end, or is none"
        return _Wrong(why, f"{why}, so it must be whole" + (" and shorter" if said.is_cut else ""))
    # Where it went wrong may be a name that the model made up, so that only it is told.
    details = "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}"
        for problem in problems[:5]
    )
    return _Wrong(f"it is not of the form {form.__name__}: {', '.join(kinds)}", details)


def described(schema: object) -> str:
    """Return what tells a model about a form, where its endpoint cannot hold it to one."""
    shown = json.dumps(schema, ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. Its JSON schema is:\n{shown}"
