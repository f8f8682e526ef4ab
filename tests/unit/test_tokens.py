"""Tokens of one issuer: whom they let in, and all that they must not be taken for."""

import base64
import hashlib
import hmac
import json

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from pinyon.access import tokens as access_tokens
from pinyon.access.authenticating import Authenticator
from pinyon.access.keys import OPENS_NOTHING, Keyring
from pinyon.access.tokens import KEPT_S, LEEWAY_S, PAUSE_S, Tokens
from pinyon.domain.credential import Holder
from pinyon.errors import InvalidSetting, IssuerUnavailable, NotAllowed, Unauthenticated
from pinyon.settings import read_settings
from pinyon.testing.makers import counting_ids
from pinyon.wiring import authenticator_of, tokens_of
from unit.issuing import MAKERS, Issuer, described

pytestmark = pytest.mark.anyio

NAME, AUDIENCE = "https://login.example.com/", "pinyon"


class Seconds:
    """Seconds from any start, that go on when told to."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def issuer():
    issuer = Issuer()
    issuer.add("one")
    yield issuer
    issuer.close()


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def tokens(issuer, clock, seconds):
    return Tokens(NAME, AUDIENCE, f"{issuer.url}/keys", clock=clock, monotonic=seconds)


@pytest.fixture
def claims(clock):
    """Return the claims of a token that is good, but for what is given."""

    def make(**given):
        now_s = clock.now_us() // 1_000_000
        usual = {"iss": NAME, "aud": AUDIENCE, "sub": "ann", "exp": now_s + 60, "iat": now_s}
        return {name: value for name, value in (usual | given).items() if value is not None}

    return make


async def refused(tokens, token):
    with pytest.raises(Unauthenticated, match=OPENS_NOTHING):
        await tokens.authenticate(token, tenant="default")


def part(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


# ── who is let in ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("algorithm", MAKERS)
async def test_a_token_of_the_issuer_speaks_for_its_subject(issuer, tokens, claims, algorithm):
    issuer.add("mine", algorithm)
    known = await tokens.authenticate(issuer.sign("mine", claims()), tenant="acme")

    assert (known.tenant, known.role, known.user, known.agent) == ("acme", "user", "ann", None)
    assert known.id == "jwt:ann"
    assert issuer.asked == ["/keys"]


async def test_claims_name_tenant_role_and_agent(issuer, tokens, claims):
    given = claims(pinyon_tenant="globex", pinyon_role="agent", pinyon_agent="app")
    known = await tokens.authenticate(issuer.sign("one", given), tenant="acme")

    assert (known.tenant, known.role, known.user, known.agent) == ("globex", "agent", "ann", "app")


@pytest.mark.parametrize(
    ("role", "user"),
    [("user", "ann"), ("agent", "ann"), ("admin", "ann"), ("service", None), ("auditor", None)],
)
async def test_the_subject_is_the_user_where_the_role_has_one(issuer, tokens, claims, role, user):
    known = await tokens.authenticate(issuer.sign("one", claims(pinyon_role=role)), tenant="acme")

    assert (known.role, known.user, known.id) == (role, user, "jwt:ann")


async def test_the_journal_can_tell_the_subject_from_what_follows(issuer, tokens, claims):
    known = await tokens.authenticate(issuer.sign("one", claims(sub="ann via 7/é%")), tenant="x")

    assert known.user == "ann via 7/é%"
    assert known.id == "jwt:ann%20via%207%2Fé%25"


async def test_one_of_several_audiences_is_enough(issuer, tokens, claims):
    token = issuer.sign("one", claims(aud=["other", AUDIENCE]))

    assert (await tokens.authenticate(token, tenant="acme")).user == "ann"


async def test_an_authenticator_knows_keys_and_tokens(issuer, tokens, claims, store, clock):
    keyring = Keyring(store.keys, clock=clock, new_uuid=counting_ids())
    authenticator = Authenticator(keyring, tokens, "acme")
    _, shown = await keyring.create(Holder(tenant="acme", role="user", user="bob"))
    token = issuer.sign("one", claims())

    assert (await authenticator.caller(f"Bearer {shown}")).principal.user == "bob"
    caller = await authenticator.caller(f"Bearer {token}")
    assert (caller.tenant, caller.principal.user, caller.credential_id) == (
        "acme",
        "ann",
        "jwt:ann",
    )
    with pytest.raises(NotAllowed):
        await authenticator.caller(f"Bearer {token}", user="bob")
    service = issuer.sign("one", claims(sub="backend", pinyon_role="service"))
    caller = await authenticator.caller(f"Bearer {service}", user="bob")
    assert caller.principal.by("rest").name == "acme/user/bob via jwt:backend"


# ── who is not ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "keys",
    "A token is refused that has run out, is for somebody else, of another issuer, or lacks what "
    "it must say.",
)
@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://login.example.org/"}, {"iss": NAME[:-1]}, {"iss": None}, {"iss": [NAME]},
        {"aud": "other"}, {"aud": None}, {"aud": []}, {"aud": "pin"},
        {"sub": None}, {"sub": 7}, {"sub": ""}, {"sub": "a\nb"}, {"sub": "x" * 201},
        {"exp": None}, {"exp": "9999999999"}, {"exp": True}, {"exp": float("nan")}, {"exp": 0},
        {"exp": float("inf")}, {"exp": -(10**400)}, {"nbf": 10**400}, {"iat": "now"},
        {"nbf": 9_999_999_999}, {"iat": 9_999_999_999}, {"nbf": [1]},
        {"pinyon_role": "root"}, {"pinyon_role": ""}, {"pinyon_role": ["admin"]},
        {"pinyon_role": {"admin": 1}}, {"pinyon_tenant": ""}, {"pinyon_tenant": 7},
        {"pinyon_agent": " "}, {"pinyon_role": "admin", "pinyon_agent": "app"},
    ],
    ids=str,
)  # fmt: skip
async def test_a_token_whose_claims_are_wrong_is_refused(issuer, tokens, claims, wrong):
    await refused(tokens, issuer.sign("one", claims(**wrong)))


async def test_a_token_without_a_tenant_that_says_so_is_refused(issuer, tokens, claims):
    await refused(tokens, issuer.sign("one", {**claims(), "pinyon_tenant": None}))


async def test_times_are_held_against_our_clock_with_a_little_leeway(issuer, tokens, claims, clock):
    now_s = clock.now_us() // 1_000_000
    for good in ({"exp": now_s - LEEWAY_S + 1}, {"nbf": now_s + LEEWAY_S}, {"iat": now_s + 30.0}):
        await tokens.authenticate(issuer.sign("one", claims(**good)), tenant="acme")
    for bad in ({"exp": now_s - LEEWAY_S}, {"nbf": now_s + LEEWAY_S + 1}):
        await refused(tokens, issuer.sign("one", claims(**bad)))

    token = issuer.sign("one", claims())
    clock.forward(60 + LEEWAY_S)
    await refused(tokens, token)


@pytest.mark.promise(
    "keys",
    "A token without a signature, or signed with what everybody can know of a key, is refused.",
)
async def test_no_token_chooses_how_it_is_checked(issuer, tokens, claims):
    issuer.add("rsa", "RS256")
    body = part(claims())
    unsigned = part({"alg": "none", "kid": "rsa"}) + "." + body + "."
    confused = part({"alg": "HS256", "kid": "rsa"}) + "." + body
    public = issuer.private["rsa"][1].public_key()
    shapes = [
        public.public_bytes(serialization.Encoding.PEM, form)
        for form in (
            serialization.PublicFormat.SubjectPublicKeyInfo,
            serialization.PublicFormat.PKCS1,
        )
    ]
    shapes.append(json.dumps(issuer.listed[-1]).encode())

    await refused(tokens, unsigned)
    await refused(tokens, part({"alg": "NONE", "kid": "rsa"}) + "." + body + ".")
    for secret in shapes:
        signature = hmac.digest(secret, confused.encode(), hashlib.sha256)
        await refused(tokens, f"{confused}.{part(signature)}")


async def test_a_key_is_used_for_its_own_algorithm_only(issuer, tokens, claims):
    issuer.add("rsa", "RS256")
    for algorithm in ("RS384", "RS512", "PS256"):
        key = issuer.private["rsa"][1]
        await refused(tokens, jwt.encode(claims(), key, algorithm, headers={"kid": "rsa"}))
    # A token of one key that names another, of another kind.
    for kid, other in (("one", "rsa"), ("rsa", "one")):
        algorithm, key = issuer.private[kid]
        await refused(tokens, jwt.encode(claims(), key, algorithm, headers={"kid": other}))


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_a_token_of_which_a_part_was_changed_is_refused(issuer, tokens, claims, place):
    token = issuer.sign("one", claims())
    parts = token.split(".")
    other = issuer.sign("one", claims(sub="bob")).split(".")
    parts[place] = part({"alg": "ES256", "kid": "two"}) if place == 0 else other[place]

    await refused(tokens, ".".join(parts))
    await refused(tokens, ".".join(token.split(".")[:place]))


@pytest.mark.parametrize(
    "header",
    [{"kid": None}, {"kid": 7}, {"kid": ""}, {"crit": ["exp"]}, {"kid": "two"}, {"alg": ["ES256"]}],
    ids=str,
)
async def test_a_header_that_says_something_else_is_refused(issuer, tokens, claims, header):
    _, key = issuer.private["one"]
    said = {"alg": "ES256", "kid": "one", **header}
    signed = jwt.encode(claims(), key, "ES256").split(".")

    await refused(tokens, ".".join((part(said), *signed[1:])))


@pytest.mark.parametrize("address", ["jku", "x5u"])
async def test_no_key_is_taken_from_where_a_token_says(issuer, tokens, claims, address):
    forger = Issuer()
    forger.add("one")
    more = {address: f"{forger.url}/keys", "jwk": forger.listed[0]}
    await refused(tokens, forger.sign("one", claims(), **more))
    forger.close()

    assert forger.asked == []


@pytest.mark.parametrize(
    "token",
    ["", ".", "..", "a.b.c", "é", "eyJhbGciOiJFUzI1NiJ9", "x" * 20_000, part({"kid": "one"}) + "..",
     part([]) + "..", part(b"[" * 9_000) + "..", part(b"\xff") + ".e30.e30"],
    ids=lambda token: token[:20],
)  # fmt: skip
async def test_what_is_no_token_is_refused_and_asks_nobody(issuer, tokens, token):
    await refused(tokens, token)

    assert issuer.asked == []


# ── which keys are taken ─────────────────────────────────────────────────────────────────────────


async def test_a_weak_key_or_one_for_something_else_is_passed_over(issuer, tokens, claims):
    weak = rsa.generate_private_key(65537, 1024)  # noqa: S505 - to be refused
    curve = ec.generate_private_key(ec.SECP384R1())
    issuer.add("weak", "RS256", weak)
    issuer.add("curve", "ES256", curve)
    issuer.add("sealing", use="enc")
    issuer.add("other", alg="ES384")
    issuer.listed += [{"kty": "oct", "k": "c2VjcmV0", "kid": "one"}, {"kid": "x"}, "no key", {}]
    issuer.listed.append({"kty": "EC", "kid": "half", "crv": "P-256", "x": "!", "alg": "ES256"})

    assert (await tokens.authenticate(issuer.sign("one", claims()), tenant="x")).user == "ann"
    for kid in ("sealing", "other"):
        await refused(tokens, issuer.sign(kid, claims()))
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        token = issuer.sign("weak", claims())
    await refused(tokens, token)


async def test_a_private_key_that_an_issuer_lets_slip_is_not_used(issuer, tokens, claims):
    slipped = json.loads(MAKERS["ES256"][1].to_jwk(issuer.private["one"][1]))
    issuer.listed = [{**slipped, "kid": "one"}]

    await refused(tokens, issuer.sign("one", claims()))


async def test_a_key_need_not_say_what_it_is_for(issuer, tokens, claims):
    del issuer.listed[0]["alg"], issuer.listed[0]["use"]

    assert (await tokens.authenticate(issuer.sign("one", claims()), tenant="x")).user == "ann"


# ── fetching ─────────────────────────────────────────────────────────────────────────────────────


async def test_keys_are_fetched_once_and_kept_for_a_while(issuer, tokens, claims, seconds):
    for _ in range(3):
        await tokens.authenticate(issuer.sign("one", claims()), tenant="x")
    assert len(issuer.asked) == 1

    seconds.now += KEPT_S
    await tokens.authenticate(issuer.sign("one", claims()), tenant="x")
    assert len(issuer.asked) == 2


async def test_many_that_come_at_once_ask_once(issuer, tokens, claims):
    token = issuer.sign("one", claims())
    async with anyio.create_task_group() as group:
        for _ in range(16):
            group.start_soon(lambda: tokens.authenticate(token, tenant="x"))

    assert len(issuer.asked) == 1


async def test_a_key_that_came_since_is_fetched(issuer, tokens, claims, seconds):
    await tokens.authenticate(issuer.sign("one", claims()), tenant="x")
    issuer.add("two")
    seconds.now += PAUSE_S

    assert (await tokens.authenticate(issuer.sign("two", claims()), tenant="x")).user == "ann"
    assert len(issuer.asked) == 2


async def test_an_unknown_key_asks_the_issuer_now_and_then_only(issuer, tokens, claims, seconds):
    await tokens.authenticate(issuer.sign("one", claims()), tenant="x")
    issuer.add("two")
    issuer.drop("two")
    for _ in range(5):
        await refused(tokens, issuer.sign("two", claims()))
    assert len(issuer.asked) == 1

    seconds.now += PAUSE_S
    for _ in range(5):
        await refused(tokens, issuer.sign("two", claims()))
    assert len(issuer.asked) == 2


async def test_a_key_that_was_withdrawn_opens_nothing_once_the_rest_is_fetched(
    issuer, tokens, claims, seconds
):
    token = issuer.sign("one", claims(exp=9_999_999_999))
    await tokens.authenticate(token, tenant="x")
    issuer.add("two")
    issuer.drop("one")
    seconds.now += KEPT_S

    await refused(tokens, token)


DOWN = {
    "an error": {"status": 500},
    "not found": {"status": 404},
    "a redirect": {"status": 302, "headers": {"Location": "/other"}},
    "no JSON": {"body": b"<html>"},
    "no set": {"body": b"[]"},
    "no list": {"body": b'{"keys": 7}'},
    "nested": {"body": b"[" * 100_000},
    "not UTF-8": {"body": b"\xff\xfe\xfd"},
    "too much": {"body": b" " * (access_tokens.ANSWER_BYTES_MAX + 1)},
}


@pytest.mark.promise("keys", "While the issuer's keys cannot be fetched no token is accepted.")
@pytest.mark.parametrize("state", DOWN.values(), ids=DOWN)
async def test_while_the_issuer_gives_no_keys_no_token_is_accepted(
    issuer, tokens, claims, seconds, state
):
    for name, value in state.items():
        setattr(issuer, name, value)
    token = issuer.sign("one", claims())
    for _ in range(3):
        with pytest.raises(IssuerUnavailable):
            await tokens.authenticate(token, tenant="x")
    assert issuer.asked == ["/keys"]

    issuer.status, issuer.body, issuer.headers = 200, None, {}
    seconds.now += PAUSE_S
    assert (await tokens.authenticate(token, tenant="x")).user == "ann"


async def test_an_issuer_that_is_gone_lets_nobody_in_but_keys(
    issuer, tokens, claims, seconds, store, clock
):
    keyring = Keyring(store.keys, clock=clock, new_uuid=counting_ids())
    authenticator = Authenticator(keyring, tokens, "acme")
    _, shown = await keyring.create(Holder(tenant="acme", role="user", user="bob"))
    token = issuer.sign("one", claims())
    await authenticator.caller(f"Bearer {token}")
    issuer.close()
    await authenticator.caller(f"Bearer {token}")
    seconds.now += KEPT_S

    with pytest.raises(IssuerUnavailable) as raised:
        await authenticator.caller(f"Bearer {token}")
    assert (raised.value.http_status, raised.value.exit_code) == (503, 8)
    assert token not in str(raised.value)
    assert (await authenticator.caller(f"Bearer {shown}")).principal.user == "bob"


async def test_an_issuer_that_is_slow_is_waited_for_only_so_long(clock, monkeypatch):
    monkeypatch.setattr(access_tokens, "TIMEOUT_S", 0.05)
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610 - no Django
        tokens = Tokens(NAME, AUDIENCE, f"http://127.0.0.1:{port}/", clock=clock)
        silent = part({"alg": "ES256", "kid": "one"}) + ".e30.e30"

        with pytest.raises(IssuerUnavailable, match="no answer within"):
            await tokens.authenticate(silent, tenant="x")


async def test_who_goes_away_while_keys_are_fetched_spoils_it_for_nobody(issuer, tokens, claims):
    token = issuer.sign("one", claims())
    issuer.pause_s = 0.5
    with anyio.move_on_after(0.1) as scope:
        await tokens.authenticate(token, tenant="x")
    issuer.pause_s = 0.0

    assert scope.cancelled_caught
    assert issuer.asked == ["/keys"]
    assert (await tokens.authenticate(token, tenant="x")).user == "ann"


# ── settings ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "address",
    ["http://login.example.com/keys", "ftp://127.0.0.1/keys", "/keys", "https://", "http://[::1",
     "http://localhost.example.com/", "http://127.0.0.1.example.com/", "file:///etc/passwd",
     "http://127.0.0.1@example.com/"],
)  # fmt: skip
def test_an_address_that_others_can_read_along_is_refused(clock, address):
    with pytest.raises(InvalidSetting, match="PINYON_JWT_JWKS_URL"):
        Tokens(NAME, AUDIENCE, address, clock=clock)


@pytest.mark.parametrize("address", ["https://a.example/k", "http://[::1]:8/", "http://localhost/"])
def test_an_address_is_of_https_or_of_this_machine(clock, address):
    assert Tokens(NAME, AUDIENCE, address, clock=clock)


def test_an_issuer_without_an_audience_is_refused(clock):
    with pytest.raises(InvalidSetting, match="PINYON_JWT_AUDIENCE"):
        Tokens(NAME, "", clock=clock)


def test_an_issuer_without_what_checks_tokens_is_refused_at_the_start(clock, monkeypatch):
    monkeypatch.setattr(access_tokens, "find_spec", lambda name: None if name == "jwt" else name)

    with pytest.raises(InvalidSetting, match=r"pip install 'pinyon\[server\]'"):
        Tokens(NAME, AUDIENCE, clock=clock)


async def test_the_settings_say_whose_tokens_are_taken(issuer, claims, clock, store, tmp_path):
    off = read_settings({}, home=tmp_path)
    on = read_settings(
        {"PINYON_JWT_ISSUER": issuer.url + "/", "PINYON_JWT_AUDIENCE": AUDIENCE}, home=tmp_path
    )
    token = issuer.sign("one", claims(iss=issuer.url + "/"))

    assert tokens_of(off, clock) is None
    authenticator, _ = authenticator_of(off, store, clock=clock)
    with pytest.raises(Unauthenticated):
        await authenticator.caller(f"Bearer {token}")
    authenticator, keyring = authenticator_of(on, store, clock=clock)
    assert (await authenticator.caller(f"Bearer {token}")).tenant == "default"
    assert issuer.asked == ["/.well-known/jwks.json"]
    assert isinstance(keyring, Keyring)


def test_a_described_key_is_public(issuer):
    assert "d" not in described(issuer.private["one"][1].public_key(), "ES256", "one")
