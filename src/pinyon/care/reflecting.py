"""Reflection: a task that is over is read again, and teaches a way that worked, or what failed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from pinyon.care.gathering import Gatherer
from pinyon.care.guards import MADE_BY
from pinyon.care.lesson_guards import checked
from pinyon.care.procedures import refined, same_trigger, tried
from pinyon.domain.change import Once
from pinyon.domain.draft import Draft
from pinyon.domain.event import Turn
from pinyon.domain.ids import MemoryId
from pinyon.domain.principal import Actor
from pinyon.domain.reflection import ENDINGS, PITFALL, Ended, FinishedTask, Lesson, Reflected
from pinyon.domain.space import Space
from pinyon.domain.turn import IMPORTANCE_OF_OUTCOME
from pinyon.errors import BadInput, InvalidValue, NotWanted, Refused, Unavailable
from pinyon.ports.reflector import Reflector
from pinyon.ports.store import Store
from pinyon.text.normal import content_hash
from pinyon.text.sentences import sentence_spans
from pinyon.write.anew import planned_anew
from pinyon.write.form import body_text, line
from pinyon.write.keeper import KEY_CHARS_MAX, Keeper

TURNS_MAX = 1_000
TRIGGER_CHARS_MAX = 200
_AS_BLANKS = str.maketrans("-_/.:", "     ")
FINISHES = "thought"
"""The role of what an agent tells of a task that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """A task that somebody says is over."""

    task: str
    outcome: Ended
    summary: str = ""
    session: str = ""
    key: str | None = None


def over_of(
    task: object, *, outcome: object, summary: object, session: object, key: object
) -> Over:
    """Return what somebody says of a task.

    Raises:
        BadInput: A part of it is not what it must be.
    """
    named = line("task", task).strip()
    if not named:
        raise InvalidValue("task", task, "the name of the task, as `remember` was told it")
    if outcome not in ENDINGS:
        raise InvalidValue("outcome", outcome, "one of " + ", ".join(ENDINGS))
    return Over(
        task=named,
        outcome=outcome,
        summary=body_text("summary", summary) if summary != "" else "",
        session=line("session", session),
        key=None if key is None else line("idempotency key", key, KEY_CHARS_MAX),
    )


@dataclass(slots=True)
class _Work:
    """What becomes of a task, while it becomes."""

    space: Space
    by: Actor
    task: FinishedTask
    made_by: str = ""
    created: list[MemoryId] = field(default_factory=list)
    refined: list[MemoryId] = field(default_factory=list)
    counted: list[MemoryId] = field(default_factory=list)
    pitfalls: list[MemoryId] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


