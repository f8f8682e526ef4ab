"""Whose memory something is."""

import unicodedata
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import unquote

from pinyon.errors import InvalidName

SEGMENT_BYTES_MAX = 200

Scope = Literal["own", "agent", "project", "shared"]
"""Which of a principal's spaces is meant: the user's, the agent's, the project's, the tenant's."""

SCOPES: tuple[Scope, ...] = ("own", "agent", "project", "shared")


@dataclass(frozen=True, slots=True, order=True)
class Space:
    """The unit of isolation, indexing, statistics, export and erasure.

    Every read and write names one and there is no default. Segments are opaque and compared
    exactly, after NFC; nothing in them is ever a pattern.
    """

    tenant: str
    segments: tuple[str, ...]

    @classmethod
    def of_user(cls, tenant: str, user: str) -> Self:
        """Return the space of all that is remembered about a user, shared by the user's agents."""
        return cls(checked_name("tenant", tenant), ("user", checked_name("user", user)))

    @classmethod
    def of_agent(cls, tenant: str, user: str, agent: str) -> Self:
        """Return the space of one agent's own notes about a user."""
        owner = cls.of_user(tenant, user)
        return cls(owner.tenant, (*owner.segments, "agent", checked_name("agent", agent)))

    @classmethod
    def of_project(cls, tenant: str, project: str) -> Self:
        """Return the space that a project's members share."""
        return cls(checked_name("tenant", tenant), ("project", checked_name("project", project)))

    @classmethod
    def shared(cls, tenant: str) -> Self:
        """Return the space that all of a tenant's users may read."""
        return cls(checked_name("tenant", tenant), ("shared",))

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read the text form, `tenant/user/<u>` and so on.

        Raises:
            InvalidName: It is none of the four forms, or a segment is no name.
        """
        if not isinstance(text, str):
            raise InvalidName("space", text, "is no text")
        try:
            tenant, *path = (unquote(part, errors="strict") for part in text.split("/"))
        except UnicodeDecodeError:
            raise InvalidName("space", text, "is no UTF-8") from None
        match path:
            case ["user", user]:
                return cls.of_user(tenant, user)
            case ["user", user, "agent", agent]:
                return cls.of_agent(tenant, user, agent)
            case ["project", project]:
                return cls.of_project(tenant, project)
            case ["shared"]:
                return cls.shared(tenant)
            case _:
                raise InvalidName("space", text, "is no tenant/user/<u> or the like")

    @property
    def is_personal(self) -> bool:
        """Return whether it is one user's own, and nobody else writes there."""
        return self.segments[0] == "user"

    @property
    def is_own(self) -> bool:
        """Return whether it is all that is remembered about a user, and no agent's notes."""
        return self.is_personal and len(self.segments) == 2

    @property
    def owner(self) -> "Space | None":
        """Return the space of the user whose it is, also of an agent's notes; `None` if shared."""
        return Space(self.tenant, self.segments[:2]) if self.is_personal else None

    def __str__(self) -> str:
        """Return the text form; `/`, `%` and blanks inside a segment are percent-encoded."""
        return "/".join(encoded_name(part) for part in (self.tenant, *self.segments))


def checked_name(what: str, value: object) -> str:
    """Return a segment in NFC.

    Raises:
        InvalidName: It is no text, blank, has controls, or is not 1-200 bytes long.
    """
    if not isinstance(value, str):
        raise InvalidName(what, value, "is not text")
    if not value.strip():
        raise InvalidName(what, value, "is blank")
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in value[:1000]):
        raise InvalidName(what, value, "has control characters")
    name = unicodedata.normalize("NFC", value[: SEGMENT_BYTES_MAX + 1])
    if len(value) > SEGMENT_BYTES_MAX or len(name.encode()) > SEGMENT_BYTES_MAX:
        raise InvalidName(what, value[:40] + "...", "is too long")
    return name


def encoded_name(segment: str) -> str:
    """Return a segment so that a blank or a `/` behind it ends it: those within are encoded."""
    return "".join(
        f"%{ord(character):02X}" if character in "%/ " else character for character in segment
    )
