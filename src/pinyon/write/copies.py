"""What is published: a copy of a memory in another space, and the work of keeping the two alike.

No transaction spans two spaces. The one that changes a memory enqueues a job for each copy, and
each job makes its copy what the memory says by then; done twice it is done once.
"""

from dataclasses import replace
from hashlib import blake2b

from pinyon.domain.change import Change, Enqueue
from pinyon.domain.ids import JobId, MemoryId, NewUuid
from pinyon.domain.job import Job
from pinyon.domain.memory import Copy, Counts, Links, Memory, Source
from pinyon.domain.space import Space

FOLLOW = "follow"
"""The task of the jobs."""


def copy_id(memory_id: MemoryId, target: Space) -> MemoryId:
    """Return the id of a memory's copy in a space: the same each time that it is published."""
    digest = blake2b(f"{memory_id} {target}".encode(), digest_size=16).hexdigest()
    return MemoryId("mem_" + digest)


def may_follow(origin: Copy, target: Space, copy: MemoryId) -> bool:
    """Return whether a copy can have been published from a memory.

    A record may say anything of its copies; nothing is done on its word to another tenant, to
    another user, or to a memory that no publishing made.
    """
    is_others = target.segments[0] == "user" and target.segments[:2] != origin.space.segments[:2]
    same_tenant = target.tenant == origin.space.tenant
    return same_tenant and not is_others and copy == copy_id(origin.id, target)


def following(memory: Memory, *, now_us: int, new_uuid: NewUuid) -> list[Change]:
    """Return the jobs that make a memory's copies follow what is about to become of it.

    A job that runs may have read the memory already, so each version has jobs of its own.
    """
    return [
        Enqueue(
            Job(
                id=JobId("job_" + new_uuid()),
                task=FOLLOW,
                payload=(("copy", copy.id), ("memory", memory.id), ("space", str(copy.space))),
                priority="high",
                dedupe_key=f"{FOLLOW}:{copy.id}:{memory.version}",
                run_at_us=now_us,
            )
        )
        for copy in memory.links.copies
    ]


def copied(memory: Memory, target: Space, held: Memory | None) -> Memory:
    """Return the copy of a memory: what it says and whether it holds, and whose it is.

    It leaves behind in which session it was said and what it rests on; neither is the readers'.

    Args:
        memory: What is published.
        target: Where.
        held: The copy that is there; its uses and its version go on.
    """
    source = memory.source
    return replace(
        memory,
        id=copy_id(memory.id, target),
        space=target,
        version=1 if held is None else held.version,
        source=Source(agent=source.agent, role=source.role, speaker=source.speaker),
        links=Links(copy_of=Copy(memory.space, memory.id)),
        counts=_counts(memory) if held is None else held.counts,
        awaits=() if held is None else held.awaits,
    )


def _counts(memory: Memory) -> Counts:
    return Counts(last_used_at_us=memory.counts.last_used_at_us)
