"""What became of episodes, as JSON; see `encode`."""

from pinyon.domain.consolidation import Consolidated, Material
from pinyon.domain.reflection import Reflected
from pinyon.surfaces import encode
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


def material(answer: Material) -> Json:
    """Return what `material` answers."""
    return {
        "episodes": [encode.memory(one) for one in answer.episodes],
        "around": [encode.turn(one) for one in answer.around],
        "facts": [encode.memory(one) for one in answer.facts],
        "playbooks": [encode.memory(one) for one in answer.playbooks],
    }


def reflected(answer: Reflected) -> Json:
    """Return what `reflect` answers."""
    return {
        "task": answer.task,
        "outcome": answer.outcome,
        "turns": answer.turns,
        "created": list(answer.created),
        "refined": list(answer.refined),
        "counted": list(answer.counted),
        "pitfalls": list(answer.pitfalls),
        "refused": dict(answer.refused),
        "made_by": answer.made_by,
    }
