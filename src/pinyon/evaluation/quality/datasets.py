"""Data to measure quality with: a folder that its user names, holding two files of JSON lines.

`memories.jsonl` has a row for each text, those of one tenant in order of time; `questions.jsonl`
has the questions, each with the ids of the rows that answer it. `bench/README.md` shows the fields.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from pinyon.domain.draft import Draft
from pinyon.domain.memory import Kind
from pinyon.domain.times import US_PER_S, read_instant
from pinyon.errors import InvalidFile
from pinyon.text.passages import TEXT_CHARS_MAX

Fields = Mapping[str, Any]

_CHINESE_TIME = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日\D*(\d{1,2}):(\d{2})")
_HOUR_US = 3_600 * US_PER_S
_CHINA = timezone(timedelta(hours=8))
_FIRST = datetime(2024, 1, 1, tzinfo=UTC)
"""When the first row of a tenant was said, where rows tell no time; a minute later the next one."""


@dataclass(frozen=True, slots=True)
class Row:
    """A text that is to be kept, under the id by which questions name it."""

    id: str
    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and the ids of the rows that answer it: at least one."""

    text: str
    category: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """Rows and questions that belong together: one user's memory, and what is asked of it.

    Attributes:
        shortened: Rows whose text was cut to what one memory holds.
    """

    name: str
    rows: tuple[Row, ...]
    questions: tuple[Asked, ...]
    shortened: int = 0

    @property
    def asked_at_us(self) -> int:
        """Return when its questions are asked: an hour after the last thing that was said.

        Asked today, old data would age from run to run.
        """
        said = [row.draft.occurred_at for row in self.rows if row.draft.occurred_at is not None]
        return max((read_instant(at)[0] for at in said), default=read_instant(_FIRST)[0]) + _HOUR_US


def read_folder(folder: Path, *, kind: Kind = "episodic") -> list[Tenant]:
    """Return the tenants of a folder, in the order of its memories.

    Args:
        folder: Holds `memories.jsonl` and `questions.jsonl`.
        kind: As what the rows are to be kept.

    Raises:
        InvalidFile: One of the two is missing, or a line of it does not have its fields.
    """
    rows: dict[str, list[Row]] = {}
    shortened: dict[str, int] = {}
    for place, fields in _lines(folder / "memories.jsonl", ("tenant", "id", "text")):
        tenant = str(fields["tenant"])
        before = rows.setdefault(tenant, [])
        text = text_of(fields)
        if not text.strip():
            raise InvalidFile("memories.jsonl", "its text is empty", line=place)
        shortened[tenant] = shortened.get(tenant, 0) + (len(text) > TEXT_CHARS_MAX)
        draft = Draft(
            text=text[:TEXT_CHARS_MAX],
            kind=kind,
            speaker=str(fields.get("speaker") or ""),
            session="" if fields.get("session") is None else str(fields["session"]),
            occurred_at=time_of(fields, len(before)),
        )
        before.append(Row(str(fields["id"]), draft))
    questions = _questions(folder / "questions.jsonl")
    return [
        Tenant(
            name=name,
            rows=tuple(held),
            questions=tuple(questions.get(name, ())),
            shortened=shortened[name],
        )
        for name, held in rows.items()
    ]


def text_of(fields: Fields) -> str:
    """Return what a row says; what a picture shows is a part of it."""
    text = str(fields["text"])
    return f"{text} (shared a photo: {fields['caption']})" if fields.get("caption") else text


def time_of(fields: Fields, place: int) -> datetime | None:
    """Return when a row was said, or `None` where its time does not read.

    Args:
        fields: The row. ISO time without an offset is UTC, Chinese time is that of China.
        place: How many rows the tenant has before it; they keep their order where no time is told.
    """
    if fields.get("time") is None:
        return _FIRST + timedelta(minutes=place)
    told = str(fields["time"])
    chinese = _CHINESE_TIME.search(told)
    try:
        if chinese is not None:
            year, month, day, hour, minute = map(int, chinese.groups())
            return datetime(year, month, day, hour, minute, tzinfo=_CHINA)
        moment = datetime.fromisoformat(told)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def halved(tenant: Tenant) -> list[Tenant]:
    """Part a tenant in two by its rows, each half with the questions that it alone answers.

    What is asked of one half is foreign to the other, which data of one tenant would not have.
    """
    middle = len(tenant.rows) // 2
    halves = []
    for number, rows in enumerate((tenant.rows[:middle], tenant.rows[middle:]), start=1):
        held = {row.id for row in rows}
        own = tuple(asked for asked in tenant.questions if held.issuperset(asked.evidence))
        halves.append(replace(tenant, name=f"{tenant.name}/{number}", rows=rows, questions=own))
    return halves


def _questions(path: Path) -> dict[str, list[Asked]]:
    """Return the questions that can be scored, by tenant."""
    questions: dict[str, list[Asked]] = {}
    for _, fields in _lines(path, ("tenant", "question", "evidence")):
        evidence = tuple(dict.fromkeys(map(str, fields["evidence"])))
        if evidence and fields.get("scorable", True):
            asked = Asked(
                text=str(fields["question"]),
                category=str(fields.get("category_name") or fields.get("category") or ""),
                evidence=evidence,
            )
            questions.setdefault(str(fields["tenant"]), []).append(asked)
    return questions


def _lines(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, Fields]]:
    if not path.is_file():
        raise InvalidFile(path.name, "it is not in this folder")
    with path.open(encoding="utf-8") as lines:
        for place, line in enumerate(lines, start=1):
            try:
                fields = json.loads(line)
            except ValueError:
                raise InvalidFile(path.name, "it is no JSON", line=place) from None
            missing = [name for name in needed if name not in fields]
            if missing:
                raise InvalidFile(path.name, f"it has no {missing[0]!r}", line=place)
            yield place, fields
