"""From ranked candidates to the answer: the floor, equal texts, the first k."""

from dataclasses import replace

from pinyon.domain.answers import Hit
from pinyon.domain.memory import Memory
from pinyon.recall.explaining import why
from pinyon.recall.recalling import Key, Recalling


class Selecting:
    """Decides what is handed over."""

    name = "select"

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether anything was ranked."""
        return bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Look at the best hit's relevance, collapse what says the same, cut at k."""
        floor = recalling.floor
        if recalling.best < floor:
            low = {s.key: f"the best hit has {recalling.best:.2f}, the floor is {floor:.2f}"
                   for s in recalling.ranked}  # fmt: skip
            return replace(
                recalling.drop("floor", low), note=f"best {recalling.best:.2f} < {floor}"
            )
        recalling = self._collapsed(recalling)
        kept, rest = (
            recalling.ranked[: recalling.question.k],
            recalling.ranked[recalling.question.k :],
        )
        beyond = {
            scored.key: f"place {place} of {len(recalling.ranked)}, and k is {recalling.question.k}"
            for place, scored in enumerate(rest, start=len(kept) + 1)
        }
        hits = tuple(
            Hit(recalling.memories[scored.key], scored.score, why(recalling, scored))
            for scored in kept
        )
        return replace(recalling.drop(self.name, beyond), hits=hits)

    @staticmethod
    def _collapsed(recalling: Recalling) -> Recalling:
        """Let the first of equal texts stand for the others; at best the asker's own."""
        standing: dict[tuple[str, str], Key] = {}
        same: dict[Key, tuple[Memory, ...]] = {}
        repeated: dict[Key, str] = {}
        for scored in recalling.ranked:
            memory = recalling.memories[scored.key]
            first = standing.setdefault((memory.kind, memory.content_hash), scored.key)
            if first != scored.key:
                same[first] = (*same.get(first, ()), memory)
                repeated[scored.key] = f"{first[1]} says the same and stands for it"
        return replace(recalling, same=same).drop("same text", repeated)
