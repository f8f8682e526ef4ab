"""What became of episodes, as JSON; see `encode`."""

from pinyon.domain.consolidation import Consolidated
from pinyon.surfaces.encode import Json


def consolidated(answer: Consolidated) -> Json:
    """Return what `consolidate` answers."""
    return {
        "episodes": answer.episodes,
        "created": list(answer.created),
        "strengthened": list(answer.strengthened),
        "superseded": list(answer.superseded),
        "refined": list(answer.refined),
        "outcomes": list(answer.outcomes),
        "conflicts": list(answer.conflicts),
        "refused": dict(answer.refused),
        "made_by": answer.made_by,
        "left": answer.left,
    }
