"""The gate: looks at everything that is to be kept, before it is hashed, indexed or stored.

It admits a draft as a memory, or refuses it with a coded error; nothing is ever half kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from pinyon.domain.draft import Draft
from pinyon.domain.event import EVENT_TYPES, event_type_of, trust_of
from pinyon.domain.ids import MemoryId, NewUuid, memory_id, turn_id
from pinyon.domain.memory import (
    CONTRADICTIONS,
    KINDS,
    TRUSTS,
    Awaits,
    CatalogEntry,
    Counts,
    Memory,
    Procedure,
    Source,
    Step,
    Times,
    Trust,
)
from pinyon.domain.policy import Policies
from pinyon.domain.space import Space
from pinyon.domain.synonyms import Synonyms
from pinyon.domain.times import read_instant
from pinyon.errors import InvalidValue, NotWanted
from pinyon.ports.detector import Detector
from pinyon.text.facets import facets_of
from pinyon.text.fencing import without_fenced
from pinyon.text.importance import PLAIN as IMPORTANCE_USUAL
from pinyon.text.importance import importance_of
from pinyon.text.normal import content_hash
from pinyon.text.orders import gives_orders
from pinyon.text.passages import passages_of
from pinyon.text.standing import filed_under
from pinyon.text.summarising import summarised
from pinyon.write.allowing import EVERYTHING_ALLOWED, Allowed
from pinyon.write.form import (
    body_text,
    flag,
    instant,
    line,
    listed,
    metadata_of,
    names,
    share,
)
from pinyon.write.limits import STEP_CHARS_MAX, STEPS_MAX, SUPPORT_MAX, TITLE_CHARS_MAX
from pinyon.write.screening import Screened, ScreenedAnnotations, screen, screen_annotations


@dataclass(frozen=True, slots=True)
class Gate:
    """What is done about what is sensitive, for each tenant, and what else looks for it.

    Attributes:
        synonyms: What a tenant calls the same, where topics are never to be kept.
        allowed: What may be kept at all; for each write anew.
    """

    policies: Policies = field(default_factory=Policies)
    detectors: tuple[Detector, ...] = ()
    synonyms: Synonyms = field(default_factory=Synonyms)
    allowed: Allowed = EVERYTHING_ALLOWED

    def screen(self, draft: Draft, tenant: str) -> Screened:
        """Return a draft that may be kept, without what the tenant's policy takes out."""
        self.allowed.check(draft)
        return screen(draft, self.policies.of(tenant), self.detectors)

    def screen_annotations(
        self, annotations: Mapping[str, object], tenant: str
    ) -> ScreenedAnnotations:
        """Return annotations that may be set, without what the tenant's policy takes out."""
        self.allowed.check_annotations(annotations)
        return screen_annotations(annotations, self.policies.of(tenant), self.detectors)


USUAL = Gate()


@dataclass(frozen=True, slots=True)
class Admitted:
    """A memory that may be kept, and what the gate did to it.

    Attributes:
        draft: What it was made of, as far as it may be kept.
        redacted: What was taken out, by category.
    """

    memory: Memory
    draft: Draft
    redacted: tuple[str, ...] = ()


