"""What requests bring. Here is seen to it that each field is known, and that none is missing.

What stands in a field is looked at by the operation itself: it is refused in the same words and
with the same code as everywhere else, and no rule stands in two places. The types below describe
the fields to whoever reads the API. Those of a memory are read off `Details` and `Annotations`.

Nothing here names a tenant, a user or a space: whose memory it is, the credential says.
"""

from datetime import datetime
from types import UnionType
from typing import Annotated, Any, Self, Union, get_args, get_type_hints

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    create_model,
    model_validator,
)

from pinyon.domain.draft import Annotations, Details, Draft
from pinyon.domain.memory import Kind
from pinyon.domain.question import AsOf, Intent, Narrowing, Quality, RecallContext
from pinyon.domain.space import Scope
from pinyon.domain.turn import Moment, TaskOutcome
from pinyon.errors import InvalidValue, UnknownField

Instant = Annotated[str, Field(description="RFC 3339, with its offset: 2026-03-02T09:00:00+00:00.")]


class Body(BaseModel):
    """A request's body: a field that is not known is refused rather than passed over."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _known(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(data, dict):
            return handler(data)
        for name in data:
            if name not in cls.model_fields:
                raise UnknownField(name, tuple(cls.model_fields))
        if any(one.is_required() and name not in data for name, one in cls.model_fields.items()):
            return handler(data)
        return cls.model_construct(set(data), **data)

    @classmethod
    def read(cls, field: str, value: object) -> Self:
        """Return a body that stands in a field of another.

        Raises:
            InvalidValue: It is no object, or lacks a field.
            UnknownField: It has a field that is not known.
        """
        if not isinstance(value, dict):
            raise InvalidValue(field, value, "an object of " + ", ".join(cls.model_fields))
        for name, one in cls.model_fields.items():
            if one.is_required() and name not in value:
                raise InvalidValue(f"{field}.{name}", None, "there")
        return cls.model_validate(value)

    def sent(self, *without: str) -> dict[str, Any]:
        """Return the fields that were sent, but for some."""
        return {name: getattr(self, name) for name in self.model_fields_set if name not in without}


def _written(hint: Any) -> Any:
    """Return how a field's type is written in JSON: an instant is text of one form."""
    parts = get_args(hint) if isinstance(hint, UnionType) else ()
    if datetime not in parts:
        return hint
    return Union[tuple(Instant if one is datetime else one for one in parts if one is not str)]  # noqa: UP007 - of a tuple


def _fields_of(typed: type[Any]) -> dict[str, Any]:
    return {name: (_written(hint), None) for name, hint in get_type_hints(typed).items()}


class Said(Body):
    """A body in which `null` is as good as a field that is not there, where it need not be."""

    def sent(self, *without: str) -> dict[str, Any]:
        """Return the fields that say something, but for some."""
        sent = super().sent(*without)
        needed = {name for name, one in type(self).model_fields.items() if one.is_required()}
        return {n: value for n, value in sent.items() if value is not None or n in needed}


DetailsBody: type[Said] = create_model("DetailsBody", __base__=Said, **_fields_of(Details))
AnnotationsBody: type[Body] = create_model(
    "AnnotationsBody", __base__=Body, __doc__="What is to be set.", **_fields_of(Annotations)
)


class RememberBody(DetailsBody):  # type: ignore[valid-type, misc]
    """What was said."""

    text: str
    recallable: bool | None = None


class WriteBody(DetailsBody):  # type: ignore[valid-type, misc]
    """What to keep: one thing, with the condition under which it holds."""

    text: str
    kind: Kind = "semantic"
    scope: Scope = "own"


class DraftBody(DetailsBody):  # type: ignore[valid-type, misc]
    """One memory of several."""

    text: str
    kind: Kind = "semantic"

    def draft(self) -> Draft:
        """Return it as the gate takes it."""
        return Draft(**self.sent())


class WriteManyBody(Body):
    """Memories to keep: all of them, or none."""

    memories: list[DraftBody]
    scope: Scope = "own"

    def drafts(self) -> list[Draft]:
        """Return them as the gate takes them."""
        if not isinstance(self.memories, list):
            raise InvalidValue("memories", self.memories, "a list")
        return [DraftBody.read("memories", one).draft() for one in self.memories]


