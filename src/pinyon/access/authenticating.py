"""From what a request says of itself to who asks: an `Authorization` and three headers."""

import re
from dataclasses import dataclass, replace
from urllib.parse import unquote_to_bytes

from pinyon.access.keys import OPENS_NOTHING, PREFIX, Keyring
from pinyon.access.tokens import Tokens
from pinyon.domain.credential import Credential, Right, Role, rights_of
from pinyon.domain.principal import Principal
from pinyon.domain.space import checked_name
from pinyon.errors import InvalidValue, NotAllowed, Unauthenticated

USER_HEADER = "Pinyon-User"
AGENT_HEADER = "Pinyon-Agent"
PROJECT_HEADER = "Pinyon-Project"

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([\x21-\x7e]+) *", re.ASCII)
_ENCODED = re.compile(r"(?:[\x20-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*", re.ASCII)
_MAY_NAME_AN_AGENT: frozenset[Role] = frozenset({"user", "service"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, and as what.

    Attributes:
        credential_id: Of the key (`key_…`) or the token's subject (`jwt:…`); no secret.
        principal: The user that is spoken for; `None` where there is none.
    """

    role: Role
    tenant: str
    credential_id: str
    principal: Principal | None = None

    def allows(self, right: Right) -> bool:
        """Return whether the caller may do something."""
        return right in rights_of(self.role, for_user=self.principal is not None)

    def check(self, right: Right) -> None:
        """See that the caller may do something.

        Raises:
            NotAllowed: It may not.
        """
        if self.allows(right):
            return
        if self.principal is None and right in rights_of(self.role, for_user=True):
            how = (
                f"name the user in the header {USER_HEADER}"
                if self.role == "service"
                else "take one that was made for a user"
            )
            raise NotAllowed(f"this credential speaks for no user here; {how}")
        raise NotAllowed(f"the role {self.role} may not do that ({right}); take another credential")


class Authenticator:
    """Tells who asks."""

    def __init__(self, keyring: Keyring, tokens: Tokens | None, tenant: str) -> None:
        """Take what is needed to look at credentials.

        Args:
            keyring: Knows API keys.
            tokens: Knows tokens, where an issuer is set.
            tenant: To whom a token belongs that names no tenant.
        """
        self._keyring, self._tokens, self._tenant = keyring, tokens, tenant

    async def caller(
        self,
        authorization: str | None,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
    ) -> Caller:
        """Return who asks.

        Args:
            authorization: The header of that name: `Bearer`, a blank, and a key or token.
            user: The header `Pinyon-User`, as it came. A service names by it for whom it acts; any
                other role may only repeat its own.
            agent: The header `Pinyon-Agent`: a service, or a user, narrows it down to one agent.
            project: The header `Pinyon-Project`: on what is worked, where the credential fixes
                none.

        The three are UTF-8, percent-encoded: `J%C3%BCrgen`. A header that is there names something.

        Raises:
            Unauthenticated: There is no credential, or one that opens nothing.
            NotAllowed: A header names what the credential does not speak for.
            InvalidName: A header names nothing, or what is no name.
            InvalidValue: A header is not percent-encoded UTF-8.
            IssuerUnavailable: A token cannot be looked at.
        """
        credential = await self._credential(authorization)
        named = _Named(
            user=_read(USER_HEADER, "user", user),
            agent=_read(AGENT_HEADER, "agent", agent),
            project=_read(PROJECT_HEADER, "project", project),
        )
        return Caller(
            role=credential.role,
            tenant=credential.tenant,
            credential_id=credential.id,
            principal=_principal(credential, named),
        )

    async def _credential(self, authorization: str | None) -> Credential:
        if authorization is None:
            raise Unauthenticated
        read = _BEARER.fullmatch(authorization)
        if read is None:
            raise Unauthenticated(OPENS_NOTHING)
        token = read[1]
        if token.startswith(PREFIX):
            return await self._keyring.authenticate(token)
        if self._tokens is None:
            raise Unauthenticated(OPENS_NOTHING)
        return await self._tokens.authenticate(token, tenant=self._tenant)


@dataclass(frozen=True, slots=True)
class _Named:
    """What the headers name."""

    user: str | None
    agent: str | None
    project: str | None


def _principal(credential: Credential, named: _Named) -> Principal | None:
    user = named.user if credential.role == "service" else credential.user
    if named.user not in (None, user):
        raise NotAllowed(
            f"this credential speaks for nobody but its own user; leave {USER_HEADER} out"
        )
    agent, project = _agent(credential, named), _project(credential, named)
    if user is None or credential.role == "auditor":
        if named.agent is not None or named.project is not None:
            raise NotAllowed(f"{AGENT_HEADER} and {PROJECT_HEADER} are of a user; none is meant")
        return None
    principal = Principal.of_home(tenant=credential.tenant, user=user, agent=agent, project=project)
    return replace(principal, role=credential.role, credential_id=credential.id)


def _agent(credential: Credential, named: _Named) -> str | None:
    if named.agent is None or named.agent == credential.agent:
        return credential.agent
    if credential.agent is None and credential.role in _MAY_NAME_AN_AGENT:
        return named.agent
    raise NotAllowed(
        f"this credential acts as no other agent than its own; leave {AGENT_HEADER} out"
    )


def _project(credential: Credential, named: _Named) -> str | None:
    if named.project is None or named.project == credential.project:
        return credential.project
    if credential.project is None:
        return named.project
    raise NotAllowed(f"this credential is for one project; leave {PROJECT_HEADER} out")


def _read(header: str, what: str, value: str | None) -> str | None:
    """Read a header; one that is there and empty is an error, for somebody meant to name one."""
    if value is None:
        return None
    if not _ENCODED.fullmatch(value):
        raise InvalidValue(header, value, "percent-encoded UTF-8, as `J%C3%BCrgen`")
    try:
        return checked_name(what, unquote_to_bytes(value).decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidValue(header, value, "percent-encoded UTF-8, as `J%C3%BCrgen`") from None