def admit(
    draft: Draft, space: Space, *, now_us: int, new_uuid: NewUuid, gate: Gate = USUAL
) -> Admitted:
    """Return the memory that a draft amounts to.

    Whether it may be kept is asked first, then what is sensitive is looked for: nothing below, no
    error and no hash ever sees either. A text
    that gives orders to a model goes into quarantine unless the user said it: it is kept, and
    only who may write to its space finds it, by asking for that shelf. What the user lays down for
    good (a standing order, who they are, what must never be) is filed as that, unless it is filed
    under something else: no question finds it by likeness.

    Raises:
        NotWanted: Its user does not want it kept.
        Sensitive: It holds what the tenant's policy refuses.
        BadInput: A field is not what it must be; the error names it.
        TooLarge: A text is longer than one memory may be.
    """
    screened = gate.screen(_unfenced(draft), space.tenant)
    draft = screened.draft
    if draft.kind not in KINDS:
        raise InvalidValue("kind", draft.kind, "one of " + ", ".join(KINDS))
    if draft.contradiction not in CONTRADICTIONS:
        allowed = "one of " + ", ".join(CONTRADICTIONS)
        raise InvalidValue("contradiction", draft.contradiction, allowed)
    text = body_text("text", draft.text)
    times = _times(draft, now_us)
    awaits: tuple[Awaits, ...] = ("vectors",)
    if draft.kind == "episodic" and str(draft.session) not in gate.allowed.temporary:
        # What is made of an episode outlives its session.
        awaits = ("vectors", "consolidation")
    memory = Memory(
        id=MemoryId("mem_" + new_uuid()),
        space=space,
        kind=draft.kind,
        text=text,
        title=line("title", draft.title, TITLE_CHARS_MAX),
        keywords=names("keywords", draft.keywords),
        scenarios=names("scenarios", draft.scenarios, TITLE_CHARS_MAX),
        category=line("category", draft.category),
        project=line("project", draft.project),
        module=line("module", draft.module),
        tags=names("tags", draft.tags),
        metadata=metadata_of(draft.metadata),
        importance=_importance(draft, text),
        confidence=share("confidence", draft.confidence),
        trust=_trust(draft),
        pinned=flag("pinned", draft.pinned),
        content_hash=content_hash(text),
        times=times,
        source=_source(draft),
        counts=Counts(last_used_at_us=_or(times.occurred_at_us, now_us)),
        procedure=_procedure(draft),
        catalog=_catalog(draft),
        # A chunk of a document is short enough to be read as it is.
        summary=None if draft.kind == "catalog" else summarised(text),
        facets=facets_of(text),
        passages=passages_of(text),
        awaits=awaits,
    )
    if memory.trust != "user":
        if _gives_orders(memory):
            memory = replace(memory, shelf="quarantined", awaits=())
    elif not memory.category and memory.kind in ("episodic", "semantic"):
        memory = replace(memory, category=filed_under(memory.text))
    return Admitted(memory, draft, screened.redacted)


def _unfenced(draft: Draft) -> Draft:
    """Return a draft without what memory itself had handed to a model, which is no news.

    Raises:
        NotWanted: Nothing else is in it.
    """
    if not isinstance(draft.text, str):
        return draft
    text = without_fenced(draft.text)
    if text == draft.text:
        return draft
    if not text.strip():
        raise NotWanted("recalled")
    return replace(draft, text=text.strip())


def _gives_orders(memory: Memory) -> bool:
    """Return whether anything in a memory that a model may read tells it what to do."""
    texts = [memory.text, memory.title, *memory.keywords, *memory.scenarios, *memory.tags]
    texts += [value for _, value in memory.metadata if isinstance(value, str)]
    if memory.procedure is not None:
        texts += [memory.procedure.trigger]
        texts += [text for one in memory.procedure.steps for text in (one.instruction, one.tool)]
    return any(gives_orders(text) for text in texts if text)


def _trust(draft: Draft) -> Trust:
    """Return who said it: as is given, else as the role tells."""
    if draft.trust is None:
        if draft.kind == "catalog":
            return "document"
        return trust_of(str(draft.role))
    if draft.trust not in TRUSTS:
        raise InvalidValue("trust", draft.trust, "one of " + ", ".join(TRUSTS))
    return draft.trust


def _importance(draft: Draft, text: str) -> float:
    """Return how much it matters: as is given; of what a user said as its form tells."""
    if draft.importance is not None:
        return share("importance", draft.importance)
    is_said = draft.kind == "episodic" and trust_of(str(draft.role)) == "user"
    return importance_of(text) if is_said else IMPORTANCE_USUAL


