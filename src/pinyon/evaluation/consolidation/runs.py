"""A run of the suite for a program: its figures, and as JSON lines what became of each item.

Nothing in it depends on when or how fast it was run: two runs of the same code and proposer on the
same conversations differ in nothing, unless a model says something else the second time.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pinyon.evaluation.consolidation.bundled import Suite
from pinyon.evaluation.consolidation.figures import Figures, Measured
from pinyon.evaluation.consolidation.judging import (
    Judged,
    JudgedFact,
    JudgedLabel,
    expected_change,
)
from pinyon.evaluation.consolidation.playing import Played
from pinyon.evaluation.quality.comparing import Metrics
from pinyon.evaluation.quality.runs import code_digest

ITEMS = ("expected", "message")
"""Types of lines that say what became of one item."""
COMPARED = (
    "recall",
    "precision",
    "over",
    "kept",
    "supersessions(recall)",
    "junk",
    "attribution",
)
"""What two runs are compared by, item by item."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What made a run: everything on which its figures depend.

    Attributes:
        expected: How many facts are expected.
        made_by: What proposed: rules, or a model with its prompt.
        config: What was set.
        data: SHA-256 of what was said and expected.
        code: SHA-256 of Pinyon's sources.
    """

    corpus: str
    messages: int
    expected: int
    tenants: int
    made_by: str
    config: Mapping[str, object]
    data: str
    code: str
    pinyon: str


def made_of(suite: Suite, played: Played, config: Mapping[str, object]) -> Made:
    """Return what made a run of a suite."""
    said = f"{suite.corpus.digest()} {suite.expected.digest}"
    return Made(
        corpus=suite.corpus.name,
        messages=sum(row.draft.kind == "episodic" for row in suite.corpus.rows),
        expected=len(suite.expected.facts),
        tenants=len(suite.corpus.tenants),
        made_by=", ".join(sorted(played.made_by)),
        config=config,
        data=hashlib.sha256(said.encode()).hexdigest(),
        code=code_digest(),
        pinyon=version("pinyon"),
    )


def run_json(made: Made, found: Measured, played: Played) -> Json:
    """Return the figures of a run for a program."""
    return {
        **asdict(made),
        "metrics": _values(found.whole),
        "counts": {name: [one.part, one.of] for name, one in found.whole.items()},
        **{
            f"by_{slicing}": {part: _values(figures) for part, figures in parts.items()}
            for slicing, parts in found.by.items()
        },
        "refused": dict(sorted(played.refused.items())),
    }


def write_run(path: Path, made: Made, judged: Judged, played: Played) -> None:
    """Write a run to a file."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in ({"type": "run", **asdict(made)}, *_items(judged, played)):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def metrics_by_item(judged: Judged) -> Metrics:
    """Return the figures of each item of a run."""
    metrics: dict[str, Mapping[str, float]] = {}
    for one in judged.labels:
        metrics[f"expected {'/'.join(one.label.key)}"] = _of_label(one)
    for key, made in _by_message(judged).items():
        metrics[f"message {'/'.join(key)}"] = _of_message(made)
    return metrics


def _items(judged: Judged, played: Played) -> Iterator[Json]:
    for one in judged.labels:
        yield {
            "type": "expected",
            "id": f"expected {'/'.join(one.label.key)}",
            "language": one.language,
            "fact": asdict(one.label),
            "made": [_shown(fact) for fact in one.made],
            "metrics": _of_label(one),
        }
    for key, made in _by_message(judged).items():
        yield {
            "type": "message",
            "id": f"message {'/'.join(key)}",
            "text": played.texts.get(key, ""),
            "made": [_shown(fact) for fact in made],
            "metrics": _of_message(made),
        }


def _by_message(judged: Judged) -> dict[tuple[str, str], list[JudgedFact]]:
    """Return what was made of each message: of those that should give something, or nothing."""
    made: dict[tuple[str, str], list[JudgedFact]] = {}
    for label in judged.labels:
        for said in label.label.said:
            made.setdefault((label.label.tenant, said.message), [])
    for message in judged.junk:
        made.setdefault(message.key, [])
    for fact in judged.facts:
        made.setdefault(fact.message, []).append(fact)
    return dict(sorted(made.items()))


def _of_label(one: JudgedLabel) -> dict[str, float]:
    metrics = {"recall": float(one.is_found)}
    if one.is_found:
        over = one.label.fate != "holds"
        metrics["over" if over else "kept"] = float(one.holds is not over)
    if expected_change(one.label) is not None:
        metrics["supersessions(recall)"] = float(one.is_changed_rightly)
    return metrics


def _of_message(made: list[JudgedFact]) -> dict[str, float]:
    metrics = {
        "junk": float(sum(one.verdict == "junk" for one in made)),
        "attribution": float(sum(one.is_others for one in made)),
    }
    held = [one.verdict == "right" for one in made if one.verdict != "beside"]
    if held:
        metrics["precision"] = sum(held) / len(held)
    return metrics


def _shown(one: JudgedFact) -> Json:
    made, change = one.made, one.change
    return {
        "text": made.text,
        "subject": made.subject,
        "attribute": made.attribute,
        "supports": list(made.supports),
        "holds": made.holds,
        "verdict": one.verdict,
        "stands": one.stands,
        "changed": None if change is None else asdict(change),
    }


def _values(figures: Figures) -> dict[str, float]:
    return {name: one.value for name, one in figures.items()}