class Reflection:
    """Reads what was done on a task, and keeps what it teaches."""

    def __init__(
        self,
        store: Store,
        keeper: Keeper,
        gatherer: Gatherer,
        *,
        reflector: Reflector,
        fallback: Reflector,
    ) -> None:
        """Take what it reads, asks and writes to.

        Args:
            store: Where.
            keeper: Writes what is new, through the gate.
            gatherer: Finds the playbooks that are known.
            reflector: Says what a task teaches.
            fallback: Says it where that one cannot.
        """
        self._store, self._keeper, self._gatherer = store, keeper, gatherer
        self._reflector, self._fallback = reflector, fallback

    async def run(self, space: Space, over: Over, *, by: Actor) -> Reflected:
        """Keep how it went, and what it teaches.

        Raises:
            InvalidValue: Nothing was kept of a task of this name.
        """
        if over.summary and (not_kept := await self._told(space, over, by)):
            return Reflected(task=over.task, outcome=over.outcome, turns=0, refused={not_kept: 1})
        task = await self._read(space, over)
        if not task.turns:
            what = "a task on which something was kept (`task`), or one that is told in `summary`"
            raise InvalidValue("task", over.task, what)
        work = _Work(space, by, task)
        lessons = await self._lessons(work)
        hashes = sorted({content_hash(one.text) for one in lessons})
        forgotten = await self._store.receipts.forgotten(space, hashes) if hashes else {}
        found = checked(task, lessons, forgotten=forgotten)
        work.refused.update(one.reason for one in found.refused)
        for lesson in found.lessons:
            await planned_anew(partial(self._keep, work, lesson))
        await self._count(work)
        return Reflected(
            task=task.name,
            outcome=task.outcome,
            turns=len(task.turns),
            created=tuple(work.created),
            refined=tuple(work.refined),
            counted=tuple(work.counted),
            pitfalls=tuple(work.pitfalls),
            refused=dict(work.refused),
            made_by=work.made_by,
        )

    async def _told(self, space: Space, over: Over, by: Actor) -> str:
        """Keep what an agent tells of it, as `finish_task` does; return why not, where not."""
        draft = Draft(
            text=over.summary,
            kind="episodic",
            session=over.session,
            role=FINISHES,
            task=over.task,
            importance=IMPORTANCE_OF_OUTCOME[over.outcome],
            metadata={"outcome": over.outcome},
        )
        try:
            await self._keeper.keep(space, [draft], by=by, key=over.key)
        except NotWanted as refused:
            return refused.reason
        return ""

    async def _read(self, space: Space, over: Over) -> FinishedTask:
        turns = await self._gatherer.turns_of(space, over.task, limit=TURNS_MAX)
        trigger = _trigger_of(turns) or _named(over.task) if turns else ""
        playbooks = await self._gatherer.playbooks_near(space, trigger) if trigger else ()
        return FinishedTask(
            space=space,
            name=over.task,
            outcome=over.outcome,
            turns=turns,
            trigger=trigger,
            playbooks=playbooks,
        )

    async def _lessons(self, work: _Work) -> Sequence[Lesson]:
        """Return what it teaches; where nobody can be asked, rules say it."""
        work.made_by = self._reflector.label
        try:
            return await self._reflector.lessons(work.task)
        except Unavailable as error:
            work.refused[error.code] += 1
            work.made_by = self._fallback.label
            return await self._fallback.lessons(work.task)

    async def _keep(self, work: _Work, lesson: Lesson) -> None:
        known = None if lesson.is_pitfall else same_trigger(work.task.playbooks, lesson.trigger)
        if known is not None:
            await self._refine(work, known.id, lesson)
            return
        draft = Draft(
            text=lesson.text,
            kind="procedural",
            category=PITFALL if lesson.is_pitfall else "",
            trigger=lesson.trigger,
            steps=tuple(one.instruction for one in lesson.steps),
            tools=tuple(one.tool for one in lesson.steps),
            confidence=lesson.confidence,
            importance=IMPORTANCE_OF_OUTCOME["failed" if lesson.is_pitfall else "worked"],
            trust="agent",
            task=work.task.name,
            derived_from=lesson.rests_on,
            metadata={MADE_BY: work.made_by},
        )
        try:
            (written,) = await self._keeper.keep(
                work.space, [draft], by=work.by, repeats_support=False
            )
        except (BadInput, Refused) as error:
            work.refused[error.code] += 1
            return
        if written.quarantined:
            work.refused["gives_orders"] += 1
        elif written.created:
            kept = work.pitfalls if lesson.is_pitfall else work.created
            kept.append(MemoryId(written.id))

    async def _refine(self, work: _Work, known: MemoryId, lesson: Lesson) -> None:
        """Let other steps that worked be the next version of a playbook."""
        for held in await self._store.records.get(work.space, [known]):
            patch = refined(held, lesson.steps)
            if patch is not None:
                expect = {known: held.version}
                await self._store.records.apply(work.space, [patch], by=work.by, expect=expect)
                work.refined.append(known)

    async def _count(self, work: _Work) -> None:
        """Count for the playbook of such tasks how it went, once a task and outcome."""
        task = work.task
        known = same_trigger(task.playbooks, task.trigger)
        for one in work.created if known is None else [known.id]:
            count = tried(one, task.outcome, task.turns[-1].occurred_at_us)
            once = Once(f"reflect/{content_hash(task.name)}/{task.outcome}", one)
            applied = await self._store.records.apply(work.space, [count], by=work.by, once=once)
            if not applied.replayed:
                work.counted.append(one)


def _trigger_of(turns: Sequence[Turn]) -> str:
    """Return when such a task is to be done: the plan that it began with, else the first words."""
    said = [one for one in turns if one.event_type in ("message", "thought")]
    if not said:
        return ""
    planned = [one for one in said if one.event_type == "thought" and not _is_told(one)]
    users = [one for one in said if one.role == "user"]
    text = (planned or users or said)[0].text.strip()
    start, end = next(iter(sentence_spans(text)), (0, 0))
    return " ".join(text[start:end].split())[:TRIGGER_CHARS_MAX]


def _named(task: str) -> str:
    """Return a task's name as words; one with digits in it names nothing that comes again."""
    words = task.translate(_AS_BLANKS).strip()
    return "" if any(one.isdigit() for one in words) else words[:TRIGGER_CHARS_MAX]


def _is_told(turn: Turn) -> bool:
    """Return whether a turn is what an agent told when the task was over."""
    return "outcome" in dict(turn.metadata)
