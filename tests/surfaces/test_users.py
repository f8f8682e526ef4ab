"""Nobody sees what is another's, however the names are spelt."""

import pytest

LOCKER = "My locker is next to the pool"
NEVER = "mem_" + "0" * 32
STRANGERS = [
    "*",
    "%",
    "_",
    "?",
    "sarah*",
    "sara_",
    "sarah%",
    "Sarah",
    "sarah ",
    "sarah/agent/a",
    "sarah/..",
    "../sarah",
    "user/sarah",
    "sarah' OR '1'='1",
    "сarah",
    ".",
    "null",
]


@pytest.fixture
def secret(pinyon):
    return pinyon("write", LOCKER, "--json").json["id"]


@pytest.mark.promise(
    "isolation",
    "A name is never a pattern, a prefix or a path for another.",
)
@pytest.mark.parametrize("user", STRANGERS)
def test_a_name_is_never_a_pattern_for_another(pinyon, secret, user):
    listed = pinyon("list", "--user", user, "--json")
    recalled = pinyon("recall", "locker", "--user", user, "--json")
    exported = pinyon("export", "--user", user)

    assert (listed.exit, listed.json["memories"]) == (0, [])
    assert (recalled.exit, recalled.json["hits"]) == (0, [])
    assert (exported.exit, exported.out.count("\n")) == (0, 1)


@pytest.mark.parametrize("user", STRANGERS)
def test_a_user_may_be_named_so(pinyon, secret, user):
    pinyon("write", "The hub stands in the hall", "--user", user)

    listed = pinyon("list", "--user", user, "--json").json["memories"]
    assert [one["text"] for one in listed] == ["The hub stands in the hall"]
    assert [one["text"] for one in pinyon("list", "--json").json["memories"]] == [LOCKER]


@pytest.mark.parametrize("user", ["", " ", "\t", "\n", "a\nb", "a\x1bb", "x" * 201, "ü" * 101])
@pytest.mark.parametrize("command", [["list"], ["recall", "locker"], ["write", "Hi"], ["export"]])
def test_what_is_no_name_is_refused(pinyon, secret, command, user):
    said = pinyon(*command, "--user", user, "--json")

    assert (said.exit, said.out) == (2, "")
    assert said.error["code"] == "invalid_name"


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (["--tenant", "acme"], ["--tenant", "acme-corp"]),
        (["--tenant", "acme", "--user", "john_doe"], ["--tenant", "acme", "--user", "john-doe"]),
        (["--tenant", "a", "--user", "b"], ["--tenant", "a/user/b", "--user", "b"]),
        (["--agent", "a"], ["--user", "sarah/agent/a"]),
    ],
)
def test_names_that_look_alike_are_not_one(pinyon, own, other):
    scope = ["--scope", "agent"] if "--agent" in own else []
    written = pinyon("write", LOCKER, *own, *scope, "--json").json["id"]
    seen = [
        pinyon("list", *other, "--json").json["memories"],
        pinyon("recall", "locker", *other, "--json").json["hits"],
    ]

    assert seen == [[], []]
    assert pinyon("show", written, *other).exit == 5


def test_one_name_in_two_unicode_forms_is_one(pinyon):
    pinyon("write", LOCKER, "--user", "Zoe\u0308")

    assert len(pinyon("list", "--user", "Zo\u00eb", "--json").json["memories"]) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["show", "ID"],
        ["history", "ID"],
        ["edit", "ID", "--title", "Mine"],
        ["why-not", "ID", "locker"],
        ["write", "It rests on another's", "--supports", "ID"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["for a person", "for a program"])
def test_anothers_id_is_told_in_the_words_of_one_that_never_was(pinyon, secret, command, as_json):
    pinyon("write", "I am Bob", "--user", "bob")
    foreign, never = (
        pinyon(*(part.replace("ID", memory_id) for part in command), *as_json, "--user", "bob")
        for memory_id in (secret, NEVER)
    )

    assert (foreign.exit, foreign.out) == (never.exit, never.out) == (5, "")
    assert foreign.err.replace(secret, "ID") == never.err.replace(NEVER, "ID")


