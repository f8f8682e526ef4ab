"""Who asks, and on whose behalf a change is made."""

from dataclasses import dataclass
from typing import Self

from pinyon.domain.credential import Role
from pinyon.domain.grant import Permission
from pinyon.domain.space import Scope, Space, checked_name
from pinyon.errors import Forbidden


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks: bound to a client for its life, never taken from a request.

    Attributes:
        reads: The spaces whose memories may come back, the user's own first.
        writes: The spaces that may be changed.
        role: As what it asks; whoever may read an embedded home asks as the user.
        credential_id: By which key or token it is known; empty where none was needed.
    """

    tenant: str
    user: str
    agent: str | None
    project: str | None
    reads: tuple[Space, ...]
    writes: tuple[Space, ...]
    role: Role = "user"
    credential_id: str = ""

    @classmethod
    def of_home(
        cls, *, tenant: str, user: str, agent: str | None = None, project: str | None = None
    ) -> Self:
        """Return the principal of whoever may read an embedded home and names a user there."""
        own = Space.of_user(tenant, user)
        spaces = [own]
        if agent is not None:
            spaces.append(Space.of_agent(tenant, user, agent))
        if project is not None:
            spaces.append(Space.of_project(tenant, project))
        spaces.append(Space.shared(tenant))
        return cls(
            tenant=own.tenant,
            user=own.segments[1],
            agent=None if agent is None else checked_name("agent", agent),
            project=None if project is None else checked_name("project", project),
            reads=tuple(spaces),
            writes=tuple(spaces),
        )

    @property
    def is_agents(self) -> bool:
        """Return whether an agent speaks, as opposed to the user."""
        return self.agent is not None or self.role == "agent"

    def space(self, scope: Scope, *, to: Permission = "write") -> Space:
        """Return the space that a scope means for this principal, to write to or to read.

        Raises:
            Forbidden: The principal has no such space, or may not do so there.
        """
        match scope:
            case "own":
                space = Space.of_user(self.tenant, self.user)
            case "agent" if self.agent is not None:
                space = Space.of_agent(self.tenant, self.user, self.agent)
            case "project" if self.project is not None:
                space = Space.of_project(self.tenant, self.project)
            case "shared":
                space = Space.shared(self.tenant)
            case "agent" | "project":
                raise Forbidden(f"scope {scope!r}: no {scope} is named ({scope}=…, --{scope})")
            case _:
                raise Forbidden(f"scope {scope!r}")
        if space not in (self.writes if to == "write" else self.reads):
            raise Forbidden(str(space))
        return space

    def by(self, surface: str) -> "Actor":
        """Return who the journal names for what this principal does through a surface.

        `acme/user/sarah`, with the agent that acts, ` (app)`, and the credential, ` via key_…`. The
        user's name holds no blank, and neither does the credential's: it is read from both ends.
        """
        who = str(Space.of_user(self.tenant, self.user))
        if self.agent is not None:
            who += f" ({self.agent})"
        if self.credential_id:
            who += f" via {self.credential_id}"
        return Actor(who, surface)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who the journal says did something, and through which surface (`python`, `cli`, ...)."""

    name: str
    surface: str
