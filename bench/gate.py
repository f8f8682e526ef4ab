"""How well the gate finds what is sensitive: `python bench/gate.py`. See `bench/README.md`.

A finding counts where it is of the category and holds the whole labelled value with at most a few
characters more: half a key is no key found.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pinyon.domain.policy import CATEGORIES
from pinyon.text.orders import gives_orders
from pinyon.text.sensitive import find_sensitive

LABELLED = Path(__file__).parent / "gate" / "labelled.jsonl"
ALL = "all"
ORDERS = "orders"
SLACK_CHARS = 4

Key = tuple[str, str]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How one category did in one language, or in all of them."""

    category: str
    language: str
    labelled: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.labelled if self.labelled else 1.0


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def marks_of(rows: Sequence[Row]) -> list[Mark]:
    """Return marks by category and language, those of everything first."""
    counts: dict[str, Counter[Key]] = {
        "labelled": Counter(),
        "found": Counter(),
        "right": Counter(),
    }
    for row in rows:
        for what, categories in _met(row).items():
            for category in categories:
                counts[what].update(_keys(category, row["language"]))
    keys = [
        (category, language)
        for category in (ALL, *CATEGORIES, ORDERS)
        for language in (ALL, "en", "zh")
    ]
    return [
        Mark(
            category=key[0],
            language=key[1],
            **{what: counter[key] for what, counter in counts.items()},
        )
        for key in keys
    ]


def misses_of(rows: Iterable[Row]) -> Iterator[str]:
    """Yield what was missed, and what was found that is nothing."""
    for row in rows:
        met = _met(row)
        if sorted(met["labelled"]) != sorted(met["right"]):
            yield f"missed: {row['text']!r}"
        if sorted(met["found"]) != sorted(met["right"]):
            yield f"wrong: {row['text']!r}"


def _met(row: Row) -> dict[str, list[str]]:
    text = row["text"]
    found = [(one.category, text[one.start : one.end]) for one in find_sensitive(text)]
    left = list(found)
    right = []
    for label in row["findings"]:
        for one in left:
            category, value = one
            extra = len(value) - len(label["value"])
            if category == label["category"] and label["value"] in value and extra <= SLACK_CHARS:
                right.append(category)
                left.remove(one)
                break
    orders = [ORDERS] if gives_orders(text) else []
    labelled_orders = [ORDERS] if row["orders"] else []
    return {
        "labelled": [label["category"] for label in row["findings"]] + labelled_orders,
        "found": [category for category, _ in found] + orders,
        "right": right + (orders if row["orders"] else []),
    }


def _keys(category: str, language: str) -> list[Key]:
    named = [(category, ALL), (category, language)]
    return named if category == ORDERS else [*named, (ALL, ALL), (ALL, language)]


def table(marks: Sequence[Mark]) -> str:
    """Return marks as a table for a page."""
    lines = [
        "| category | labelled | precision | recall | en: p, r | zh: p, r |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    by_key = {(mark.category, mark.language): mark for mark in marks}
    for category in (*CATEGORIES, ALL, ORDERS):
        whole, en, zh = (by_key[category, language] for language in (ALL, "en", "zh"))
        lines.append(
            f"| `{category}` | {whole.labelled} | {whole.precision:.3f} | {whole.recall:.3f} "
            f"| {_short(en)} | {_short(zh)} |"
        )
    return "\n".join(lines)


def _short(mark: Mark) -> str:
    return f"{mark.precision:.3f}, {mark.recall:.3f}" if mark.labelled or mark.found else "–"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How well the gate finds what is sensitive.")
    parser.add_argument("file", nargs="?", type=Path, default=LABELLED, help="labelled rows")
    parser.add_argument("--json", action="store_true", help="numbers instead of a table")
    parser.add_argument("--misses", action="store_true", help="also what went wrong")
    options = parser.parse_args(arguments)
    rows = read_rows(options.file)
    marks = marks_of(rows)
    if options.json:
        print(
            json.dumps(
                [
                    {**asdict(mark), "precision": mark.precision, "recall": mark.recall}
                    for mark in marks
                ]
            )
        )
    else:
        print(f"{len(rows)} rows\n\n{table(marks)}")
    if options.misses:
        print(*misses_of(rows), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
