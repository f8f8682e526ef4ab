"""From an `Authorization` and three headers to who asks."""

import pytest

from pinyon.access.authenticating import Authenticator
from pinyon.access.keys import Keyring
from pinyon.client import MemoryClient
from pinyon.domain.credential import RIGHTS, ROLES, Credential, Holder, rights_of
from pinyon.domain.space import Space
from pinyon.errors import InvalidName, InvalidValue, NotAllowed, NotFound, Unauthenticated
from pinyon.testing.makers import counting_ids

pytestmark = pytest.mark.anyio


@pytest.fixture
def keyring(store, clock):
    return Keyring(store.keys, clock=clock, new_uuid=counting_ids())


@pytest.fixture
def authenticator(keyring):
    return Authenticator(keyring, None, "default")


@pytest.fixture
def call(keyring, authenticator):
    """Make a key for somebody and ask with it."""

    async def ask(role="user", *, headers=None, **holder):
        named = {"tenant": "acme", **({"user": "ann"} if role in ("user", "agent") else {})}
        _, shown = await keyring.create(Holder(role=role, **named | holder))
        return await authenticator.caller(f"Bearer {shown}", **(headers or {}))

    return ask


# ── the credential ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER   "])
async def test_a_key_is_sent_as_a_bearer_token(keyring, authenticator, scheme):
    key, shown = await keyring.create(Holder(tenant="acme", role="user", user="ann"))
    caller = await authenticator.caller(scheme + shown)

    assert (caller.role, caller.tenant, caller.credential_id) == ("user", "acme", key.id)
    assert (caller.principal.user, caller.principal.role) == ("ann", "user")


@pytest.mark.parametrize(
    "written",
    ["", "Bearer", "Bearer ", "Basic {}", "{}", "Bearer {} {}", "Bearer a b", "Bearer\t{}",
     "Bearer {}\n", "Bearer {}é", "Bearer eyJ.eyJ.x"],
)  # fmt: skip
async def test_what_is_no_bearer_token_is_refused(keyring, authenticator, written):
    _, shown = await keyring.create(Holder(tenant="acme", role="user", user="ann"))

    with pytest.raises(Unauthenticated) as refused:
        await authenticator.caller(written.replace("{}", shown))
    assert shown not in str(refused.value)


async def test_without_a_credential_nobody_is_let_in(authenticator):
    with pytest.raises(Unauthenticated, match="no credential"):
        await authenticator.caller(None, user="ann")


# ── the user ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_service_acts_for_the_user_that_it_names(call):
    caller = await call("service", headers={"user": "sarah", "agent": "app", "project": "hub"})
    principal = caller.principal

    assert (principal.tenant, principal.user, principal.agent) == ("acme", "sarah", "app")
    assert principal.reads[0] == Space.of_user("acme", "sarah")
    by = principal.by("rest")
    assert by.name == f"acme/user/sarah (app) via {caller.credential_id}"


@pytest.mark.promise("keys", "A service's key opens nothing unless it names a user.")
async def test_a_service_that_names_no_user_may_do_nothing_else(call):
    caller = await call("service")

    assert caller.principal is None
    assert [right for right in RIGHTS if caller.allows(right)] == ["act_for_others"]
    with pytest.raises(NotAllowed, match="Pinyon-User"):
        caller.check("memory:read")


async def test_a_service_may_name_an_agent_only_for_a_user(call):
    for header in ("agent", "project"):
        with pytest.raises(NotAllowed):
            await call("service", headers={header: "app"})


@pytest.mark.promise("keys", "No header makes a key speak for another user than its own.")
@pytest.mark.parametrize("role", sorted(set(ROLES) - {"service"}))
@pytest.mark.parametrize("named", ["bob", "Ann", "an_", "%61nn%20", "acme/user/ann"])
async def test_no_other_role_names_another_user(call, role, named):
    with pytest.raises(NotAllowed) as refused:
        await call(role, user="ann", headers={"user": named})
    assert "ann" not in str(refused.value).casefold()


@pytest.mark.parametrize("role", ["user", "agent", "admin"])
async def test_ones_own_user_may_be_named(call, role):
    caller = await call(role, user="ann", headers={"user": "%61nn"})

    assert (caller.principal.user, caller.principal.role) == ("ann", role)


@pytest.mark.parametrize("role", ["admin", "auditor"])
async def test_who_runs_the_place_and_names_nobody_is_nobody(call, role):
    caller = await call(role)

    assert caller.principal is None
    assert not any(caller.allows(right) for right in RIGHTS if right.startswith("memory"))
    with pytest.raises(NotAllowed):
        await call(role, headers={"user": "ann"})


async def test_an_auditor_is_no_user_although_the_key_names_one(call):
    caller = await call("auditor", user="ann")

    assert caller.principal is None
    with pytest.raises(NotAllowed):
        await call("auditor", user="ann", headers={"project": "hub"})


@pytest.mark.parametrize("right", RIGHTS)
@pytest.mark.parametrize(
    ("role", "user", "header"),
    [
        ("user", "ann", None),
        ("agent", "ann", None),
        ("service", None, "ann"),
        ("service", None, None),
        ("admin", "ann", None),
        ("admin", None, None),
        ("auditor", "ann", None),
        ("auditor", None, None),
    ],
)
async def test_a_caller_may_do_what_the_role_may(call, role, user, header, right):
    caller = await call(role, user=user, headers={"user": header})
    may = right in rights_of(role, for_user=role != "auditor" and bool(user or header))

    assert caller.allows(right) == may
    if may:
        caller.check(right)
    else:
        with pytest.raises(NotAllowed):
            caller.check(right)


