"""How well the rules read what a message states: `python bench/statements.py [--misses]`.

Misses of `fresh` are never printed: who has seen them makes rules for them.

A statement is right where one of the message's labels has its subject, its attribute and what it
says, the same words in its value, and a quote that overlaps its span.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pinyon.domain.consolidation import Statement
from pinyon.evaluation.consolidation.bundled import suite_of
from pinyon.text.scripts import is_mostly_latin
from pinyon.text.statements import statements_in
from pinyon.text.tokens import question_terms

BUNDLED, HELD, LATER, FRESH = "bundled", "held", "later", "fresh"
LABELLED = Path(__file__).parents[1] / "tests" / "labelled" / "statements.jsonl"
SAID = ("subject", "attribute", "value", "says")
ALL = "all"

Label = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """A message and what it states, as somebody labelled it."""

    where: str
    language: str
    text: str
    states: tuple[Label, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the rules made of a message.

    Attributes:
        right: Labels that were found.
        wrong: Statements that are none of the labels.
        missed: Labels that were not found.
    """

    message: Message
    right: int
    wrong: tuple[Statement, ...]
    missed: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """How many labels there are, how many statements were read, and how many of them are right."""

    labelled: int
    read: int
    right: int

    @property
    def precision(self) -> float:
        """Return the share of what was read that is right."""
        return self.right / self.read if self.read else 1.0

    @property
    def recall(self) -> float:
        """Return the share of what is labelled that was read."""
        return self.right / self.labelled if self.labelled else 1.0


def bundled() -> Iterator[Message]:
    """Yield the episodes of the bundled corpus."""
    suite = suite_of("sarah")
    states: dict[tuple[str, str], list[Label]] = {}
    for fact in suite.expected.facts.values():
        label = {"quote": fact.said[0].quote} | {name: getattr(fact, name) for name in SAID}
        states.setdefault((fact.tenant, fact.said[0].message), []).append(label)
    for tenant in suite.corpus.tenants:
        for row in tenant.rows:
            if row.draft.kind == "episodic":
                text = row.draft.text
                language = "en" if is_mostly_latin(text) else "zh"
                yield Message(BUNDLED, language, text, tuple(states.get((tenant.name, row.id), ())))


def held(*sets: str) -> Iterator[Message]:
    """Yield the messages that no rule was made with.

    Args:
        sets: `held` was written before the rules, short and plain; `later` after them, in the long
            and loose way of a chat; `fresh` as loosely, before rules were made for loose talk.
    """
    for row in _rows(LABELLED.read_text("utf-8")):
        if row["half"] in sets:
            yield Message(row["half"], row["language"], row["text"], tuple(row["states"]))


def read(message: Message) -> Reading:
    """Return what the rules make of a message."""
    missed = list(message.states)
    wrong = []
    for said in statements_in(message.text):
        fitting = [label for label in missed if _fits(message.text, said, label)]
        if fitting:
            missed.remove(fitting[0])
        else:
            wrong.append(said)
    right = len(message.states) - len(missed)
    return Reading(message=message, right=right, wrong=tuple(wrong), missed=tuple(missed))


def mark_of(readings: Iterable[Reading]) -> Mark:
    """Return how well messages were read."""
    labelled = read_ = right = 0
    for one in readings:
        labelled += len(one.message.states)
        read_ += one.right + len(one.wrong)
        right += one.right
    return Mark(labelled, read_, right)


def _rows(lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


def _fits(text: str, said: Statement, label: Label) -> bool:
    at = text.index(label["quote"])
    return (
        (said.subject, said.attribute, said.says)
        == (label["subject"], label["attribute"], label["says"])
        and said.start < at + len(label["quote"])
        and at < said.end
        and _words(said.value) == _words(label["value"])
    )


def _words(value: str) -> set[str]:
    terms = set(question_terms(value).words)
    return terms or {value.casefold()}


def main() -> None:
    """Print precision and recall by set and language."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--misses", action="store_true", help="print what was read wrongly or not")
    given = asked.parse_args()
    readings = [read(message) for message in (*bundled(), *held(HELD, LATER, FRESH))]
    print(f"{'set':10} {'language':9} {'messages':>8} {'labels':>7} {'read':>5} precision recall")
    for where in (BUNDLED, HELD, LATER, FRESH):
        for language in (ALL, "en", "zh"):
            of = [
                one
                for one in readings
                if one.message.where == where and language in (ALL, one.message.language)
            ]
            mark = mark_of(of)
            print(
                f"{where:10} {language:9} {len(of):8} {mark.labelled:7} {mark.read:5}"
                f" {mark.precision:9.3f} {mark.recall:6.3f}"
            )
    for one in readings if given.misses else ():
        if one.message.where == FRESH or not (one.wrong or one.missed):
            continue
        print(f"\n[{one.message.where}] {one.message.text}")
        for said in one.wrong:
            print(f"  wrong: {said.subject}.{said.attribute} = {said.value!r} ({said.says})")
        for label in one.missed:
            print(f"  missed: {label['subject']}.{label['attribute']} = {label['value']!r}")


if __name__ == "__main__":
    main()
