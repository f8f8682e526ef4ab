"""What a role may do, and for whom a credential can speak."""

import pytest

from pinyon.domain.credential import RIGHTS, ROLE_RIGHTS, ROLES, ApiKey, Holder, rights_of
from pinyon.errors import InvalidName, InvalidValue
from pinyon.testing.store_contract.keys import key_of

OWN = {"memory:read", "memory:write", "memory:forget"}
WHOLE = OWN | {"memory:forget_everything", "consent:write", "audit:own"}
RUNNING = {"keys", "grants", "spaces", "jobs", "audit", "metrics"}

# By role, and whether a user is spoken for: all that is allowed.
ALLOWED = {
    ("user", True): WHOLE,
    ("user", False): set(),
    ("agent", True): OWN,
    ("agent", False): set(),
    ("service", True): WHOLE | {"act_for_others"},
    ("service", False): {"act_for_others"},
    ("admin", True): RUNNING | WHOLE,
    ("admin", False): RUNNING,
    ("auditor", True): {"audit", "receipts", "spaces", "verify"},
    ("auditor", False): {"audit", "receipts", "spaces", "verify"},
}


def test_the_table_says_something_of_every_role():
    assert {role for role, _ in ALLOWED} == set(ROLES) == set(ROLE_RIGHTS)


@pytest.mark.parametrize("right", RIGHTS)
@pytest.mark.parametrize(("role", "for_user"), ALLOWED)
def test_a_role_may_do_what_it_is_for_and_nothing_else(role, for_user, right):
    assert (right in rights_of(role, for_user=for_user)) == (right in ALLOWED[role, for_user])


def test_every_right_is_somebodys():
    assert set().union(*ALLOWED.values()) == set(RIGHTS)


@pytest.mark.parametrize("role", ["user", "agent"])
def test_a_users_and_an_agents_credential_names_the_user(role):
    assert Holder.of(role, tenant="acme", user="ann", agent="app", project="hub").user == "ann"
    with pytest.raises(InvalidValue, match="user"):
        Holder.of(role, tenant="acme")


def test_a_services_credential_names_no_user():
    assert Holder.of("service", tenant="acme", agent="app", project="hub").user is None
    with pytest.raises(InvalidValue, match="user"):
        Holder.of("service", tenant="acme", user="ann")


@pytest.mark.parametrize("role", ["admin", "auditor"])
def test_who_runs_the_place_is_no_agent(role):
    assert Holder.of(role, tenant="acme").user is None
    assert Holder.of(role, tenant="acme", user="ann", project="hub").user == "ann"
    with pytest.raises(InvalidValue, match="agent"):
        Holder.of(role, tenant="acme", user="ann", agent="app")
    with pytest.raises(InvalidValue, match="project"):
        Holder.of(role, tenant="acme", project="hub")


@pytest.mark.parametrize("role", ["root", "", "User", None, ["user"]])
def test_there_are_no_other_roles(role):
    with pytest.raises(InvalidValue, match="role"):
        Holder.of(role, tenant="acme", user="ann")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201, 7])
@pytest.mark.parametrize("what", ["tenant", "user", "agent", "project"])
def test_names_are_names(what, name):
    with pytest.raises(InvalidName, match=what):
        Holder.of("user", **{"tenant": "acme", "user": "ann", what: name})


def test_names_are_compared_after_nfc():
    assert Holder.of("user", tenant="acme", user="Ju\u0308rgen").user == "J\u00fcrgen"


def test_a_key_opens_until_it_expires_or_is_revoked():
    assert key_of().opens_at(1 << 60)
    assert key_of(expires_at_us=5).opens_at(4)
    assert not key_of(expires_at_us=5).opens_at(5)
    assert not key_of(revoked_at_us=5).opens_at(0)


def test_a_key_has_no_place_for_its_secret():
    assert not any("secret" in name or "hash" in name for name in ApiKey.__slots__)