class ContextBody(Body):
    """The situation in which it is asked."""

    session: str = ""
    task_id: str = ""
    task_type: str = ""
    tool: str = ""
    project: str = ""
    module: str = ""
    recent_turns: list[str] = []


class AsOfBody(Body):
    """A point in time to answer for: what was true, and what was known."""

    valid: Instant | None = None
    known: Instant | None = None


class NarrowingBody(Body):
    """What a question is narrowed down by."""

    k: int = 10
    kinds: list[Kind] = []
    intent: Intent | None = None
    filters: dict[str, Any] | None = None
    include_superseded: bool = False
    as_of: Instant | AsOfBody | None = None
    context: ContextBody | None = None
    quality: Quality = "default"
    deadline_ms: int | None = None
    include_events: bool = False

    def narrowing(self) -> Narrowing:
        """Return it as `recall` takes it."""
        return Narrowing(
            kinds=self.kinds,
            intent=self.intent,
            filters=self.filters,
            include_superseded=self.include_superseded,
            as_of=_as_of(self.as_of),
            context=_context_of(self.context),
            quality=self.quality,
            deadline_ms=self.deadline_ms,
            include_events=self.include_events,
        )


class SearchBody(NarrowingBody):
    """A question."""

    query: str
    explain: bool = Field(False, description="With legs, scores, factors and the time of stages.")
    given: bool = Field(False, description="The hits go to a model: each counts as used.")
    if_needed: bool = Field(
        False, description="Leave a message alone that memory cannot help with."
    )

    def narrowing(self) -> Narrowing:
        """Return it as `recall` takes it."""
        narrowing = super().narrowing()
        narrowing["if_needed"] = self.if_needed
        return narrowing


class TurnBody(Body):
    """What was said, and in which situation."""

    message: str
    at: Moment = "message"
    session: str = ""
    history: list[dict[str, Any]] = Field(
        [], description="The messages so far, as OpenAI's or Anthropic's API has them."
    )
    context: ContextBody | None = None
    k: int = 8
    budget_tokens: int = 1_500
    if_needed: bool = True
    outcome: TaskOutcome = ""
    message_id: str = ""
    parent_event: str = ""

    def details(self) -> dict[str, Any]:
        """Return it as `turn` takes it."""
        return {**self.sent("message"), "context": _context_of(self.context)}


class BuildContextBody(Body):
    """What a prompt is for, and how much it may take."""

    task: str
    session: str = ""
    history: list[dict[str, Any]] = Field(
        [], description="The messages so far, as OpenAI's or Anthropic's API has them."
    )
    context: ContextBody | None = None
    budget_tokens: int = 2_000
    k: int = 20

    def details(self) -> dict[str, Any]:
        """Return it as `build_context` takes it."""
        return {**self.sent("task"), "context": _context_of(self.context)}


class WhyNotBody(NarrowingBody):
    """A question that a memory did not come for."""

    query: str


class EndBody(Body):
    """Until when it was true; now by default."""

    at: Instant | None = None


class PublishBody(Body):
    """Where to."""

    scope: Scope = "project"


class WithdrawBody(Body):
    """From where; everywhere by default."""

    scope: Scope | None = None


class ForgetBody(Body):
    """What is meant: exactly one of `ids`, `query`, `session`, `document` and `everything`."""

    ids: list[str] = []
    query: str = ""
    session: str = ""
    document: str = ""
    everything: bool = False
    scope: Scope = "own"
    dry_run: bool = False
    confirmed: bool = False


def _as_of(value: object) -> AsOf | None:
    if value is None or isinstance(value, str):
        return None if value is None else AsOf(valid=value)
    body = AsOfBody.read("as_of", value)
    return AsOf(valid=body.valid, known=body.known)


def _context_of(value: object) -> RecallContext | None:
    if value is None:
        return None
    given = ContextBody.read("context", value).sent()
    turns = given.get("recent_turns", ())
    given["recent_turns"] = tuple(turns) if isinstance(turns, list) else turns
    return RecallContext(**given)
