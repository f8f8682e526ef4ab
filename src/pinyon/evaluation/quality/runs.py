"""A run as a file of JSON lines: what was run, then what became of each question.

Nothing in it depends on when or how fast it was run but the line that says so: two runs of the same
code on the same data and machine differ in that one only.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.comparing import Metrics
from pinyon.evaluation.quality.corpus import Corpus
from pinyon.evaluation.quality.lines import json_lines
from pinyon.evaluation.quality.summary import Slice, Summary, metrics_of

HITS_KEPT = 10
"""Hits of each question that are written down."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What made a run: everything on which its figures depend.

    Attributes:
        config: What was set.
        data: SHA-256 of what was kept and asked.
        code: SHA-256 of Pinyon's sources.
    """

    corpus: str
    memories: int
    questions: int
    tenants: int
    config: Mapping[str, object]
    data: str
    code: str
    pinyon: str


def made_of(corpus: Corpus, config: Mapping[str, object]) -> Made:
    """Return what makes a run of a corpus."""
    return Made(
        corpus=corpus.name,
        memories=sum(1 for _ in corpus.rows),
        questions=sum(len(tenant.questions) for tenant in corpus.tenants),
        tenants=len(corpus.tenants),
        config=config,
        data=corpus.digest(),
        code=code_digest(),
        pinyon=version("pinyon"),
    )


def code_digest() -> str:
    """Return the SHA-256 of the sources that answer."""
    root = Path(__file__).parents[2]
    hashed = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".sql"):
            hashed.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()


def summary_json(made: Made, summary: Summary) -> Json:
    """Return the figures of a run for a program."""
    whole = summary.whole
    return {
        **asdict(made),
        "metrics": dict(whole.metrics),
        "intervals": _intervals(whole),
        **{f"by_{name}": _slices(parts) for name, parts in summary.by.items()},
        "leaks": summary.leaks,
        "starvation": summary.starvation,
        "starvation_of": summary.starvation_of,
        "latency_ms": {
            "recall": {name: dict(of) for name, of in summary.recall_ms.items()},
            "stages": {name: dict(of) for name, of in summary.stages_ms.items()},
        },
    }


def write_run(path: Path, made: Made, summary: Summary, outcomes: Sequence[Outcome]) -> None:
    """Write a run to a file."""
    latency = summary_json(made, summary)["latency_ms"]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in ({"type": "run", **asdict(made)}, {"type": "latency", **latency}):
            file.write(_line(line))
        for outcome in outcomes:
            file.write(_line(_outcome(outcome)))


def read_run(path: Path, items: Sequence[str] = ("question",)) -> tuple[Json, Metrics]:
    """Return what a run says of itself, and the figures of each question.

    Args:
        path: Where it lies.
        items: The type of its lines that are questions, or what was measured instead.

    Raises:
        InvalidFile: It is no run.
    """
    head: Json = {}
    metrics: dict[str, Mapping[str, float]] = {}
    for place, fields in json_lines(path):
        match fields.get("type"):
            case "run":
                head = fields
            case kind if kind in items:
                if not isinstance(fields.get("id"), str) or not _are_metrics(fields.get("metrics")):
                    raise InvalidFile(path.name, f"a {kind} has no id or no metrics", line=place)
                metrics[fields["id"]] = fields["metrics"]
    if not metrics:
        raise InvalidFile(
            path.name, f"it holds no {items[0]}; `pinyon eval --out` writes such files"
        )
    return head, metrics


def metrics_by_question(outcomes: Sequence[Outcome]) -> Metrics:
    """Return the figures of each question of a run."""
    return {one.id: metrics_of(one) for one in outcomes}


def _are_metrics(read: object) -> bool:
    return isinstance(read, dict) and all(isinstance(one, int | float) for one in read.values())


def _outcome(one: Outcome) -> Json:
    return {
        "type": "question",
        "id": one.id,
        "tenant": one.tenant,
        "category": one.category,
        "kinds": list(one.kinds),
        "half": one.half,
        "abstain": one.abstain,
        "question": one.question,
        "evidence": list(one.evidence),
        "hits": [asdict(hit) for hit in one.hits[:HITS_KEPT]],
        "best": one.best,
        "floor": one.floor,
        "empty_because": one.empty_because,
        "leaks": one.leaks,
        "starved": one.starved,
        "metrics": metrics_of(one),
    }


def _slices(parts: Mapping[str, Slice]) -> Json:
    return {
        name: {"questions": of.questions, **of.metrics, "intervals": _intervals(of)}
        for name, of in parts.items()
    }


def _intervals(of: Slice) -> Json:
    return {name: [one.low, one.high] for name, one in of.intervals.items()}


def _line(fields: Json) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"
