"""Reading a corpus from a folder: `memories.jsonl` and `questions.jsonl`.

`docs/reference/evaluation.md` shows the fields.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from pinyon.domain.memory import CONTRADICTIONS, KINDS
from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.corpus import (
    ABSTAIN,
    SHARED,
    Abstain,
    Asked,
    Corpus,
    Fields,
    Row,
    Tenant,
    draft_of,
    in_order,
)
from pinyon.evaluation.quality.lines import json_lines

MEMORIES, QUESTIONS = "memories.jsonl", "questions.jsonl"
ABSTENTION = "abstention"
"""The category that published sets give to what is asked near a topic and answered nowhere."""

_CHINESE_TIME = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日\D*(\d{1,2}):(\d{2})")
_CHINA = timezone(timedelta(hours=8))


def read_folder(folder: Path, *, asks: bool = True) -> Corpus:
    """Return the corpus of a folder, its tenants in the order of their first memory.

    Args:
        folder: Where its files lie.
        asks: Whether questions are read, too.

    Raises:
        InvalidFile: One of the two files is missing, or a line of it is not what it must be.
    """
    rows: dict[str, list[Row]] = {}
    ids: dict[str, set[str]] = {}
    said: dict[str, datetime] = {}
    shortened = 0
    for place, fields in _lines(folder / MEMORIES, ("tenant", "id", "text")):
        _check_row(fields, place)
        owner = str(fields["tenant"])
        _check_id(str(fields["id"]), owner, ids, place)
        held = rows.setdefault(owner, [])
        said[owner] = in_order(said.get(owner), date_of(fields.get("time")))
        draft, was_cut = draft_of(
            fields,
            said_at=said[owner],
            default="catalog" if owner == SHARED else "episodic",
        )
        shortened += was_cut
        held.append(Row(str(fields["id"]), draft))
    shared = tuple(rows.pop(SHARED, ()))
    questions = _questions(folder / QUESTIONS, rows, shared) if asks else {}
    return Corpus(
        name=folder.resolve().name,
        tenants=tuple(
            Tenant(name=name, rows=tuple(held), questions=tuple(questions.get(name, ())))
            for name, held in rows.items()
        ),
        shared=shared,
        shortened=shortened,
    )


def date_of(told: object) -> datetime | None:
    """Return when a row was said, or `None` where its time does not read.

    Args:
        told: ISO time, UTC where it has no offset; or Chinese time, that of China.
    """
    chinese = _CHINESE_TIME.search(str(told))
    try:
        if chinese is not None:
            year, month, day, hour, minute = map(int, chinese.groups())
            return datetime(year, month, day, hour, minute, tzinfo=_CHINA)
        moment = datetime.fromisoformat(str(told))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _check_id(row: str, owner: str, ids: dict[str, set[str]], place: int) -> None:
    """Refuse an id that a question could mean two rows by."""
    others = ids.values() if owner == SHARED else (ids.get(owner, set()), ids.get(SHARED, set()))
    if any(row in held for held in others):
        raise InvalidFile(MEMORIES, f"id {row!r} stands there twice", line=place)
    ids.setdefault(owner, set()).add(row)


def _check_row(fields: Fields, place: int) -> None:
    if not isinstance(fields["text"], str) or not fields["text"].strip():
        raise InvalidFile(MEMORIES, "its text is empty, or no text", line=place)
    for name in ("keywords", "steps", "supersedes"):
        if not isinstance(fields.get(name) or [], list):
            raise InvalidFile(MEMORIES, f"{name} must be a list", line=place)
    for name, allowed in (("kind", KINDS), ("contradiction", CONTRADICTIONS)):
        if fields.get(name) not in (None, *allowed):
            raise InvalidFile(MEMORIES, f"{name} must be one of {', '.join(allowed)}", line=place)


def _questions(
    path: Path, rows: dict[str, list[Row]], shared: Sequence[Row]
) -> dict[str, list[Asked]]:
    """Return the questions that can be scored, by tenant."""
    questions: dict[str, list[Asked]] = {name: [] for name in rows}
    common = {row.id for row in shared}
    held = {name: common.union(row.id for row in of) for name, of in rows.items()}
    seen: set[str] = set()
    for place, fields in _lines(path, ("tenant", "question", "evidence")):
        tenant = str(fields["tenant"])
        if tenant not in questions:
            raise InvalidFile(QUESTIONS, f"tenant {tenant!r} has no memory", line=place)
        asked = _asked(fields, place, number=len(questions[tenant]))
        if asked is None:
            continue
        unknown = [row for row in asked.evidence if row not in held[tenant]]
        if unknown:
            raise InvalidFile(QUESTIONS, f"evidence {unknown[0]!r} is no memory", line=place)
        if asked.id in seen:
            raise InvalidFile(QUESTIONS, f"qid {asked.id!r} stands there twice", line=place)
        seen.add(asked.id)
        questions[tenant].append(asked)
    return questions


def _asked(fields: Fields, place: int, *, number: int) -> Asked | None:
    """Return a question, or `None` where it cannot be scored."""
    if not isinstance(fields["question"], str) or not fields["question"].strip():
        raise InvalidFile(QUESTIONS, "its question is empty, or no text", line=place)
    if not isinstance(fields["evidence"], list):
        raise InvalidFile(QUESTIONS, "evidence must be a list of ids", line=place)
    evidence = tuple(dict.fromkeys(map(str, fields["evidence"])))
    category = str(fields.get("category_name") or fields.get("category") or "")
    abstain = _abstain_of(fields, category, place)
    if abstain is None and not (evidence and fields.get("scorable", True)):
        return None
    return Asked(
        id=str(fields.get("qid") or f"{fields['tenant']}/{number}"),
        text=str(fields["question"]),
        category=category,
        evidence=() if abstain else evidence,
        abstain=abstain,
    )


def _abstain_of(fields: Fields, category: str, place: int) -> Abstain | None:
    named = fields.get("abstain")
    for known in ABSTAIN:
        if named == known:
            return known
    if named is not None:
        raise InvalidFile(QUESTIONS, f"abstain must be one of {', '.join(ABSTAIN)}", line=place)
    return "near" if category == ABSTENTION and not fields["evidence"] else None


def _lines(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, Fields]]:
    if not path.is_file():
        raise InvalidFile(path.name, "it is not in this folder")
    for place, fields in json_lines(path):
        missing = [name for name in needed if name not in fields]
        if missing:
            raise InvalidFile(path.name, f"it has no {missing[0]!r}", line=place)
        if not str(fields["tenant"]).strip():
            raise InvalidFile(path.name, "its tenant has no name", line=place)
        yield place, fields