def _times(draft: Draft, now_us: int) -> Times:
    occurred_at_us = instant("occurred_at", draft.occurred_at)
    if occurred_at_us is None and draft.kind == "episodic":
        occurred_at_us = now_us
    valid_from_us = instant("valid_from", draft.valid_from)
    if valid_from_us is None and draft.kind != "catalog":
        valid_from_us = now_us if occurred_at_us is None else occurred_at_us
    valid_until_us = instant("valid_until", draft.valid_until)
    expires_at_us = instant("expires_at", draft.expires_at)
    if draft.valid_from is None and None not in (valid_from_us, valid_until_us):
        # What was over before it was said: nobody knows since when it held.
        valid_from_us = valid_from_us if _or(valid_until_us, 0) > _or(valid_from_us, 0) else None
    if valid_from_us is not None and valid_until_us is not None and valid_until_us <= valid_from_us:
        raise InvalidValue("valid_until", draft.valid_until, "after valid_from")
    return Times(
        occurred_at_us=occurred_at_us,
        offset_min=_offset_of(draft),
        valid_from_us=valid_from_us,
        valid_until_us=valid_until_us,
        created_at_us=now_us,
        updated_at_us=now_us,
        expires_at_us=expires_at_us,
    )


def _offset_of(draft: Draft) -> int:
    """Return the offset in which the writer thinks: that of the first instant that is given."""
    given = (draft.occurred_at, draft.valid_from, draft.valid_until, draft.expires_at)
    first = next((value for value in given if value is not None), None)
    return 0 if first is None else read_instant(first)[1]


def _source(draft: Draft) -> Source:
    supporting = listed("supporting", draft.supporting, SUPPORT_MAX)
    derived_from = listed("derived_from", draft.derived_from, SUPPORT_MAX)
    return Source(
        session=line("session", draft.session),
        task=line("task", draft.task),
        agent=line("agent", draft.agent),
        event_type=event_type_in(draft),
        role=line("role", draft.role),
        speaker=line("speaker", draft.speaker),
        parent_event=line("parent_event", draft.parent_event),
        message_id=line("message_id", draft.message_id),
        supporting=tuple(dict.fromkeys(memory_id(value) for value in supporting)),
        derived_from=tuple(dict.fromkeys(turn_id(value) for value in derived_from)),
    )


def event_type_in(draft: Draft) -> str:
    """Return what was said or done: as is given; of what happened, else as the role tells."""
    if not draft.event_type:
        return event_type_of(str(draft.role)) if draft.kind == "episodic" else ""
    if draft.event_type not in EVENT_TYPES:
        raise InvalidValue("event_type", draft.event_type, "one of " + ", ".join(EVENT_TYPES))
    return draft.event_type


def _procedure(draft: Draft) -> Procedure | None:
    given = listed("steps", draft.steps, STEPS_MAX)
    tools = listed("tools", draft.tools, STEPS_MAX)
    if len(tools) > len(given):
        raise InvalidValue("tools", list(tools), "at most one for each step")
    steps = tuple(
        Step(line("steps", step, STEP_CHARS_MAX), line("tools", tool))
        for step, tool in zip_longest(given, tools, fillvalue="")
    )
    trigger = line("trigger", draft.trigger, TITLE_CHARS_MAX)
    if draft.kind == "procedural":
        return Procedure(trigger=trigger, steps=steps)
    if steps or trigger:
        raise InvalidValue("kind", draft.kind, "procedural where there are steps or a trigger")
    return None


def _catalog(draft: Draft) -> CatalogEntry | None:
    document = line("document", draft.document, TITLE_CHARS_MAX)
    if draft.kind == "catalog":
        return CatalogEntry(document=document)
    if document:
        raise InvalidValue("kind", draft.kind, "catalog where there is a document")
    return None


def _or(value: int | None, default: int) -> int:
    return default if value is None else value
