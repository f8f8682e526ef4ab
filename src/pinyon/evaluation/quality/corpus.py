"""A corpus: texts of several people, and questions whose answers are known."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from pinyon.domain.draft import Draft
from pinyon.domain.memory import Kind
from pinyon.domain.times import read_instant
from pinyon.errors import InvalidValue
from pinyon.text.passages import TEXT_CHARS_MAX

Abstain = Literal["foreign", "near"]
ABSTAIN: tuple[Abstain, ...] = ("foreign", "near")
"""What nothing answers: nonsense or another domain; or a topic that is there, left unsaid."""

SHARED = "*"
"""The tenant of a row that everybody may recall."""

FIRST = datetime(2024, 1, 1, tzinfo=UTC)
"""When the first row of a tenant was said, where rows tell no time; a minute later the next one."""

Fields = Mapping[str, Any]

_ROLES = ("user", "assistant")
"""Speakers that are roles: what an assistant said is not the user's."""
_LAST_YEAR = 9999
"""A minute after its end is no time any more."""


@dataclass(frozen=True, slots=True)
class Row:
    """A text that is to be kept, under the id by which questions name it.

    Attributes:
        draft: What is written; its `supersedes` are ids of rows.
    """

    id: str
    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and the ids of the rows that answer it: at least one, unless it has none.

    Attributes:
        id: Its own, by which two runs are compared.
        abstain: Why nothing answers it; `None` where something does.
    """

    id: str
    text: str
    category: str
    evidence: tuple[str, ...] = ()
    abstain: Abstain | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """Rows and questions that belong together: one user's memory, and what is asked of it."""

    name: str
    rows: tuple[Row, ...]
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Everything that is kept and asked in one evaluation.

    Attributes:
        shared: Rows that every tenant may recall.
        shortened: Rows whose text was cut to what one memory holds.
    """

    name: str
    tenants: tuple[Tenant, ...]
    shared: tuple[Row, ...] = ()
    shortened: int = 0

    @property
    def rows(self) -> Iterator[Row]:
        """Every row, the shared ones first."""
        yield from self.shared
        for tenant in self.tenants:
            yield from tenant.rows

    @property
    def asked_at_us(self) -> int:
        """When everything is kept and asked: at the newest row. Today, old data would age."""
        said = [row.draft.occurred_at for row in self.rows if row.draft.occurred_at is not None]
        return max((read_instant(at)[0] for at in said), default=read_instant(FIRST)[0])

    def digest(self) -> str:
        """Return the SHA-256 of what is kept and asked, however its files wrote it."""
        hashed = hashlib.sha256()
        for owner, row in _owned(self):
            hashed.update(_line([owner, row.id, *_said(row.draft)]))
        for tenant in self.tenants:
            for asked in tenant.questions:
                line = [tenant.name, asked.id, asked.text, asked.category, asked.abstain]
                hashed.update(_line([*line, *asked.evidence]))
        return hashed.hexdigest()


def draft_of(
    fields: Fields, *, said_at: datetime | None, default: Kind = "episodic"
) -> tuple[Draft, bool]:
    """Return what a row is kept as, and whether its text was cut to what one memory holds.

    Args:
        fields: The row; `text` is all that it must have.
        said_at: When it was said.
        default: Its kind where it names none.
    """
    text = text_of(fields)
    steps = fields.get("steps") or ()
    speaker = str(fields.get("speaker") or "")
    return Draft(
        text=text[:TEXT_CHARS_MAX],
        kind=fields.get("kind") or default,
        title=str(fields.get("title") or ""),
        keywords=tuple(map(str, fields.get("keywords") or ())),
        speaker=speaker,
        role=str(fields.get("role") or (speaker if speaker in _ROLES else "")),
        session="" if fields.get("session") is None else str(fields["session"]),
        occurred_at=said_at,
        trigger=str(fields.get("trigger") or ""),
        steps=tuple(map(str, steps)),
        supersedes=tuple(map(str, fields.get("supersedes") or ())),
        contradiction=fields.get("contradiction") or "natural",
    ), len(text) > TEXT_CHARS_MAX


def text_of(fields: Fields) -> str:
    """Return what a row says; what a picture shows is a part of it."""
    text = str(fields["text"])
    return f"{text} (shared a photo: {fields['caption']})" if fields.get("caption") else text


def in_order(before: datetime | None, said_at: datetime | None) -> datetime:
    """Return when a row was said; one that tells no time comes a minute after the one before it."""
    if said_at is not None:
        return said_at
    if before is None:
        return FIRST
    return before + timedelta(minutes=1) if before.year < _LAST_YEAR else before


def some_tenants(corpus: Corpus, wanted: str | None, *, asks: bool = True) -> Corpus:
    """Return a corpus of some of its tenants only.

    Args:
        corpus: The whole one.
        wanted: How many, the first ones; or which, by name, with commas between.
        asks: Whether something must be asked of one of them.

    Raises:
        InvalidValue: One has no such name, or nothing is asked of any.
    """
    if wanted is None:
        return corpus
    by_name = {tenant.name: tenant for tenant in corpus.tenants}
    if wanted not in by_name and wanted.isascii() and wanted.isdigit():
        names = list(by_name)[: int(wanted)]
    else:
        names = list(dict.fromkeys(name.strip() for name in wanted.split(",") if name.strip()))
    for name in names:
        if name not in by_name:
            raise InvalidValue("tenants", name, "a number, or some of " + ", ".join(by_name))
    tenants = tuple(by_name[name] for name in names)
    if not tenants or (asks and not any(tenant.questions for tenant in tenants)):
        raise InvalidValue("tenants", wanted, "people of whom something is asked")
    return replace(corpus, tenants=tenants)


def _owned(corpus: Corpus) -> Iterable[tuple[str, Row]]:
    yield from ((SHARED, row) for row in corpus.shared)
    for tenant in corpus.tenants:
        yield from ((tenant.name, row) for row in tenant.rows)


def _said(draft: Draft) -> Sequence[object]:
    at = None if draft.occurred_at is None else read_instant(draft.occurred_at)[0]
    line = [draft.kind, draft.text, draft.title, draft.speaker, draft.role, draft.session, at]
    lists = [draft.keywords, draft.steps, draft.supersedes]
    return [*line, draft.trigger, draft.contradiction, *map(list, lists)]


def _line(values: Sequence[object]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
