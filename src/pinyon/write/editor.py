"""Changing annotations: what a memory is filed under, never what it says."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pinyon.domain.change import Change, Patch, Unset
from pinyon.domain.draft import Annotations
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import NotFound, NothingToEdit, UnknownField
from pinyon.ports.embedder import Embedder
from pinyon.ports.records import Records
from pinyon.text.index_rows import index_rows
from pinyon.write import gate
from pinyon.write.limits import TITLE_CHARS_MAX
from pinyon.write.vectors import vectors_of

_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "title": lambda value: gate.line("title", value, TITLE_CHARS_MAX),
    "keywords": lambda value: gate.names("keywords", value),
    "scenarios": lambda value: gate.names("scenarios", value, TITLE_CHARS_MAX),
    "category": lambda value: gate.line("category", value),
    "project": lambda value: gate.line("project", value),
    "module": lambda value: gate.line("module", value),
    "tags": lambda value: gate.names("tags", value),
    "metadata": gate.metadata_of,
    "importance": lambda value: gate.share("importance", value),
    "confidence": lambda value: gate.share("confidence", value),
    "pinned": lambda value: gate.flag("pinned", value),
    "expires_at": lambda value: gate.instant("expires_at", value),
}


async def edit(
    records: Records,
    space: Space,
    memory_id: MemoryId,
    annotations: Annotations,
    *,
    by: Actor,
    version: int | None = None,
    embedder: Embedder | None = None,
) -> Memory:
    """Set annotations, and return the memory as it is now.

    Args:
        records: Where it is kept.
        space: Whose it is.
        memory_id: Which one.
        annotations: What to set; the rest stays.
        by: Who does.
        version: The version that the caller read; another one is a conflict.
        embedder: The model that gives a memory with another title other vectors.

    Raises:
        BadInput: An annotation is not what it must be, or there is none.
        NotFound: The space holds no such memory.
        VersionConflict: It changed since it was read.
    """
    patch = _patch(memory_id, annotations)
    found = await records.get(space, [memory_id])
    if not found:
        raise NotFound(memory_id)
    if not all(isinstance(part, Unset) for part in (patch.title, patch.keywords, patch.scenarios)):
        patch = replace(
            patch, rows=index_rows(_titled(found[0], patch), await _context(records, found[0]))
        )
    changes: list[Change] = [patch]
    if not isinstance(patch.title, Unset):
        # The title is part of what is encoded. If the model fails, the old vectors stay.
        vectors = await vectors_of(embedder, [_titled(found[0], patch)])
        changes += vectors.memories.values()
    expected = found[0].version if version is None else version
    await records.apply(space, changes, by=by, expect={memory_id: expected})
    (now,) = await records.get(space, [memory_id])
    return now


def _patch(memory_id: MemoryId, annotations: Annotations) -> Patch:
    if not annotations:
        raise NothingToEdit
    unknown = [name for name in annotations if name not in _CHECKS]
    if unknown:
        raise UnknownField(unknown[0], tuple(_CHECKS))
    checked = {
        "expires_at_us" if name == "expires_at" else name: _CHECKS[name](value)
        for name, value in annotations.items()
    }
    return Patch(id=memory_id, **checked)


def _titled(memory: Memory, patch: Patch) -> Memory:
    return replace(
        memory,
        title=memory.title if isinstance(patch.title, Unset) else patch.title,
        keywords=memory.keywords if isinstance(patch.keywords, Unset) else patch.keywords,
        scenarios=memory.scenarios if isinstance(patch.scenarios, Unset) else patch.scenarios,
    )


async def _context(records: Records, memory: Memory) -> str:
    previous = memory.links.previous
    if previous is None:
        return ""
    return await records.turn_text(memory.space, previous) or ""
