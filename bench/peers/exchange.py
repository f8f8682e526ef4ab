"""A corpus as plain files for a peer, and a peer's answers as outcomes, marked as Pinyon's are."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from pinyon.domain.ids import MemoryId
from pinyon.evaluation.quality.asking import FOREIGN_ROW, Came, K, Outcome
from pinyon.evaluation.quality.corpus import Asked, Corpus, Row, Tenant
from pinyon.evaluation.quality.keeping import Kept
from pinyon.evaluation.quality.marks import marks_of
from pinyon.evaluation.timing import Run
from pinyon.text.counting import estimated_tokens
from pinyon.text.normal import content_hash

Pair = tuple[str | None, float]
"""A hit of a peer: the key of the row that it is, `None` for what it never was given; its score."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a peer was given.

    Attributes:
        kept: By tenant, its rows; memories go by their key.
        text_of: What a row says, by tenant and row.
    """

    kept: Mapping[str, Kept]
    text_of: Mapping[tuple[str, str], str]


def write_files(corpus: Corpus, folder: Path) -> Sent:
    """Write `rows.jsonl` and `questions.jsonl`, tenants interleaved as they are for Pinyon."""
    said_by: dict[str, dict[MemoryId, str]] = {tenant.name: {} for tenant in corpus.tenants}
    text_of = {}
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as rows:
        for number, (tenant, row) in enumerate(_rows(corpus)):
            key = MemoryId(str(number))
            said_by[tenant][key] = content_hash(row.draft.text)
            text_of[tenant, row.id] = row.draft.text
            rows.write(_line({"key": key, "tenant": tenant, "text": unit_of(row)}))
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as questions:
        for one in corpus.tenants:
            for asked in one.questions:
                line = {"id": asked.id, "tenant": one.name, "text": asked.text}
                questions.write(_line(line))
    kept = {one.name: _kept(corpus, one, said_by[one.name]) for one in corpus.tenants}
    return Sent(kept, text_of)


def unit_of(row: Row) -> str:
    """Return a row as one text: who said it, and every other word that Pinyon is given with it."""
    draft = row.draft
    said = f"{draft.speaker}: {draft.text}" if draft.speaker else draft.text
    parts = [draft.title, said, draft.trigger, *draft.steps, ", ".join(draft.keywords)]
    return "\n".join(part for part in parts if part)


def read_answers(path: Path, corpus: Corpus, sent: Sent) -> list[Outcome]:
    """Return what became of each question, in the order of the corpus."""
    with path.open(encoding="utf-8") as lines:
        answers = {answer["id"]: answer for answer in map(json.loads, lines)}
    return [
        _outcome(answers[asked.id], asked, tenant.name, sent, half="odd" if place % 2 else "even")
        for place, tenant in enumerate(corpus.tenants, start=1)
        for asked in tenant.questions
    ]


def _outcome(
    answer: Mapping[str, object], asked: Asked, tenant: str, sent: Sent, *, half: str
) -> Outcome:
    kept = sent.kept[tenant]
    shallow, deep = (_came(answer[name], tenant, sent) for name in ("shallow", "deep"))
    pairs = (*answer["shallow"], *answer["deep"])
    said = [kept.said_in.get(hit.row, FOREIGN_ROW) for hit in deep]
    tokens = [hit.tokens for hit in deep]
    return Outcome(
        tenant=tenant,
        id=asked.id,
        question=asked.text,
        category=asked.category,
        kinds=tuple(sorted({kept.kind_of[row] for row in asked.evidence})),
        half=half,
        abstain=asked.abstain,
        evidence=asked.evidence,
        hits=deep,
        best=shallow[0].score if shallow else 0.0,
        floor=0.0,
        empty_because=None,
        tokens=sum(hit.tokens for hit in shallow[:K]),
        leaks=len({key for key, _ in pairs}.difference(kept.said_by)),
        marks=marks_of(kept.evidence(asked.evidence), said, tokens) if asked.evidence else {},
        run=Run(cpu_ms=answer["cpu_ms"], wall_ms=answer["wall_ms"]),
    )


def _came(pairs: Sequence[Pair], tenant: str, sent: Sent) -> tuple[Came, ...]:
    """Return hits as rows; what says the same as one before it is that one, and comes once."""
    kept = sent.kept[tenant]
    came: dict[str, Came] = {}
    for place, (key, score) in enumerate(pairs):
        said = kept.said_by.get(MemoryId(str(key)))
        if said is None:
            came[f"{FOREIGN_ROW}{place}"] = Came(row=FOREIGN_ROW, score=score, tokens=0)
        elif said not in came:
            row = kept.row_of[said]
            tokens = estimated_tokens(sent.text_of[tenant, row])
            came[said] = Came(row=row, score=score, tokens=tokens)
    return tuple(came.values())


def _rows(corpus: Corpus) -> Iterator[tuple[str, Row]]:
    """Yield what each tenant is to hold: the rows that everybody shares, then its own in turns."""
    for tenant in corpus.tenants:
        yield from ((tenant.name, row) for row in corpus.shared)
    for rows in zip_longest(*(tenant.rows for tenant in corpus.tenants)):
        for tenant, row in zip(corpus.tenants, rows, strict=True):
            if row is not None:
                yield tenant.name, row


def _kept(corpus: Corpus, tenant: Tenant, said_by: Mapping[MemoryId, str]) -> Kept:
    rows = (*corpus.shared, *tenant.rows)
    said_in = {row.id: content_hash(row.draft.text) for row in rows}
    row_of: dict[str, str] = {}
    for row, said in said_in.items():
        row_of.setdefault(said, row)
    return Kept(said_in, said_by, row_of, {row.id: row.draft.kind for row in rows})


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"
