"""Says by rule what a task teaches: the calls that worked, in order, and those that did not.

A way that worked is the agent's own calls as they stand in the log. A pitfall is a call whose
result tells of an error, with that error, and with what worked in its place where something did.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pinyon.domain.event import Turn
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Step
from pinyon.domain.reflection import FinishedTask, Lesson
from pinyon.text.facets import facets_of
from pinyon.text.normal import content_hash
from pinyon.text.outcomes import outcome_in
from pinyon.text.scripts import is_mostly_latin
from pinyon.text.sentences import sentence_spans

STEPS_MAX = 12
"""More is a journey, not a way; the last ones lead to the end."""
PITFALLS_MAX = 5
CALL_CHARS_MAX = 300
ERROR_CHARS_MAX = 200
SURE, BY_SUMMARY = 0.9, 0.8
"""How sure a lesson is: of what the log shows, of what an agent says that it did."""

_LISTED = re.compile(r"^\s*(?:\d{1,2}[.)、]|[-*•])\s+(\S.*)$", re.MULTILINE)
_ERROR_WORD = re.compile(
    r"error|exception|fail|refused|denied|timed? ?out|not found|invalid|错误|失败|异常|超时|拒绝",
    re.IGNORECASE,
)
_SAID_WRONG = re.compile(
    r'"(?:is_?error|failed)"\s*:\s*true|"(?:ok|success)"\s*:\s*false', re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A call, and what came of it."""

    call: Turn
    result: Turn | None

    @property
    def has_failed(self) -> bool:
        if self.result is None:
            return False
        text = self.result.text
        return (
            facets_of(text).has_error
            or bool(_SAID_WRONG.search(text))
            or outcome_in(text) == "failed"
        )

    @property
    def does(self) -> tuple[str, str]:
        """Return what tells whether two do the same."""
        return self.call.speaker, content_hash(self.call.text)

    @property
    def turns(self) -> tuple[MemoryId | EventId, ...]:
        return (self.call.id,) if self.result is None else (self.call.id, self.result.id)


class RuleReflector:
    """A `pinyon.ports.reflector.Reflector` without a model."""

    @property
    def label(self) -> str:
        """Return the rules' name and version."""
        return "rules@1"

    async def lessons(self, task: FinishedTask) -> Sequence[Lesson]:
        """Return the way that worked, if it did, and what failed on it."""
        attempts = _attempts(task.turns)
        found = [*_pitfalls(task, attempts)]
        if task.outcome == "worked":
            way = _way_of_calls(task, attempts) or _way_of_summary(task)
            found += [] if way is None else [way]
        elif not found and (told := _told(task)) is not None:
            found.append(
                Lesson(
                    text=_first_words(told.text),
                    trigger=task.trigger,
                    rests_on=(told.id,),
                    is_pitfall=True,
                    confidence=BY_SUMMARY,
                )
            )
        return found


def _attempts(turns: Sequence[Turn]) -> list[_Attempt]:
    """Return the calls in their order, each with the last of its results.

    A result belongs to the call that it names; where it names none, to the last call of its tool
    before it. The same call again within a minute is no call of its own, but its results are.
    """
    results: dict[str, Turn] = {}
    calls: list[Turn] = []
    for turn in turns:
        if turn.event_type == "tool_call":
            calls.append(turn)
        elif turn.event_type == "tool_result":
            for call in [one for one in calls if _belongs(turn, one)][-1:]:
                results[call.id] = turn
    return [_Attempt(call, results.get(call.id)) for call in calls]


def _belongs(result: Turn, call: Turn) -> bool:
    if result.parent:
        return result.parent in (call.id, call.message_id)
    return result.speaker == call.speaker


def _way_of_calls(task: FinishedTask, attempts: Sequence[_Attempt]) -> Lesson | None:
    """Return the calls that did not fail, each where it was made last."""
    way = {one.does: one for one in reversed(attempts) if not one.has_failed}
    taken = list(reversed(way.values()))[-STEPS_MAX:]
    if not taken:
        return None
    told = _told(task)
    return Lesson(
        text=_first_words(told.text) if told is not None else task.trigger,
        trigger=task.trigger,
        steps=tuple(Step(_cut(one.call.text, CALL_CHARS_MAX), one.call.speaker) for one in taken),
        rests_on=tuple(
            dict.fromkeys([*(turn for one in taken for turn in one.turns), *_ids(told)])
        ),
        confidence=SURE,
    )


def _way_of_summary(task: FinishedTask) -> Lesson | None:
    """Return what an agent says that it did: the points of a list, else its sentences."""
    told = _told(task)
    if told is None:
        return None
    steps = [found[1].strip() for found in _LISTED.finditer(told.text)]
    if not steps:
        steps = [told.text[start:end].strip() for start, end in sentence_spans(told.text)]
    steps = [_cut(step, CALL_CHARS_MAX) for step in steps if step][:STEPS_MAX]
    return Lesson(
        text=_first_words(told.text),
        trigger=task.trigger,
        steps=tuple(map(Step, steps)),
        rests_on=(told.id,),
        confidence=BY_SUMMARY,
    )


def _pitfalls(task: FinishedTask, attempts: Sequence[_Attempt]) -> Iterator[Lesson]:
    worked = [one for one in attempts if not one.has_failed and one.result is not None]
    done = {one.does for one in worked}
    failed = {one.does: one for one in attempts if one.has_failed and one.does not in done}
    for one in list(failed.values())[-PITFALLS_MAX:]:
        later = [other for other in worked if other.call.place > one.call.place]
        same = [other for other in later if other.call.speaker == one.call.speaker]
        found = next(iter(same or later), None)
        instead = found if task.outcome == "worked" else None
        yield _pitfall_of(task, one, instead)


def _pitfall_of(task: FinishedTask, one: _Attempt, instead: _Attempt | None) -> Lesson:
    call, error = _cut(one.call.text, CALL_CHARS_MAX), _error_of(one.result)
    other = "" if instead is None else _cut(instead.call.text, CALL_CHARS_MAX)
    if is_mostly_latin(f"{call} {error}"):
        said = f"{call} did not work: {error}"
        then = f". What worked instead: {other}" if other else ""
    else:
        said = f"{call} 行不通：{error}"
        then = f"。改用：{other}" if other else ""
    return Lesson(
        text=said + then,
        trigger=task.trigger,
        rests_on=(*one.turns, *(() if instead is None else instead.turns)),
        is_pitfall=True,
        quotes=(call, error, other),
        confidence=SURE,
    )


def _error_of(result: Turn | None) -> str:
    """Return the line of a result that tells what went wrong."""
    lines = [line.strip() for line in (result.text if result else "").splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR_WORD.search(line)]
    # Of a traceback the last line says it.
    return _cut((telling or lines or [""])[-1], ERROR_CHARS_MAX).rstrip(".。")


def _told(task: FinishedTask) -> Turn | None:
    """Return the turn by which somebody told how it went: the last one, where it is words."""
    last = task.turns[-1] if task.turns else None
    return last if last is not None and dict(last.metadata).get("outcome") else None


def _ids(turn: Turn | None) -> Sequence[MemoryId | EventId]:
    return () if turn is None else (turn.id,)


def _first_words(text: str) -> str:
    """Return the sentences of a text that say enough, and not too much."""
    end = 0
    for _, until in sentence_spans(text):
        if until > CALL_CHARS_MAX:
            break
        end = until
    return text[:end].strip() or _cut(text.strip(), CALL_CHARS_MAX)


def _cut(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


REFLECTS = RuleReflector()
"""What a task teaches, without a model."""
