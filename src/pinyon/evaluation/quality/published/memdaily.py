"""MemDaily: Chinese messages of everyday life, one question for each series. Unit: a message."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.corpus import Asked, Corpus, Tenant
from pinyon.evaluation.quality.folder import date_of
from pinyon.evaluation.quality.published.reading import Rows, json_of, shape_of

CATEGORIES = {
    "01": "simple",
    "02": "conditional",
    "03": "comparative",
    "04": "aggregative",
    "05": "post_processing",
    "06": "noisy",
}
_ERRORS = ("[ERRORQ]", "[ERRORA]")
"""What its makers put where no question came out; their own file leaves those out."""


def load(path: Path) -> Corpus:
    """Read `memdaily.json`, or the folder of files that it is made of.

    Raises:
        InvalidFile: It is neither.
    """
    with shape_of(path, "MemDaily"):
        tenants = [_tenant(*one) for one in _series(path)]
    return Corpus(name="memdaily", tenants=tuple(one for one in tenants if one.questions))


def _series(path: Path) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield category, name, messages and question of each series."""
    if path.is_dir():
        files = sorted(path.glob("*.json"))
        if not files:
            raise InvalidFile(str(path), "no .json file lies in it")
        for file in files:
            for series in json_of(file):
                name = f"{file.stem}-{series['tid']}"
                asked = series["question_list"][0]
                yield CATEGORIES[file.stem[:2]], name, series["message_list"], asked
        return
    for category, scenarios in json_of(path).items():
        for scenario, held in scenarios.items():
            for series in held or ():
                name = f"{category}-{scenario}-{series['tid']}"
                yield category, name, series["message_list"], series["QA"]


def _tenant(category: str, name: str, messages: Any, asked: Any) -> Tenant:
    rows = Rows()
    for message in messages:
        fields = {"text": message["message"], "speaker": "user"}
        rows.add(str(message["mid"]), fields, date_of(message["time"]))
    is_error = asked["question"] in _ERRORS or asked["answer"] in _ERRORS
    question = Asked(
        id=f"{name}/q0",
        text=asked["question"],
        category=category,
        evidence=() if is_error else rows.evidence(map(str, asked["target_step_id"])),
    )
    return Tenant(
        name=name,
        rows=tuple(rows.rows),
        questions=(question,) if question.evidence else (),
    )
