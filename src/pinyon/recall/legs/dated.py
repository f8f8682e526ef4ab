"""The dated leg: what is of a time that the question names, nearest first."""

from collections.abc import Sequence
from dataclasses import replace

from pinyon.domain.filter import Cmp, Exists, Filter, Not, Or, all_of
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.domain.times import read_instant
from pinyon.ports.embedder import Embedder
from pinyon.ports.search import Candidate, Search
from pinyon.recall.recalling import Recalling
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.dates import Window

CANDIDATES = 20
"""In a large space what is near a question fills every leg, whenever it was; of the time that is
named so many come too."""


def of_windows(windows: Sequence[Window]) -> Filter:
    """Return what a memory must be to be of one of the times."""
    spans = [(read_instant(one.start)[0], read_instant(one.end)[0]) for one in windows]
    happened = [_between("occurred_at", *span) for span in spans]
    # A fact happened at no time, and is true since one.
    undated = Not(Exists("occurred_at"))
    return Or((*happened, *(all_of(undated, _between("valid_from", *span)) for span in spans)))


def _between(field: str, start_us: int, end_us: int) -> Filter:
    return all_of(Cmp(field, "gte", start_us), Cmp(field, "lt", end_us))


class DatedLeg:
    """Asks the other legs once more, for what is of those times alone."""

    name = "dated"

    def __init__(self, search: Search, embedder: Embedder | None) -> None:
        self._search, self._embedder = search, embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the question names a time, and anything else."""
        return bool(recalling.planned.windows) and bool(recalling.planned.terms)

    async def run(self, recalling: Recalling) -> Recalling:
        """Ask every space, side by side."""
        where = all_of(recalling.question.conditions(), of_windows(recalling.planned.windows))
        spaces = recalling.question.spaces
        answers = await side_by_side([self._of_then(recalling, space, where) for space in spaces])
        legs = {
            ("dated", space): tuple(found)
            for space, found in zip(spaces, answers, strict=True)
            if found
        }
        keys = {(space, one.id) for (_, space), found in legs.items() for one in found}
        return replace(
            recalling,
            found={**recalling.found, **legs},
            pinned_came=recalling.pinned_came or recalling.pinned in keys,
        )

    async def _of_then(self, recalling: Recalling, space: Space, where: Filter) -> list[Candidate]:
        known_at_us = recalling.question.known_at_us
        found: dict[str, Candidate] = {}
        if space in recalling.served:
            assert self._embedder is not None  # noqa: S101 - spaces are served by it only
            model, dense = self._embedder.fingerprint, recalling.vectors[0].dense
            near = await self._search.dense(
                space, dense, model, where, limit=CANDIDATES, known_at_us=known_at_us
            )
            found.update({one.id: one for one in near})
        if space in recalling.with_words and recalling.asked:
            terms = Terms(recalling.asked, recalling.planned.terms.phrases)
            holding = await self._search.keyword(
                space, terms, where, limit=CANDIDATES, known_at_us=known_at_us
            )
            found.update({one.id: one for one in holding})
        return list(found.values())
