"""What counts beside relevance: age, use, outcome, source; after every score, never before."""

from dataclasses import replace
from math import prod

from pinyon.recall.recalling import Recalling


class Weighing:
    """Multiplies each candidate's score by its factors, and sorts again."""

    name = "weigh"

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether there is anything to weigh."""
        return bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Weigh, and sort; where two are equal the asker's own stays first."""
        places = {space: place for place, space in enumerate(recalling.question.spaces)}
        weighed = []
        for one in recalling.ranked:
            factors = recalling.factors[one.key]
            weighed.append(replace(one, score=one.score * prod(factors.values()), factors=factors))
        # What was only found by what was found stays behind that, whatever speaks for it.
        order = sorted(
            weighed,
            key=lambda one: ("expanded" in one.scores, -one.score, places[one.key[0]]),
        )
        moved = sum(a.key != b.key for a, b in zip(order, recalling.ranked, strict=True))
        return replace(recalling, ranked=tuple(order), note=f"{moved} moved" if moved else "")
