"""The guards of reflection: a lesson is held against what was said and done on the task."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pinyon.domain.consolidation import Refusal
from pinyon.domain.event import Turn
from pinyon.domain.reflection import FinishedTask, Lesson
from pinyon.text.normal import content_hash
from pinyon.text.quoting import naming_words
from pinyon.text.tokens import question_terms

CONFIDENCE_MIN = 0.8


@dataclass(frozen=True, slots=True)
class Checked:
    """Lessons that may be kept, and why others may not."""

    lessons: tuple[Lesson, ...]
    refused: tuple[Refusal, ...]


def checked(
    task: FinishedTask, lessons: Sequence[Lesson], *, forgotten: Collection[str] = ()
) -> Checked:
    """Return which lessons may be kept.

    Args:
        task: What they are of.
        lessons: What somebody says that it teaches.
        forgotten: Hashes of texts that were forgotten since.
    """
    kept: list[Lesson] = []
    refused: list[Refusal] = []
    for lesson in lessons:
        reason = _reason(task, lesson, forgotten)
        if not reason and any(_says(one) == _says(lesson) for one in kept):
            reason = "repeated"
        if reason:
            refused.append(Refusal(kind="pitfall" if lesson.is_pitfall else "way", reason=reason))
        else:
            kept.append(lesson)
    return Checked(tuple(kept), tuple(refused))


def _says(lesson: Lesson) -> tuple[bool, str]:
    return lesson.is_pitfall, content_hash(lesson.text if lesson.is_pitfall else lesson.trigger)


def _reason(task: FinishedTask, lesson: Lesson, forgotten: Collection[str]) -> str:
    """Return why a lesson is not kept, "" where it is."""
    shown = {one.id: one for one in task.turns}
    if not lesson.rests_on or not all(one in shown for one in lesson.rests_on):
        return "unknown_turn"
    if not lesson.is_pitfall and task.outcome != "worked":
        return "it_failed"
    if not CONFIDENCE_MIN <= lesson.confidence <= 1:
        return "unsure"
    if not lesson.trigger.strip() or not (lesson.is_pitfall or lesson.steps):
        return "no_steps"
    if content_hash(lesson.text) in forgotten:
        return "forgotten"
    rests_on = [shown[one] for one in lesson.rests_on]
    if lesson.is_pitfall:
        told = lesson.quotes or (lesson.text,)
        is_told = all(_stands_in(one, task.turns, rests_on) for one in told if one)
    else:
        # What a tool answers may be anybody's words: they tell what failed, never what to do.
        own, on = _own(task.turns), _own(rests_on)
        is_told = all(_stands_in(step.instruction, own, on) for step in lesson.steps)
    return "" if is_told else "not_in_words"


def _own(turns: Sequence[Turn]) -> list[Turn]:
    return [one for one in turns if one.event_type != "tool_result"]


def _stands_in(text: str, turns: Sequence[Turn], rests_on: Sequence[Turn]) -> bool:
    """Return whether a text is of what was said: all its names and numbers, and some words."""
    said = {word for one in turns for word in question_terms(one.text).words}
    shown = {word for one in rests_on for word in question_terms(one.text).words}
    return naming_words(text) <= said and bool(set(question_terms(text).words) & shown)
