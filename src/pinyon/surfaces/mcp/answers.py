"""What the core tools answer: flat data, and the same as text for a model.

Memories stand in both as a block of data with their ids, days and sources, never as bare text: a
client may show a model the one or the other.
"""

from collections.abc import Iterable, Sequence
from typing import TypedDict

from pinyon.domain.answers import Forgotten, History, Recall, Written
from pinyon.domain.memory import Memory
from pinyon.domain.times import show_instant
from pinyon.surfaces.mcp.block import fenced
from pinyon.surfaces.mcp.tool import Reply


class Recalled(TypedDict):
    """What memory answers; `ids` of what stands in the block, best first."""

    block: str
    ids: list[str]
    empty_because: str
    degraded: list[str]


class Kept(TypedDict):
    """What became of something that was to be kept; the block holds what may say otherwise."""

    id: str
    created: bool
    quarantined: bool
    not_kept: str
    redacted: list[str]
    superseded: list[str]
    conflicts: list[str]
    block: str


class Gone(TypedDict):
    """What was forgotten, or what may be meant."""

    forgotten: list[str]
    receipt: str
    complete: bool
    candidates: list[str]
    block: str


class Past(TypedDict):
    """What a memory was and became, oldest first."""

    ids: list[str]
    acts: list[str]
    block: str


def recalled(answer: Recall) -> Reply:
    """Return what a recall found."""
    memories = [hit.memory for hit in answer.hits]
    data = Recalled(
        block=fenced(memories),
        ids=_ids(memories),
        empty_because=answer.empty_because or "",
        degraded=list(answer.degraded),
    )
    return Reply({**data}, data["block"] or f"Memory has nothing on this ({answer.empty_because}).")


def kept(answer: Written, conflicts: Sequence[Memory]) -> Reply:
    """Return what became of a write, with the texts of what may say otherwise."""
    data = Kept(
        id=answer.id,
        created=answer.created,
        quarantined=answer.quarantined,
        not_kept=answer.not_kept or "",
        redacted=list(answer.redacted),
        superseded=list(answer.superseded),
        conflicts=_ids(conflicts),
        block=fenced(conflicts),
    )
    said = [_became(answer)]
    if answer.superseded:
        said.append(f"It takes the place of {', '.join(answer.superseded)}.")
    if answer.redacted:
        said.append(f"Taken out of it: {', '.join(answer.redacted)}.")
    if conflicts:
        said.append(f"{_MAY_SAY_OTHERWISE}\n{data['block']}")
    return Reply({**data}, " ".join(said))


_MAY_SAY_OTHERWISE = (
    "These may say otherwise and were not touched. If it contradicts any of them, write it again "
    "with their ids in `supersedes`:"
)


def _became(answer: Written) -> str:
    if answer.not_kept:
        return f"Not kept: the user does not want it ({answer.not_kept})."
    if answer.quarantined:
        return f"Kept as {answer.id}, in quarantine: it gives orders to a model."
    return f"Kept as {answer.id}." if answer.created else f"Known already as {answer.id}."


def forgotten(answer: Forgotten) -> Reply:
    """Return what was forgotten, or the candidates of which none was."""
    receipt = answer.receipt
    candidates = [hit.memory for hit in answer.candidates]
    data = Gone(
        forgotten=[] if receipt is None else list(receipt.ids),
        receipt="" if receipt is None else receipt.id,
        complete=receipt is not None and receipt.complete,
        candidates=_ids(candidates),
        block=fenced(candidates),
    )
    if receipt is not None:
        return Reply({**data}, f"Forgotten: {', '.join(receipt.ids)} (receipt {receipt.id}).")
    if not candidates:
        return Reply({**data}, "Nothing was forgotten: no memory says that.")
    return Reply({**data}, f"Nothing was forgotten. {_how_to_mean(answer)}\n{data['block']}")


def _how_to_mean(answer: Forgotten) -> str:
    if answer.meant is not None:
        return "One memory says that; if the user means it, call again with `confirmed`:"
    return "These may be meant; ask the user which, and call again with their ids:"


def past(answer: History) -> Reply:
    """Return what a memory was and became."""
    acts = [f"{show_instant(one.at_us)} {one.action} by {one.actor}" for one in answer.acts]
    data = Past(ids=_ids(answer.chain), acts=acts, block=fenced(answer.chain))
    return Reply({**data}, "\n".join([data["block"], *acts]))


def _ids(memories: Iterable[Memory]) -> list[str]:
    return [one.id for one in memories]
