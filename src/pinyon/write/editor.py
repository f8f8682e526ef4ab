"""Changing annotations: what a memory is filed under, never what it says."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pinyon.domain.change import Change, Patch, Unset
from pinyon.domain.draft import Annotations
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import InvalidText, NotFound, NothingToEdit, UnknownField
from pinyon.ports.embedder import Embedder
from pinyon.ports.records import Records
from pinyon.text.index_rows import index_rows
from pinyon.text.orders import gives_orders
from pinyon.write import form
from pinyon.write.gate import USUAL, Gate
from pinyon.write.limits import TITLE_CHARS_MAX
from pinyon.write.vectors import vectors_of

_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "title": lambda value: form.line("title", value, TITLE_CHARS_MAX),
    "keywords": lambda value: form.names("keywords", value),
    "scenarios": lambda value: form.names("scenarios", value, TITLE_CHARS_MAX),
    "category": lambda value: form.line("category", value),
    "project": lambda value: form.line("project", value),
    "module": lambda value: form.line("module", value),
    "tags": lambda value: form.names("tags", value),
    "metadata": form.metadata_of,
    "importance": lambda value: form.share("importance", value),
    "confidence": lambda value: form.share("confidence", value),
    "pinned": lambda value: form.flag("pinned", value),
    "expires_at": lambda value: form.instant("expires_at", value),
}


_READ_BY_MODELS = tuple("title keywords scenarios category project module tags metadata".split())


async def _usual(_space: Space) -> Gate:
    return USUAL


async def edit(  # noqa: PLR0913 - all but four by keyword
    records: Records,
    space: Space,
    memory_id: MemoryId,
    annotations: Annotations,
    *,
    by: Actor,
    version: int | None = None,
    embedder: Embedder | None = None,
    also: Callable[[Memory], Sequence[Change]] = lambda _memory: (),
    gate_for: Callable[[Space], Awaitable[Gate]] = _usual,
    is_users: bool = True,
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
        also: What else its change brings about.
        gate_for: Gives what looks first whether it may be kept, and for secrets.
        is_users: The user says it, as opposed to an agent.

    Raises:
        NotWanted: The user does not want it kept.
        BadInput: An annotation is not what it must be, or there is none.
        InvalidText: It gives orders to a model, and either it or the memory is not the user's.
        NotFound: The space holds no such memory.
        VersionConflict: It changed since it was read.
    """
    gate = await gate_for(space)
    screened = gate.screen_annotations(annotations, space.tenant)
    patch = _patch(memory_id, screened.annotations)
    found = await records.get(space, [memory_id])
    if not found:
        raise NotFound(memory_id)
    if not is_users or found[0].trust != "user":
        _check_orders(patch)
    if screened.tags and isinstance(patch.tags, Unset):
        patch = replace(patch, tags=tuple(dict.fromkeys((*found[0].tags, *screened.tags))))
    if not all(isinstance(part, Unset) for part in (patch.title, patch.keywords, patch.scenarios)):
        patch = replace(
            patch, rows=index_rows(_titled(found[0], patch), await _context(records, found[0]))
        )
    changes: list[Change] = [patch, *also(found[0])]
    if not isinstance(patch.title, Unset):
        # The title is part of what is encoded. If the model fails, the old vectors stay.
        vectors = await vectors_of(embedder, [_titled(found[0], patch)])
        changes += vectors.memories.values()
    expected = found[0].version if version is None else version
    await records.apply(space, changes, by=by, expect={memory_id: expected})
    (now,) = await records.get(space, [memory_id])
    return now


def _patch(memory_id: MemoryId, annotations: Mapping[str, object]) -> Patch:
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


def _check_orders(patch: Patch) -> None:
    """See that nothing of a patch that a model may read tells it what to do.

    A new memory of that kind goes into quarantine. One that is there, and perhaps published, would
    carry it to everybody who reads it.
    """
    for name in _READ_BY_MODELS:
        value = getattr(patch, name)
        if not isinstance(value, Unset) and any(map(gives_orders, _texts(value))):
            raise InvalidText(name, "gives orders to a model; only the user may, of the user's own")


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of an annotation: a text, several, or those among metadata."""
    for one in (value,) if isinstance(value, str) else value or ():  # type: ignore[attr-defined]
        text = one[1] if isinstance(one, tuple) else one
        if isinstance(text, str) and text:
            yield text


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
