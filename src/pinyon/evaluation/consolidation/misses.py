"""What went wrong in a run, message by message."""

from collections.abc import Iterator
from dataclasses import dataclass

from pinyon.evaluation.consolidation.expected import Expected, Key
from pinyon.evaluation.consolidation.judging import (
    Judged,
    JudgedFact,
    JudgedLabel,
    expected_change,
)
from pinyon.evaluation.consolidation.playing import Played


@dataclass(frozen=True, slots=True)
class Miss:
    """A message, and what of it was missed or wrong: what is wrong, and with which words."""

    key: Key
    text: str
    wrongs: tuple[tuple[str, str], ...]


def misses_of(judged: Judged, expected: Expected, played: Played) -> list[Miss]:
    """Return what went wrong, in the order of the messages."""
    wrongs: dict[Key, list[tuple[str, str]]] = {}
    for one in judged.labels:
        key = one.label.tenant, one.label.said[0].message
        wrongs.setdefault(key, []).extend(_of_label(one))
    for fact in judged.facts:
        wrongs.setdefault(fact.message, []).extend(_of_fact(fact, expected))
    return [
        Miss(key, played.texts.get(key, ""), tuple(found))
        for key, found in sorted(wrongs.items())
        if found
    ]


def _of_label(one: JudgedLabel) -> Iterator[tuple[str, str]]:
    label, wanted = one.label, expected_change(one.label)
    if not one.is_found:
        yield "missed", label.said[0].quote
    elif wanted is None and not one.holds:
        became = ", ".join(fact.change.by or "nothing" for fact in one.made if fact.change)
        yield f"holds no more, by {became}", label.said[0].quote
    elif wanted is not None and one.holds:
        yield f"holds still, though {label.by} changed it", label.said[0].quote
    elif wanted is not None and not one.is_changed_rightly:
        yield f"over, but not by {label.by}", label.said[0].quote
    elif wanted is not None and all(fact.change != wanted for fact in one.made):
        yield f"over, but not as {wanted.contradiction}", label.said[0].quote


def _of_fact(one: JudgedFact, expected: Expected) -> Iterator[tuple[str, str]]:
    made = one.made
    filed = f"{made.text} ({made.subject}: {made.attribute})" if made.attribute else made.text
    if one.verdict == "junk":
        reasons = {expected.junk.get((made.tenant, row)) for row in made.supports} - {None}
        yield f"made of junk, {', '.join(sorted(map(str, reasons)))}", filed
    if one.verdict == "wrong":
        yield "wrong", filed
    if one.is_others:
        yield "not the user's words", filed
    if not one.stands:
        yield "stands elsewhere", filed
    if one.is_placed is False and one.label is not None:
        yield f"filed elsewhere than {one.label.subject}: {one.label.attribute}", filed