async def test_who_may_not_is_told_what_would_help(call):
    with pytest.raises(NotAllowed, match="made for a user"):
        (await call("admin")).check("memory:read")
    with pytest.raises(NotAllowed, match="role agent may not do that"):
        (await call("agent")).check("memory:forget_everything")


# ── agents and projects ──────────────────────────────────────────────────────────────────────────


async def test_a_user_narrows_down_to_an_agent(call):
    caller = await call("user", headers={"agent": "app"})

    assert (caller.principal.agent, caller.principal.role) == ("app", "user")


@pytest.mark.parametrize("role", ["user", "agent", "service"])
async def test_a_key_for_one_agent_is_no_other(call, role):
    headers = {"user": "ann"} if role == "service" else {}
    caller = await call(role, agent="app", headers={**headers, "agent": "app"})
    assert caller.principal.agent == "app"
    assert (await call(role, agent="app", headers=headers)).principal.agent == "app"

    with pytest.raises(NotAllowed):
        await call(role, agent="app", headers={**headers, "agent": "other"})


@pytest.mark.parametrize("role", ["agent", "admin"])
async def test_who_has_no_agent_and_is_no_user_names_none(call, role):
    with pytest.raises(NotAllowed):
        await call(role, user="ann", headers={"agent": "app"})


async def test_a_key_for_one_project_is_for_no_other(call):
    caller = await call(project="hub")
    assert caller.principal.project == "hub"
    assert (await call(project="hub", headers={"project": "hub"})).principal.project == "hub"

    with pytest.raises(NotAllowed):
        await call(project="hub", headers={"project": "other"})


async def test_a_key_for_no_project_may_name_one(call):
    caller = await call("agent", headers={"project": "hub"})

    assert Space.of_project("acme", "hub") in caller.principal.reads


# ── headers ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("J%C3%BCrgen", "Jürgen"),
        ("Ju%CC%88rgen", "Jürgen"),
        ("%E6%B2%99%E6%8B%89", "沙拉"),
        ("a%2fb", "a/b"),
        ("a+b", "a+b"),
        ("100%25", "100%"),
        ("Sarah Lee", "Sarah Lee"),
    ],
)
async def test_a_header_is_percent_encoded_utf_8(call, written, name):
    caller = await call("service", headers={"user": written})

    assert caller.principal.user == name


@pytest.mark.parametrize("written", ["J\xfcrgen", "%", "%4", "%zz", "%FC", "%C3", "a\tb", "沙拉"])
@pytest.mark.parametrize("header", ["user", "agent", "project"])
async def test_what_is_not_encoded_so_is_refused(call, header, written):
    with pytest.raises(InvalidValue, match=f"Pinyon-{header.title()}"):
        await call("service", headers={"user": "ann", header: written})


@pytest.mark.parametrize("written", ["", " ", "%20", "a%00", "a%0Ab", "x" * 201, "%E2%80%83"])
@pytest.mark.parametrize("header", ["user", "agent", "project"])
async def test_a_header_that_is_there_names_something(call, header, written):
    with pytest.raises(InvalidName, match=header):
        await call("service", headers={"user": "ann", header: written})


# ── what a role leaves of a client ───────────────────────────────────────────────────────────────


@pytest.fixture
def client_for(store, clock):
    new_uuid = counting_ids(1000)
    return lambda caller: MemoryClient(
        store, caller.principal, clock=clock, new_uuid=new_uuid, owns_store=False, surface="rest"
    )


async def test_what_an_agent_writes_is_its_own_words_although_it_has_no_name(call, client_for):
    client = client_for(await call("agent"))
    fact = await client.write("Ann has a dog")
    told = await client.write("Ann has a cat", trust="user")
    said = await client.remember("I have a dog")

    trusts = [(await client.show(one.id)).trust for one in (fact, told, said)]
    assert trusts == ["agent", "user", "user"]


async def test_the_journal_says_by_which_credential_somebody_acted(call, client_for):
    caller = await call("service", headers={"user": "sarah"})
    client = client_for(caller)
    fact = await client.write("Sarah has a dog")
    (act,) = (await client.history(fact.id)).acts

    assert act.actor == f"acme/user/sarah via {caller.credential_id}"
    assert (act.surface, act.action) == ("rest", "put")


async def test_an_agent_cannot_pose_as_a_credential(client_of):
    """The key stands at the end, where no name of an agent comes."""
    posing = client_of(agent="app) via key_0")

    assert posing.principal.by("x").name.endswith(")")


async def test_acting_for_another_user_stays_under_the_same_credential(call, client_for):
    caller = await call("service", headers={"user": "sarah"})
    other = client_for(caller).acting_for("tom")

    assert other.principal.by("x").name == f"acme/user/tom via {caller.credential_id}"
    assert other.principal.role == "service"


async def test_whoever_has_a_key_sees_nobody_elses(call, client_for):
    fact = await client_for(await call(user="bob")).write("Bob has a dog")

    for role in ("user", "agent"):
        with pytest.raises(NotFound):
            await client_for(await call(role)).show(fact.id)


def test_an_embedded_client_needs_no_credential(client):
    assert client.principal.by("python").name == "acme/user/ann"
    assert client.principal.role == "user"


def test_a_credential_is_no_secret():
    credential = Credential(id="jwt:ann", tenant="acme", role="user", user="ann")

    assert not hasattr(credential, "secret")
