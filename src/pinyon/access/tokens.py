"""JSON Web Tokens of one issuer, whose keys are fetched from one address.

Nothing is taken from a token before its signature is checked but which key and algorithm it names,
and both must be on a list of ours. Where the issuer's keys cannot be had no token is accepted.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from pinyon.access.keys import OPENS_NOTHING
from pinyon.domain.credential import ROLES, Credential, Holder, Role
from pinyon.domain.space import checked_name, encoded_name
from pinyon.domain.times import US_PER_S
from pinyon.errors import BadInput, InvalidSetting, IssuerUnavailable, Unauthenticated
from pinyon.ports.clock import Clock

if TYPE_CHECKING:
    import ssl

    import jwt

ALGORITHMS = {"RS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
"""Each with the type of the key that it needs; no other is accepted, whatever a key says."""
CURVES = {"ES256": "P-256", "EdDSA": "Ed25519"}
LEEWAY_S = 30
KEPT_S = 600.0
"""For which keys are kept."""
PAUSE_S = 10.0
"""After which the issuer is asked again, whether it failed or lacked a key."""
TIMEOUT_S = 5.0
ANSWER_BYTES_MAX = 256 * 1024
TOKEN_CHARS_MAX = 16 * 1024
RSA_BITS_MIN = 2048
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_WITHOUT_USER: frozenset[Role] = frozenset({"service", "auditor"})


@dataclass(slots=True)
class _Fetched:
    """What the issuer said last, and when it was asked."""

    keys: Mapping[str, "jwt.PyJWK"] = field(default_factory=dict)
    at_s: float | None = None
    asked_at_s: float | None = None
    failed: str = ""


class Tokens:
    """Tells whose a token is."""

    def __init__(
        self,
        issuer: str,
        audience: str,
        jwks_url: str = "",
        *,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is asked yet.

        Args:
            issuer: What a token's `iss` must be.
            audience: What its `aud` must name.
            jwks_url: Where the issuer's keys are; by default below `issuer`.
            clock: Tells whether a token is still good.
            monotonic: Tells seconds, from any start.

        Raises:
            InvalidSetting: An address is not one of HTTPS or of this machine, or none is named.
        """
        if not audience:
            raise InvalidSetting("PINYON_JWT_AUDIENCE", "it must be set where an issuer is")
        self._issuer, self._audience, self._clock = issuer, audience, clock
        self._url = jwks_url or issuer.rstrip("/") + "/.well-known/jwks.json"
        _check_address(self._url)
        _check_installed()
        self._monotonic = monotonic
        self._fetched = _Fetched()
        self._lock = anyio.Lock()
        self._tls: ssl.SSLContext | None = None

    async def authenticate(self, token: str, *, tenant: str) -> Credential:
        """Return for whom a token speaks.

        Args:
            token: As it came.
            tenant: Whose it is if it names none.

        Raises:
            Unauthenticated: It is none of this issuer, for somebody else, or past its time; always
                in the words that are said of a key, too.
            IssuerUnavailable: The issuer's keys cannot be fetched.
        """
        import jwt  # noqa: PLC0415 - only where an issuer is set

        try:
            header = _header(token)
            key = await self._key(header["kid"], header["alg"])
            claims = jwt.decode(
                token,
                key,
                algorithms=[header["alg"]],
                issuer=self._issuer,
                audience=self._audience,
                options={
                    "require": ["exp", "iss", "aud", "sub"],
                    # By our clock, below.
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
            self._check_times(claims)
            return _credential(claims, tenant)
        except (jwt.PyJWTError, _NoneOfOurs, BadInput):
            raise Unauthenticated(OPENS_NOTHING) from None

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        now_s = self._clock.now_us() / US_PER_S
        if _seconds(claims["exp"]) <= now_s - LEEWAY_S:
            raise _NoneOfOurs
        for name in ("nbf", "iat"):
            if name in claims and _seconds(claims[name]) > now_s + LEEWAY_S:
                raise _NoneOfOurs

    async def _key(self, kid: str, algorithm: str) -> "jwt.PyJWK":
        """Return the issuer's key of that name, fetched anew if it may have been changed."""
        key = self._held().get(kid)
        if key is None:
            async with self._lock:
                if kid not in self._held() and self._may_ask():
                    await self._fetch()
                key = self._held().get(kid)
                if key is None and self._fetched.failed:
                    raise IssuerUnavailable(self._url, self._fetched.failed)
        if key is None or key.algorithm_name != algorithm:
            raise _NoneOfOurs
        return key

    def _held(self) -> Mapping[str, "jwt.PyJWK"]:
        at_s = self._fetched.at_s
        return self._fetched.keys if at_s is not None and self._ago(at_s) < KEPT_S else {}

    def _may_ask(self) -> bool:
        asked_at_s = self._fetched.asked_at_s
        return asked_at_s is None or self._ago(asked_at_s) >= PAUSE_S

    def _ago(self, at_s: float) -> float:
        return self._monotonic() - at_s

    async def _fetch(self) -> None:
        self._fetched.asked_at_s = self._monotonic()
        try:
            keys = _keys(await self._answer())
        except _NoAnswer as error:
            self._fetched.failed = str(error)
            return
        except BaseException:
            # Whoever asked went away; that says nothing of the issuer.
            self._fetched.asked_at_s = None
            raise
        self._fetched.keys, self._fetched.failed = keys, ""
        self._fetched.at_s = self._monotonic()

    async def _answer(self) -> bytes:
        import httpx2  # noqa: PLC0415 - only where an issuer is set

        if self._tls is None:
            # Reading the certificates takes longer than the loop may wait.
            self._tls = await anyio.to_thread.run_sync(_tls)
        body = bytearray()
        try:
            with anyio.fail_after(TIMEOUT_S):
                async with (
                    httpx2.AsyncClient(
                        verify=self._tls, timeout=None, trust_env=False, follow_redirects=False
                    ) as client,
                    client.stream("GET", self._url) as response,
                ):
                    if response.status_code != 200:
                        raise _NoAnswer(f"it answers with status {response.status_code}")
                    async for piece in response.aiter_bytes():
                        body += piece
                        if len(body) > ANSWER_BYTES_MAX:
                            raise _NoAnswer("its answer is too large")
        except TimeoutError:
            raise _NoAnswer(f"no answer within {TIMEOUT_S:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _NoAnswer(type(error).__name__) from None
        return bytes(body)


def _tls() -> "ssl.SSLContext":
    import httpx2  # noqa: PLC0415

    context: ssl.SSLContext = httpx2.create_ssl_context(trust_env=False)
    return context


class _NoneOfOurs(Exception):
    """A token is not to be accepted."""


class _NoAnswer(Exception):
    """The issuer gives no keys; says why."""


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise InvalidSetting("PINYON_JWT_JWKS_URL", "it is no address") from None
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not host or not is_safe:
        why = "it must begin with https://, or be of this machine"
        raise InvalidSetting("PINYON_JWT_JWKS_URL", why)


def _check_installed() -> None:
    """See that what looks at tokens is there, before the first one comes."""
    for library in ("cryptography", "httpx2", "jwt"):
        if find_spec(library) is None:
            why = f"{library} is not installed: pip install 'pinyon[server]'"
            raise InvalidSetting("PINYON_JWT_ISSUER", why)


def _header(token: str) -> Mapping[str, str]:
    import jwt  # noqa: PLC0415

    if len(token) > TOKEN_CHARS_MAX:
        raise _NoneOfOurs
    header = jwt.get_unverified_header(token)
    kid, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(kid, str) or not isinstance(algorithm, str) or "crit" in header:
        raise _NoneOfOurs
    if algorithm not in ALGORITHMS:
        raise _NoneOfOurs
    return {"kid": kid, "alg": algorithm}


def _keys(body: bytes) -> Mapping[str, "jwt.PyJWK"]:
    """Return the keys of an answer by name; those that we have no use for are passed over."""
    try:
        listed = json.loads(body)["keys"]
        found = [_public_key(one) for one in listed if isinstance(one, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _NoAnswer("its answer is no set of keys") from None
    return {key.key_id: key for key in found if key is not None and key.key_id}


def _public_key(described: dict[str, Any]) -> "jwt.PyJWK | None":
    import jwt  # noqa: PLC0415

    if not isinstance(described.get("kid"), str) or described.get("use", "sig") != "sig":
        return None
    for algorithm, kty in ALGORITHMS.items():
        fits = described.get("kty") == kty and described.get("alg", algorithm) == algorithm
        if fits and "d" not in described:
            try:
                key = jwt.PyJWK(described, algorithm)
            except jwt.PyJWTError:
                return None
            return key if _is_strong(key, described) else None
    return None


def _is_strong(key: "jwt.PyJWK", described: Mapping[str, Any]) -> bool:
    """Return whether a key is of the size, or the curve, that its algorithm is meant for."""
    if key.algorithm_name == "RS256":
        return int(key.key.key_size) >= RSA_BITS_MIN
    return bool(described.get("crv") == CURVES[key.algorithm_name])


def _seconds(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_a_time(value):
        raise _NoneOfOurs
    return value


def _is_a_time(value: float) -> bool:
    # JSON as Python reads it also knows NaN, which is neither before nor after anything.
    return isinstance(value, int) or math.isfinite(value)


def _credential(claims: Mapping[str, Any], tenant: str) -> Credential:
    """Return for whom the claims of a token that was checked speak.

    A role that we do not know is none: to take it for a user's would give more than was meant.
    """
    subject = checked_name("user", claims["sub"])
    role = claims.get("pinyon_role", "user")
    if role not in ROLES:
        raise _NoneOfOurs
    holder = Holder.of(
        role,
        tenant=claims.get("pinyon_tenant", tenant),
        user=None if role in _WITHOUT_USER else subject,
        agent=claims.get("pinyon_agent"),
    )
    return Credential(
        id=f"jwt:{encoded_name(subject)}",
        tenant=holder.tenant,
        role=holder.role,
        user=holder.user,
        agent=holder.agent,
    )
