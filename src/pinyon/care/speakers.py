"""Whose words an episode holds: only the user's own tell anything of the user."""

from pinyon.domain.consolidation import Material
from pinyon.domain.memory import Memory
from pinyon.text.normal import fold

USERS = ("", "user")
"""Roles of who wrote what a user wrote."""


def is_a_users(episode: Memory) -> bool:
    """Return whether an episode is what somebody wrote, and no assistant, tool or document."""
    return episode.trust == "user" and episode.source.role.lower() in USERS


def is_the_users(episode: Memory, material: Material) -> bool:
    """Return whether an episode is what the user of its space wrote.

    Where several people speak, only who is named like the user is taken for the user.
    """
    if not is_a_users(episode):
        return False
    speaker = fold(episode.source.speaker)
    if not speaker or speaker == fold(episode.space.segments[-1]):
        return True
    others = {fold(one.source.speaker) for one in material.episodes}
    others |= {fold(turn.speaker) for turn in material.around if turn.role.lower() in USERS}
    return others <= {speaker, ""}
