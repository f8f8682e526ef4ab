"""Credentials: for whom one speaks, as what, and what a role may do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self, get_args

from pinyon.domain.ids import KeyId
from pinyon.domain.space import checked_name
from pinyon.errors import InvalidValue

Role = Literal["admin", "service", "agent", "user", "auditor"]
ROLES: tuple[Role, ...] = ("admin", "service", "agent", "user", "auditor")
"""As what a credential asks."""

Right = Literal[
    "memory:read",
    "memory:write",
    "memory:forget",
    "memory:forget_everything",
    "consent:write",
    "audit:own",
    "act_for_others",
    "keys",
    "grants",
    "spaces",
    "jobs",
    "audit",
    "receipts",
    "verify",
    "metrics",
]
"""What may be done. Of the user that is spoken for:

- `memory:read`: recall, look, list, read histories, export;
- `memory:write`: remember, write, edit, publish, import, and say what no longer holds;
- `memory:forget`: forget single memories, by id or by what they say;
- `memory:forget_everything`: forget whatever holds more than that: a session, a document, a space;
- `consent:write`: pause memory, and name what is never kept;
- `audit:own`: read who did what to one's own memory, and what was forgotten of it.

Of the tenant: `keys`, `grants`, `spaces` (which there are, and how large), `jobs`, `audit` (the
journals), `receipts`, `verify` and `metrics`; none of them shows a memory. `act_for_others` is to
name the user that is spoken for.
"""
RIGHTS: tuple[Right, ...] = get_args(Right)


@dataclass(frozen=True, slots=True)
class RoleRights:
    """What a role may do.

    Attributes:
        of_tenant: Whoever is spoken for, and if nobody is.
        of_user: With the memory of the user that is spoken for.
    """

    of_tenant: frozenset[Right] = frozenset()
    of_user: frozenset[Right] = frozenset()


_AGENT: frozenset[Right] = frozenset({"memory:read", "memory:write", "memory:forget"})
_USER: frozenset[Right] = _AGENT | {"memory:forget_everything", "consent:write", "audit:own"}

ROLE_RIGHTS: Mapping[Role, RoleRights] = {
    "user": RoleRights(of_user=_USER),
    "agent": RoleRights(of_user=_AGENT),
    "service": RoleRights(of_tenant=frozenset({"act_for_others"}), of_user=_USER),
    "admin": RoleRights(
        of_tenant=frozenset({"keys", "grants", "spaces", "jobs", "audit", "metrics"}),
        of_user=_USER,
    ),
    "auditor": RoleRights(of_tenant=frozenset({"audit", "receipts", "spaces", "verify"})),
}
"""All that any credential may do. An auditor reads no text, whoever it is."""

_NEED_A_USER: frozenset[Role] = frozenset({"user", "agent"})
_HAVE_NO_AGENT: frozenset[Role] = frozenset({"admin", "auditor"})


def rights_of(role: Role, *, for_user: bool) -> frozenset[Right]:
    """Return what a role may do, where it speaks for a user and where it does not."""
    rights = ROLE_RIGHTS[role]
    return rights.of_tenant | rights.of_user if for_user else rights.of_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """For whom a credential speaks, and as what.

    Attributes:
        user: Whose memory it opens; `None` for a service, which names the user each time, and for
            whoever runs the place.
        agent: The one agent that it may act as; `None` where none is fixed.
        project: The one project that it may work on; `None` where none is fixed.
    """

    tenant: str
    role: Role
    user: str | None = None
    agent: str | None = None
    project: str | None = None

    def checked(self) -> Self:
        """Return it if there can be such a holder; its names must be in NFC by now.

        Raises:
            InvalidName: A name is none.
            InvalidValue: The role is none, lacks its user, or has what it must not have.
        """
        if self.role not in ROLES:
            raise InvalidValue("role", self.role, "one of " + ", ".join(ROLES))
        if self.user is None and self.role in _NEED_A_USER:
            raise InvalidValue("user", "", f"named for the role {self.role}")
        if self.user is not None and self.role == "service":
            raise InvalidValue("user", self.user, "left out: a service names one with each request")
        if self.agent is not None and self.role in _HAVE_NO_AGENT:
            raise InvalidValue("agent", self.agent, f"left out for the role {self.role}")
        if self.project is not None and self.user is None and self.role != "service":
            raise InvalidValue("project", self.project, "left out where no user is named")
        return self

    @classmethod
    def of(
        cls,
        role: Role,
        *,
        tenant: str,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
    ) -> Self:
        """Return a holder whose names are names. See `checked` for what is raised."""
        named = {"user": user, "agent": agent, "project": project}
        names = {
            what: None if name is None else checked_name(what, name) for what, name in named.items()
        }
        return cls(tenant=checked_name("tenant", tenant), role=role, **names).checked()


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential(Holder):
    """What somebody is known by, after it was looked at and found to be good.

    Attributes:
        id: What the journal names; not a secret, and without a blank.
    """

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Credential):
    """A key that was given out, without its secret, which nobody keeps.

    Attributes:
        name: What it is for, in its maker's words.
        last_used_at_us: To the minute.
    """

    id: KeyId
    name: str = ""
    created_at_us: int
    expires_at_us: int | None = None
    last_used_at_us: int | None = None
    revoked_at_us: int | None = None

    def opens_at(self, now_us: int) -> bool:
        """Return whether it opens anything then: neither revoked nor past its time."""
        expired = self.expires_at_us is not None and self.expires_at_us <= now_us
        return self.revoked_at_us is None and not expired
