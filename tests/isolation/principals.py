"""Principals whose names differ by as little as names can, and what each may read."""

from dataclasses import dataclass

from pinyon.domain.principal import Principal
from pinyon.domain.space import Scope, Space

COMPOSED, DECOMPOSED = "jos\u00e9_doe", "jose\u0301_doe"
"""One name in two forms of Unicode: one user."""

LOOKALIKES = [
    "john_doe",
    "john-doe",
    "john.doe",
    "John_Doe",
    "john doe",
    "john_doe ",
    " john_doe",
    "john_doe_",
    "john_do",
    "*",
    "%",
    "_",
    "?",
    "john*",
    "john%",
    "john_do_",
    "../john_doe",
    "john_doe/agent/a",
    "john_doe%2Fagent%2Fa",
    "j\u043ehn_doe",
    "\uff4aohn_doe",
    "john_doe\u200b",
    "john_doe' OR '1'='1",
    "user/john_doe",
    "null",
    COMPOSED,
    DECOMPOSED,
]


def _of(tenant: str, user: str, *, agent: str | None = None, project: str | None = None):
    return Principal.of_home(tenant=tenant, user=user, agent=agent, project=project)


PRINCIPALS: tuple[Principal, ...] = (
    *(_of("acme", user) for user in LOOKALIKES),
    _of("acme", "john_doe", agent="a", project="p"),
    _of("acme", "john_doe", agent="A", project="P"),
    _of("acme", "john-doe", agent="a", project="p"),
    _of("acme", "john.doe", project="p*"),
    _of("acme-corp", "john_doe", agent="a", project="p"),
    _of("acme-corp", "*"),
    _of("Acme", "john_doe", project="p"),
    _of("acme%2Fuser", "john_doe"),
    _of("acme/user", "john_doe", agent="a"),
    _of("acme ", "john_doe"),
    _of("*", "john_doe", project="p"),
    _of("%", "john_doe"),
    _of("acm_", "john_doe"),
    _of("\u0430cme", "john_doe"),
)


def own_of(principal: Principal) -> Space:
    """Return the user's space: principals that share it are one user."""
    return Space.of_user(principal.tenant, principal.user)


def scope_of(principal: Principal, space: Space) -> Scope:
    """Return by what scope a principal names one of its spaces."""
    scopes: list[Scope] = ["own", "shared"]
    scopes += ["agent"] if principal.agent is not None else []
    scopes += ["project"] if principal.project is not None else []
    return next(scope for scope in scopes if principal.space(scope) == space)


@dataclass(frozen=True)
class Names:
    """The parts of a principal's name, for whoever tries them where no name belongs."""

    tenant: str
    user: str
    space: str

    @classmethod
    def of(cls, space: Space) -> "Names":
        """Return those of the owner of a space."""
        return cls(space.tenant, space.segments[-1], str(space))
