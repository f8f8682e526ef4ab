"""Consent: what a person lets memory keep."""

from dataclasses import dataclass

from pinyon.errors import NotKept

__all__ = ["TOPICS_MAX", "TOPIC_CHARS_MAX", "Consent", "NotKept"]

TOPICS_MAX = 100
TOPIC_CHARS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What a user lets memory keep, in the user's own space and in the agents' notes.

    Attributes:
        paused: Nothing new is kept; recall goes on.
        never: Topics that are never kept: words, or short phrases.
    """

    paused: bool = False
    never: tuple[str, ...] = ()
