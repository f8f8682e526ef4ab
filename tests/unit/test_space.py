"""Whose memory something is: names are opaque, and no two spaces are one."""

import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.principal import Principal
from pinyon.domain.space import SEGMENT_BYTES_MAX, Space
from pinyon.errors import Forbidden, InvalidName

NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=16).filter(
    str.strip
)

SPACES = [
    Space.of_user("acme", "ann"),
    Space.of_user("acme", "Ann"),
    Space.of_user("acme", "*"),
    Space.of_user("acme", "%"),
    Space.of_user("acme", "an_"),
    Space.of_user("acme", "ann "),
    Space.of_user("acme", "john_doe"),
    Space.of_user("acme", "john-doe"),
    Space.of_user("acme-corp", "ann"),
    Space.of_user("acme", "ann/agent/a"),
    Space.of_user("acme", "ann%2Fagent%2Fa"),
    Space.of_agent("acme", "ann", "a"),
    Space.of_project("acme", "ann"),
    Space.of_user("acme/user", "ann"),
    Space.shared("acme"),
    Space.shared("acme/shared"),
]


@pytest.mark.parametrize(("one", "other"), [*combinations(SPACES, 2)], ids=str)
def test_names_that_look_alike_are_two_spaces(one, other):
    assert one != other
    assert str(one) != str(other)


@given(tenant=NAMES, user=NAMES, agent=NAMES)
def test_the_text_form_reads_back_as_the_same_space(tenant, user, agent):
    spaces = [
        Space.of_user(tenant, user),
        Space.of_agent(tenant, user, agent),
        Space.of_project(tenant, user),
        Space.shared(tenant),
    ]

    assert [Space.parse(str(space)) for space in spaces] == spaces


def test_the_text_form_is_the_path_with_its_delimiters_encoded():
    assert str(Space.of_agent("acme", "a/b %", "x")) == "acme/user/a%2Fb%20%25/agent/x"


@given(NAMES)
def test_a_name_is_the_same_in_either_normal_form(name):
    composed, decomposed = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))

    assert Space.of_user("acme", composed) == Space.of_user("acme", decomposed)


@pytest.mark.parametrize(
    "text", ["", "acme", "acme/ann", "acme/user", "acme/user/a/b", "a/user/x/agent"]
)
def test_a_text_of_another_form_is_no_space(text):
    with pytest.raises(InvalidName):
        Space.parse(text)


@pytest.mark.parametrize("user", [None, "", " ", "\t\n", "\u00a0", [], ["ann"], {"user": "ann"}, 7])
def test_a_missing_user_is_refused_and_never_everybody(user):
    with pytest.raises(InvalidName):
        Space.of_user("acme", user)


@pytest.mark.parametrize("name", ["a\x00b", "a\nb", "a\x7f", "\ud800"])
def test_a_name_with_controls_is_refused(name):
    with pytest.raises(InvalidName):
        Space.of_user("acme", name)


@pytest.mark.parametrize("name", ["a" * 201, "é" * 101, "止" * 67])
def test_a_name_of_over_200_bytes_is_refused(name):
    with pytest.raises(InvalidName):
        Space.of_user("acme", name)


@pytest.mark.parametrize("name", ["a" * 200, "é" * 100, "e\u0301" * 100, "止" * 66])
def test_a_name_of_up_to_200_bytes_is_kept_whole(name):
    kept = Space.of_user("acme", name).segments[1]

    assert kept == unicodedata.normalize("NFC", name)
    assert len(kept.encode()) <= SEGMENT_BYTES_MAX


@pytest.mark.parametrize("value", [["x" * 5_000], "x\x00" * 5_000])
def test_a_refused_name_is_not_spilt_into_the_message(value):
    with pytest.raises(InvalidName) as refused:
        Space.of_user("acme", value)

    assert len(str(refused.value)) < 300


def test_a_principal_reads_its_own_space_first_and_the_shared_one_last():
    principal = Principal.of_home(tenant="acme", user="ann", agent="a", project="p")

    assert principal.reads == (
        Space.of_user("acme", "ann"),
        Space.of_agent("acme", "ann", "a"),
        Space.of_project("acme", "p"),
        Space.shared("acme"),
    )


@pytest.mark.parametrize(
    ("scope", "space"),
    [
        ("own", Space.of_user("acme", "ann")),
        ("agent", Space.of_agent("acme", "ann", "a")),
        ("project", Space.of_project("acme", "p")),
        ("shared", Space.shared("acme")),
    ],
)
def test_a_scope_names_one_of_the_principals_spaces(scope, space):
    principal = Principal.of_home(tenant="acme", user="ann", agent="a", project="p")

    assert principal.space(scope) == space


@pytest.mark.parametrize("scope", ["agent", "project", "everybody", "", "*"])
def test_a_scope_that_a_principal_does_not_have_is_forbidden(scope):
    with pytest.raises(Forbidden):
        Principal.of_home(tenant="acme", user="ann").space(scope)


def test_a_space_that_a_principal_may_only_read_is_forbidden_as_a_scope():
    own, shared = Space.of_user("acme", "ann"), Space.shared("acme")
    reader = Principal(
        tenant="acme", user="ann", agent=None, project=None, reads=(own, shared), writes=(own,)
    )

    with pytest.raises(Forbidden):
        reader.space("shared")


@pytest.mark.parametrize(("agent", "name"), [(None, "acme/user/ann"), ("a", "acme/user/ann (a)")])
def test_the_journal_names_the_user_and_the_agent_that_acted(agent, name):
    actor = Principal.of_home(tenant="acme", user="ann", agent=agent).by("cli")

    assert (actor.name, actor.surface) == (name, "cli")


def test_a_text_form_that_is_no_utf_8_is_refused():
    with pytest.raises(InvalidName):
        Space.parse("acme/user/%FF")


def test_what_is_no_text_is_no_space():
    with pytest.raises(InvalidName, match="is no text"):
        Space.parse(7)
