"""What the core tools answer: flat data, and the same as text for a model.

Memories stand in both as a block of data with their ids, days and sources, never as bare text: a
client may show a model the one or the other.
"""

from typing import TypedDict

from pinyon.domain.answers import Forgotten, History, Recall, Written
from pinyon.domain.times import show_instant
from pinyon.domain.turn import Context, TurnMemory
from pinyon.surfaces.mcp.block import Block
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
    redacted: list[str]
    superseded: list[str]
    conflicts: list[str]
    block: str


class Heard(TypedDict):
    """What became of a message, and what memory brings to it."""

    id: str
    not_kept: str
    block: str


class Gone(TypedDict):
    """What was forgotten, or what may be meant."""

    forgotten: list[str]
    receipt: str
    candidates: list[str]
    block: str


class Built(TypedDict):
    """What a prompt gets, and what of it was left out or shortened, and why."""

    text: str
    tokens: int
    cut: list[str]


class Past(TypedDict):
    """What a memory was and became, oldest first."""

    ids: list[str]
    acts: list[str]
    block: str


def recalled(answer: Recall, found: Block) -> Reply:
    """Return what a recall found."""
    data = Recalled(
        block=found.text,
        ids=found.ids,
        empty_because=answer.empty_because or "",
        degraded=list(answer.degraded),
    )
    if not found.text:
        return Reply({**data}, f"Memory has nothing on this ({answer.empty_because}).")
    more = f"\nNo room was left for {len(found.left_out)} more; ask more narrowly."
    return Reply({**data}, found.text + (more if found.left_out else ""))


def kept(answer: Written, conflicting: Block) -> Reply:
    """Return what became of a write, with the texts of what may say otherwise."""
    data = Kept(
        id=answer.id,
        created=answer.created,
        quarantined=answer.quarantined,
        redacted=list(answer.redacted),
        superseded=list(answer.superseded),
        conflicts=list(answer.possible_conflicts),
        block=conflicting.text,
    )
    said = [_became(answer)]
    if answer.superseded:
        said.append(f"It takes the place of {', '.join(answer.superseded)}.")
    if conflicting.text:
        said.append(f"{_MAY_SAY_OTHERWISE}\n{conflicting.text}")
    return Reply({**data}, " ".join(said))


_MAY_SAY_OTHERWISE = (
    "These may say otherwise and were not touched. If it contradicts any of them, write it again "
    "with their ids in `supersedes`:"
)


def heard(answer: TurnMemory) -> Reply:
    """Return what became of a user's message, and what memory brings to it."""
    told = said(answer.written)
    told.data["block"] = answer.block
    return Reply(told.data, f"{told.text}\n{answer.block}".strip())


def said(answer: Written) -> Reply:
    """Return what became of somebody's message."""
    data = Heard(id=answer.id, not_kept=answer.not_kept or "", block="")
    return Reply({**data}, _became(answer))


def _became(answer: Written) -> str:
    if answer.not_kept == "recalled":
        return "Not kept: it is what memory itself had brought."
    if answer.not_kept:
        return f"Not kept: the user does not want it ({answer.not_kept})."
    if answer.quarantined:
        return f"Kept as {answer.id}, in quarantine: it gives orders to a model."
    taken = f" Taken out of it: {', '.join(answer.redacted)}." if answer.redacted else ""
    return f"{'Kept' if answer.created else 'Known already'} as {answer.id}.{taken}"


def forgotten(answer: Forgotten, found: Block) -> Reply:
    """Return what was forgotten, or the candidates of which none was."""
    receipt = answer.receipt
    data = Gone(
        forgotten=[] if receipt is None else list(receipt.ids),
        receipt="" if receipt is None else receipt.id,
        candidates=[hit.memory.id for hit in answer.candidates],
        block=found.text,
    )
    if receipt is not None:
        later = "" if receipt.complete else " Published copies follow."
        told = f"Forgotten: {', '.join(receipt.ids)} (receipt {receipt.id}).{later}"
        return Reply({**data}, told)
    if not answer.candidates:
        return Reply({**data}, "Nothing was forgotten: no memory says that.")
    return Reply({**data}, f"Nothing was forgotten. {_how_to_mean(answer)}\n{found.text}")


def _how_to_mean(answer: Forgotten) -> str:
    if answer.meant is not None:
        return "One memory says that; if the user means it, call again with `confirmed`:"
    return "These may be meant; ask the user which, and call again with their ids:"


def built(answer: Context) -> Reply:
    """Return what a prompt gets."""
    cut = [f"{one.id} {one.because}" for one in answer.cut]
    data = Built(text=answer.text, tokens=answer.tokens, cut=cut)
    return Reply({**data}, answer.text or "Memory has nothing for this.")


def past(answer: History, chain: Block) -> Reply:
    """Return what a memory was and became."""
    acts = [f"{show_instant(one.at_us)} {one.action} by {one.actor}" for one in answer.acts]
    data = Past(ids=[one.id for one in answer.chain], acts=acts, block=chain.text)
    return Reply({**data}, "\n".join([chain.text, *acts]))
