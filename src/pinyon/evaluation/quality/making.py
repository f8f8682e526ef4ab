"""Making a corpus of somebody's own memories: a chat model asks what they answer.

Its questions are a beginning. They are as good as the model, and each counts only the memory that
it was made of as its answer, though another one may answer it as well.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pinyon.domain.memory import Memory
from pinyon.domain.times import show_instant
from pinyon.errors import BadModelOutput, NotEmpty
from pinyon.evaluation.quality.folder import MEMORIES, QUESTIONS
from pinyon.ports.chat import Chat, Form, Message
from pinyon.prompts.loading import load
from pinyon.text.fencing import defused, fenced
from pinyon.text.normal import equality_form

CATEGORY = "made"
TEXT_CHARS_MAX = 4_000
"""Of a memory, as it is shown to the model."""
ANSWER_TOKENS_MAX = 2_000

_Question = Annotated[str, Field(min_length=1, max_length=500)]


class TwoQuestions(Form):
    """What a memory answers."""

    first: _Question
    second: _Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Questions that were made, and how many memories none came of."""

    questions: tuple[tuple[str, Memory], ...]
    left_out: int


def sampled(memories: Sequence[Memory], count: int, *, seed: int) -> tuple[Memory, ...]:
    """Return some memories, of each kind its share and at least one; the same for the same seed.

    Args:
        memories: All that there are.
        count: How many; more where there are more kinds.
        seed: Another one gives others. Memories that come later do not move the choice among those
            that were there.
    """
    if len(memories) <= count:
        return tuple(memories)
    by_kind: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=lambda memory: _lot(memory, seed)):
        by_kind.setdefault(memory.kind, []).append(memory)
    return tuple(
        memory
        for kind in sorted(by_kind)
        for memory in by_kind[kind][: max(1, round(count * len(by_kind[kind]) / len(memories)))]
    )


async def made_questions(
    chat: Chat,
    memories: Sequence[Memory],
    *,
    timeout_s: float,
    done: Callable[[int, int], None] = lambda _done, _of: None,
) -> Made:
    """Ask for two questions of each memory; one that the model cannot do is left out.

    Args:
        chat: Makes them.
        memories: What they are made of.
        timeout_s: For each memory.
        done: Told after each how many are done, and of how many.

    Raises:
        ModelUnavailable: The model cannot be asked.
    """
    prompt = load("make_questions")
    questions: list[tuple[str, Memory]] = []
    left_out = 0
    for place, memory in enumerate(memories, start=1):
        said = prompt.render(day=_day(memory), memory=fenced([defused(_shown(memory))]))
        try:
            completion = await chat.complete(
                [Message("user", said)],
                form=TwoQuestions,
                max_tokens=ANSWER_TOKENS_MAX,
                timeout_s=timeout_s,
            )
        except BadModelOutput:
            left_out += 1
        else:
            asked = _distinct(completion.value, memory)
            questions += [(question, memory) for question in asked]
            left_out += not asked
        done(place, len(memories))
    return Made(questions=tuple(questions), left_out=left_out)


def write_corpus(
    folder: Path, tenant: str, memories: Sequence[Memory], questions: Sequence[tuple[str, Memory]]
) -> None:
    """Write a corpus that `read_folder` reads; nobody else on the machine may read it.

    Args:
        folder: Where to; it must be new, or empty.
        tenant: What whoever they belong to is called in it.
        memories: All that questions are asked of, not only those that they were made of.
        questions: Each with the memory that answers it.

    Raises:
        NotEmpty: Something is in the folder.
    """
    check_empty(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    in_time = sorted(memories, key=lambda memory: (_at_us(memory), memory.id))
    _write(folder / MEMORIES, [_row(tenant, memory) for memory in in_time])
    asked = [
        {
            "tenant": tenant,
            "qid": f"made-{place}",
            "question": question,
            "category": CATEGORY,
            "evidence": [memory.id],
        }
        for place, (question, memory) in enumerate(questions, start=1)
    ]
    _write(folder / QUESTIONS, asked)


def check_empty(folder: Path) -> None:
    """Refuse a folder that something is in.

    Raises:
        NotEmpty: Something is.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotEmpty(str(folder))


def _distinct(made: TwoQuestions, memory: Memory) -> list[str]:
    """Return the questions that ask something, and are neither the memory itself nor the same."""
    by_form = {equality_form(one): one.strip() for one in (made.first, made.second)}
    return [one for form, one in by_form.items() if form not in ("", equality_form(memory.text))]


def _shown(memory: Memory) -> str:
    procedure = memory.procedure
    steps = () if procedure is None else procedure.current_steps
    trigger = procedure.trigger if procedure is not None else ""
    parts = (memory.title, trigger, memory.text, *(step.instruction for step in steps))
    return "\n".join(part for part in parts if part)[:TEXT_CHARS_MAX]


def _row(tenant: str, memory: Memory) -> Mapping[str, Any]:
    source, procedure = memory.source, memory.procedure
    told = {
        "title": memory.title,
        "keywords": list(memory.keywords),
        "speaker": source.speaker,
        "role": source.role,
        "session": source.session,
        "trigger": "" if procedure is None else procedure.trigger,
        "steps": []
        if procedure is None
        else [step.instruction for step in procedure.current_steps],
    }
    time = show_instant(_at_us(memory), memory.times.offset_min)
    row = {"tenant": tenant, "id": memory.id, "kind": memory.kind, "time": time}
    return {**row, "text": memory.text, **{name: one for name, one in told.items() if one}}


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.touch(mode=0o600)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _lot(memory: Memory, seed: int) -> str:
    return hashlib.blake2b(f"{seed}:{memory.id}".encode(), digest_size=8).hexdigest()


def _day(memory: Memory) -> str:
    return show_instant(_at_us(memory), memory.times.offset_min)[:10]


def _at_us(memory: Memory) -> int:
    at_us = memory.times.occurred_at_us
    return memory.times.created_at_us if at_us is None else at_us