def test_anothers_memory_is_not_changed_by_an_edit(pinyon, secret):
    before = pinyon("show", secret, "--json").json
    pinyon("edit", secret, "--title", "Mine", "--user", "bob")

    assert pinyon("show", secret, "--json").json == before


def test_a_cursor_of_another_user_leads_to_ones_own_only(pinyon):
    for number in range(3):
        pinyon("write", f"Bulb {number} of sarah")
        pinyon("write", f"Bulb {number} of bob", "--user", "bob")
    cursor = pinyon("list", "--limit", "1", "--json").json["next_cursor"]
    listed = pinyon("list", "--cursor", cursor, "--user", "bob", "--json").json["memories"]

    assert all(one["text"].endswith("of bob") for one in listed)


def test_a_filter_cannot_name_an_owner(pinyon, secret):
    said = pinyon("list", "--filter", '{"user": "sarah"}', "--user", "bob", "--json")

    assert (said.exit, said.error["code"]) == (2, "unknown_field")


def test_metadata_cannot_name_an_owner_at_an_edit(pinyon, secret):
    said = pinyon("edit", secret, "--meta", "user_id=bob", "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_value")


def test_an_import_cannot_name_an_owner(pinyon, secret):
    exported = pinyon("export").out
    pinyon("import", "-", stdin=exported, user="bob")

    listed = pinyon("list", user="bob", **{"PINYON_USER": "bob"}).out
    assert LOCKER in listed
    assert len(pinyon("list", "--json").json["memories"]) == 1


@pytest.mark.promise(
    "isolation",
    "A row of an import that names an owner is refused; no metadata moves a memory to another.",
)
@pytest.mark.parametrize("claim", ['"space": "default/user/sarah"', '"user_id": "sarah"'])
def test_a_row_that_names_an_owner_is_refused(pinyon, secret, claim):
    said = pinyon("import", "-", "--json", stdin=f'{{"text": "Hi", {claim}}}', user="bob")

    assert (said.exit, said.error["code"]) == (2, "invalid_file")


def test_what_is_shared_is_read_by_all_of_the_tenant_and_by_nobody_else(pinyon):
    pinyon("write", "The office has a hub", "--scope", "shared")

    assert pinyon("recall", "hub", "--user", "bob", "--json").json["hits"]
    assert not pinyon("recall", "hub", "--tenant", "acme", "--json").json["hits"]


def test_a_users_name_is_taken_from_the_environment(pinyon):
    pinyon("write", LOCKER, user=None, PINYON_USER="zoe")

    assert LOCKER in pinyon("list", "--user", "zoe", user=None).out


def test_a_named_user_goes_before_the_environment(pinyon):
    pinyon("write", LOCKER, "--user", "zoe", PINYON_USER="sarah")

    assert LOCKER in pinyon("list", "--user", "zoe").out
    assert LOCKER not in pinyon("list").out


def test_a_blank_user_in_the_environment_is_none(pinyon):
    said = pinyon("list", "--json", user=None, PINYON_USER="")

    assert (said.exit, said.error["code"]) == (2, "invalid_name")


def test_a_blank_user_does_not_fall_back_to_the_environment(pinyon):
    said = pinyon("list", "--user", "", "--json", PINYON_USER="sarah")

    assert (said.exit, said.error["code"]) == (2, "invalid_name")


def test_a_home_is_taken_from_the_environment(pinyon, tmp_path):
    pinyon("write", LOCKER, PINYON_HOME=str(tmp_path / "other"))

    assert (tmp_path / "other" / "secret.key").exists()
    assert LOCKER in pinyon("list", "--home", tmp_path / "other").out
    assert LOCKER not in pinyon("list").out


def test_reading_makes_no_home(pinyon, home):
    for command in (["list"], ["recall", "Hi"], ["spaces"], ["verify"], ["doctor"], ["export"]):
        pinyon(*command)

    assert not home.exists()
