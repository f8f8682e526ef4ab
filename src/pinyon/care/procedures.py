"""What becomes of playbooks that are known: how it went is counted, better steps are kept."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pinyon.domain.change import Count, Patch
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory, Procedure, Step
from pinyon.domain.reflection import PITFALL, Ended
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash


def is_playbook(memory: Memory) -> bool:
    """Return whether a memory says what to do; a pitfall says what not to."""
    return memory.kind == "procedural" and memory.category != PITFALL


def same_trigger(playbooks: Iterable[Memory], trigger: str) -> Memory | None:
    """Return the first playbook for a trigger."""
    hashed = content_hash(trigger)
    for one in playbooks:
        if one.procedure is not None and content_hash(one.procedure.trigger) == hashed:
            return one
    return None


def refined(playbook: Memory, steps: Sequence[Step]) -> Patch | None:
    """Return what makes other steps its next version; `None` where they are its steps now."""
    procedure = playbook.procedure or Procedure()
    if _hashes(procedure.current_steps) == _hashes(steps):
        return None
    steps = tuple(steps)
    better = replace(playbook, procedure=replace(procedure, refined_steps=steps))
    return Patch(id=playbook.id, refined_steps=steps, rows=index_rows(better, ""))


def tried(playbook: MemoryId, outcome: Ended, at_us: int | None) -> Count:
    """Return what counts how it went with a playbook."""
    worked = outcome == "worked"
    return Count(
        id=playbook,
        successes=int(worked),
        failures=int(not worked),
        succeeded_at_us=at_us if worked else None,
    )


def _hashes(steps: Sequence[Step]) -> list[str]:
    return [content_hash(step.instruction) for step in steps]
