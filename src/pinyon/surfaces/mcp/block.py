"""Memories as a model may read them: within a fence, one a line, within a budget of tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pinyon.domain.answers import Hit
from pinyon.domain.memory import Memory
from pinyon.surfaces.mcp.asked import Asked
from pinyon.text.counting import estimated_tokens
from pinyon.text.fencing import defused, fenced
from pinyon.turn.candidates import candidate_of, candidate_of_memory
from pinyon.turn.packing import Candidate, packed

BUDGET_TOKENS = 4_000
"""What the memories of one answer may take; the clients cut what is much longer without a word."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a model reads.

    Attributes:
        text: The memories within a fence; "" for none.
        ids: Of those that are in it, in their order.
        left_out: Of those for which there was no room.
    """

    text: str
    ids: list[str]
    left_out: list[str]


def of_hits(asked: Asked, hits: Iterable[Hit]) -> Block:
    """Return what a recall found, best first; a long text by the passages that it was found by."""
    return _block([candidate_of(one, own=asked.own, now_us=asked.now_us()) for one in hits])


def of_memories(asked: Asked, memories: Iterable[Memory]) -> Block:
    """Return memories, in their order."""
    now_us = asked.now_us()
    return _block([candidate_of_memory(one, own=asked.own, now_us=now_us) for one in memories])


def of_data(text: str) -> str:
    """Return a text that holds memories in another form, within a fence."""
    return fenced([defused(text)])


def _block(candidates: Sequence[Candidate]) -> Block:
    fits = packed(candidates, budget=BUDGET_TOKENS, count=estimated_tokens)
    return Block(
        text=fenced([entry.text for entry in fits.entries]),
        ids=[entry.id for entry in fits.entries],
        left_out=[one.id for one in fits.cut if one.because == "budget"],
    )
