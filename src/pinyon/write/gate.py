"""The gate: looks at everything that is to be kept, before it is hashed, indexed or stored.

It admits a draft as a memory, or refuses it with a coded error; nothing is ever half kept.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pinyon.domain.draft import Draft, When
from pinyon.domain.filter import METADATA_KEY
from pinyon.domain.ids import MemoryId, NewUuid, memory_id
from pinyon.domain.memory import (
    KINDS,
    TRUSTS,
    Awaits,
    CatalogEntry,
    Counts,
    Memory,
    Metadata,
    MetadataValue,
    Procedure,
    Source,
    Step,
    Times,
)
from pinyon.domain.space import Space
from pinyon.domain.times import read_instant
from pinyon.errors import InvalidText, InvalidTime, InvalidValue, TooLarge
from pinyon.text.facets import facets_of
from pinyon.text.normal import content_hash, keep
from pinyon.text.passages import TEXT_CHARS_MAX, passages_of
from pinyon.write.limits import (
    LIST_MAX,
    METADATA_CHARS_MAX,
    METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
    STEP_CHARS_MAX,
    STEPS_MAX,
    SUPPORT_MAX,
    TITLE_CHARS_MAX,
)

OWNER_FIELDS = frozenset({"tenant", "user", "user_id", "agent_id", "space", "owner", "principal"})
"""Names that look like a memory's owner. As metadata they are only words, so they are refused
rather than kept: whoever sets one believes that it does something."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A memory that may be kept, and what the gate took out of it."""

    memory: Memory
    redacted: tuple[str, ...] = ()


def admit(draft: Draft, space: Space, *, now_us: int, new_uuid: NewUuid) -> Admitted:
    """Return the memory that a draft amounts to.

    Raises:
        BadInput: A field is not what it must be; the error names it.
        TooLarge: A text is longer than one memory may be.
    """
    if draft.kind not in KINDS:
        raise InvalidValue("kind", draft.kind, "one of " + ", ".join(KINDS))
    if draft.trust not in TRUSTS:
        raise InvalidValue("trust", draft.trust, "one of " + ", ".join(TRUSTS))
    text = body_text("text", draft.text)
    times = _times(draft, now_us)
    awaits: tuple[Awaits, ...] = ("vectors",)
    if draft.kind == "episodic":
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
        importance=share("importance", draft.importance),
        confidence=share("confidence", draft.confidence),
        trust=draft.trust,
        pinned=flag("pinned", draft.pinned),
        content_hash=content_hash(text),
        times=times,
        source=_source(draft),
        counts=Counts(last_used_at_us=_or(times.occurred_at_us, now_us)),
        procedure=_procedure(draft),
        catalog=_catalog(draft),
        facets=facets_of(text),
        passages=passages_of(text),
        awaits=awaits,
    )
    return Admitted(memory)


def body_text(field: str, value: object) -> str:
    """Return a text as it is kept.

    Raises:
        InvalidText: It is no text, or blank.
        TooLarge: It has over `TEXT_CHARS_MAX` characters.
    """
    if not isinstance(value, str):
        raise InvalidText(field, f"must be text, not {type(value).__name__}")
    if len(value) > TEXT_CHARS_MAX:
        raise TooLarge(
            field,
            size=len(value),
            limit=TEXT_CHARS_MAX,
            unit="characters",
            hint="keep one thing a memory, and import a longer text as a document",
        )
    if not any(character.isprintable() and not character.isspace() for character in value):
        raise InvalidText(field, "is empty; say what is to be remembered")
    return keep(value)


def line(field: str, value: object, chars_max: int = NAME_CHARS_MAX) -> str:
    """Return a short text, which may be empty."""
    if value == "":
        return ""
    if not isinstance(value, str):
        raise InvalidText(field, f"must be text, not {type(value).__name__}")
    if len(value) > chars_max:
        raise TooLarge(
            field, size=len(value), limit=chars_max, unit="characters", hint="shorten it"
        )
    return keep(value)


def names(field: str, values: object, chars_max: int = NAME_CHARS_MAX) -> tuple[str, ...]:
    """Return a list of short texts, without blanks and repetitions, in the given order."""
    if values == ():
        return ()
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise InvalidValue(field, values, "a list of texts")
    if len(values) > LIST_MAX:
        raise TooLarge(field, size=len(values), limit=LIST_MAX, unit="entries", hint="drop some")
    kept = dict.fromkeys(line(field, value, chars_max).strip() for value in values)
    return tuple(value for value in kept if value)


def metadata_of(mapping: object) -> Metadata:
    """Return flat metadata as sorted pairs.

    Raises:
        InvalidValue: A key or value may not stand in metadata.
    """
    if not isinstance(mapping, Mapping):
        raise InvalidValue("metadata", mapping, "a mapping of keys to plain values")
    if len(mapping) > METADATA_KEYS_MAX:
        raise TooLarge(
            "metadata", size=len(mapping), limit=METADATA_KEYS_MAX, unit="keys", hint="drop some"
        )
    pairs = [
        (_metadata_key(key), _metadata_value(str(key), value)) for key, value in mapping.items()
    ]
    return tuple(sorted(pairs, key=lambda pair: pair[0]))


def share(field: str, value: object) -> float:
    """Return a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidValue(field, value, "a number from 0 to 1")
    return float(value)


def flag(field: str, value: object) -> bool:
    """Return a yes or no."""
    if not isinstance(value, bool):
        raise InvalidValue(field, value, "true or false")
    return value


def instant(field: str, value: When) -> int | None:
    """Return an instant in microseconds, `None` where none is given."""
    if value is None:
        return None
    try:
        return read_instant(value)[0]
    except InvalidTime as error:
        raise InvalidTime(error.value, error.why, field=field) from None


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
    supporting = _listed("supporting", draft.supporting, SUPPORT_MAX)
    return Source(
        session=line("session", draft.session),
        task=line("task", draft.task),
        agent=line("agent", draft.agent),
        event_type=line("event_type", draft.event_type),
        role=line("role", draft.role),
        speaker=line("speaker", draft.speaker),
        parent_event=line("parent_event", draft.parent_event),
        message_id=line("message_id", draft.message_id),
        supporting=tuple(dict.fromkeys(memory_id(value) for value in supporting)),
    )


def _procedure(draft: Draft) -> Procedure | None:
    given = _listed("steps", draft.steps, STEPS_MAX)
    steps = tuple(Step(line("steps", step, STEP_CHARS_MAX)) for step in given)
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


def _listed(field: str, values: object, most: int) -> Sequence[object]:
    if values == ():
        return ()
    if not isinstance(values, Sequence) or isinstance(values, str | bytes) or len(values) > most:
        raise InvalidValue(field, values, f"a list of at most {most} texts")
    return values


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _metadata_key(key: object) -> str:
    if not isinstance(key, str) or not METADATA_KEY.fullmatch(key):
        raise InvalidValue("metadata key", key, "1-64 letters, digits, '_', '.' or '-'")
    if key.lower() in OWNER_FIELDS:
        raise InvalidValue(
            "metadata key", key, "no owner's name; an owner comes from the principal"
        )
    return key


def _metadata_value(key: str, value: object) -> MetadataValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return line(f"metadata {key}", value, METADATA_CHARS_MAX)
    if isinstance(value, int) and abs(value) < 1 << 63:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InvalidValue(f"metadata {key}", value, "text, a number, true, false or null")
