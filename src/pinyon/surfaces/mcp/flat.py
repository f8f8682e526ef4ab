"""Arguments and answers without depth: what every client of MCP can read, and a model can fill in.

A parameter is a text, a number, a yes or no, one of a few words, or a list of texts; no union, no
reference, no `null`. A function's signature is the only place that says so: the schema that a
client reads and the check of what it sends are both made from it.
"""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pinyon.errors import InvalidValue, UnknownField

Json = dict[str, Any]

TEXT, WHOLE, NUMBER, YES_OR_NO, TEXTS = "string", "integer", "number", "boolean", "array"
_PLAIN: Mapping[object, str] = {str: TEXT, int: WHOLE, float: NUMBER, bool: YES_OR_NO}
_MUST_BE: Mapping[str, str] = {
    TEXT: "a text",
    WHOLE: "a whole number",
    NUMBER: "a number",
    YES_OR_NO: "true or false",
    TEXTS: "a list of texts",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What a tool takes under one name.

    Attributes:
        form: What it is, as JSON Schema says it.
        allowed: The words that it, or each of a list, is one of; empty for any.
        default: What is taken where it is not sent.
    """

    name: str
    form: str
    allowed: tuple[str, ...] = ()
    about: str = ""
    default: object = None
    is_required: bool = False

    def schema(self) -> Json:
        """Return its JSON Schema."""
        word: Json = {"enum": list(self.allowed)} if self.allowed else {}
        shown: Json = {"type": self.form}
        shown |= {"items": {"type": TEXT, **word}} if self.form == TEXTS else word
        if self.about:
            shown["description"] = self.about
        if self.default:
            shown["default"] = self.default
        return shown

    def read(self, value: object) -> object:
        """Return a value as the tool takes it.

        Raises:
            InvalidValue: It is of another form, or none of the words that are allowed.
        """
        read = _READERS[self.form](value)
        if read is None:
            raise InvalidValue(self.name, value, _MUST_BE[self.form])
        if self.allowed:
            for word in read if isinstance(read, list) else [read]:
                if word not in self.allowed:
                    raise InvalidValue(self.name, word, "one of " + ", ".join(self.allowed))
        return read


class NotFlat(TypeError):
    """An annotation is no flat one: a mistake in a tool's signature."""


def parameters_of(act: Callable[..., object]) -> tuple[Parameter, ...]:
    """Return what a function takes beside its first argument.

    Raises:
        NotFlat: An annotation cannot be said in a flat schema.
    """
    _, *parameters = inspect.signature(act).parameters.values()
    return tuple(_parameter(one.name, one.annotation, one.default) for one in parameters)


def parameters_of_operation(signature: inspect.Signature) -> tuple[Parameter, ...]:
    """Return what of an operation can be said flat; the rest keeps its defaults."""
    return tuple(_flat_ones(signature))


def _flat_ones(signature: inspect.Signature) -> Iterator[Parameter]:
    _, *parameters = signature.parameters.values()
    for one in parameters:
        named = {one.name: one.annotation}
        default = one.default
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            named = get_type_hints(_unpacked(one.annotation))
            default = None
        for name, annotation in named.items():
            try:
                yield _parameter(name, annotation, default)
            except NotFlat:
                continue


def input_schema(parameters: Sequence[Parameter]) -> Json:
    """Return the JSON Schema of a tool's arguments."""
    shown: Json = {
        "type": "object",
        "properties": {one.name: one.schema() for one in parameters},
        "additionalProperties": False,
    }
    if required := [one.name for one in parameters if one.is_required]:
        shown["required"] = required
    return shown


def read(parameters: Sequence[Parameter], arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments that were sent, as the tool takes them; `null` is as good as not sent.

    Raises:
        UnknownField: One is not known. Nothing is passed over: whoever sends it believes in it.
        InvalidValue: One is missing or is not what it must be.
    """
    known = {one.name: one for one in parameters}
    for name in arguments:
        if name not in known:
            raise UnknownField(name, tuple(known))
    sent = {name: value for name, value in arguments.items() if value is not None}
    for one in parameters:
        if one.is_required and one.name not in sent:
            raise InvalidValue(one.name, None, _MUST_BE[one.form])
    return {name: known[name].read(value) for name, value in sent.items()}


def output_schema(answer: type) -> Json:
    """Return the JSON Schema of an answer: a `TypedDict` of plain values, and of lists of such."""
    hints = get_type_hints(answer)
    return {
        "type": "object",
        "properties": {name: _value_schema(hint) for name, hint in hints.items()},
        "required": list(hints),
    }


def _value_schema(hint: Any) -> Json:
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if get_origin(hint) is list:
        (of,) = get_args(hint)
        return {"type": "array", "items": _value_schema(of)}
    if is_typeddict(hint):
        return output_schema(hint)
    raise NotFlat(f"{hint} is no value of a flat answer")


def _parameter(name: str, annotation: Any, default: object) -> Parameter:
    about = ""
    if get_origin(annotation) is Annotated:
        annotation, about = get_args(annotation)
    form, allowed = _form(annotation)
    is_required = default is inspect.Parameter.empty
    return Parameter(
        name=name,
        form=form,
        allowed=allowed,
        about=about,
        default=None if is_required else default,
        is_required=is_required,
    )


def _form(annotation: Any) -> tuple[str, tuple[str, ...]]:
    if annotation in _PLAIN:
        return _PLAIN[annotation], ()
    origin, of = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(word, str) for word in of):
        return TEXT, of
    if origin in (Sequence, list):
        form, allowed = _form(of[0])
        if form == TEXT:
            return TEXTS, allowed
    if origin in (UnionType, Union):
        # An instant is written as text; a single text may stand for a list of one.
        forms = [_form(one) for one in of if one not in (NoneType, datetime)]
        if {form for form, _ in forms} <= {TEXT, TEXTS} or len(forms) == 1:
            return forms[-1]
    raise NotFlat(f"{annotation} cannot be said in a flat schema")


def _unpacked(annotation: Any) -> Any:
    if get_origin(annotation) is not Unpack:
        raise NotFlat(f"{annotation} names no keywords")
    return get_args(annotation)[0]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number.is_integer() else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _yes_or_no(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: object) -> list[str] | None:
    if isinstance(value, str):
        # Some clients send a list as the text of its JSON.
        value = _list_in(value) if value.lstrip().startswith("[") else [value]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    return None


def _list_in(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [text]


_READERS: Mapping[str, Callable[[object], object]] = {
    TEXT: _text,
    WHOLE: _whole,
    NUMBER: _number,
    YES_OR_NO: _yes_or_no,
    TEXTS: _texts,
}
