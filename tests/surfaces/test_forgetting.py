"""What is forgotten is gone; what would be is shown; and nothing goes that nobody meant."""

import json

import pytest

import pinyon as package

NEVER = "mem_" + "0" * 32
BULBS = "Since the power cut my bulbs only show white."
DOG = "My dog chews sensor cables."
FACT = "Sarah has a dog named Rex"
SAME = "Sarah's dog is named Rex"
ODD = "The spare key lies under the fern"


@pytest.fixture
def said(pinyon):
    """A message that says two things."""
    march = ("--session", "march", "--at", "2026-03-02T09:00:00+00:00")
    return pinyon("remember", f"{BULBS} {DOG}", *march, "--json").json["id"]


@pytest.fixture
def reply(pinyon, said):
    options = ("--role", "assistant", "--session", "march")
    return pinyon("remember", "Put them up higher", *options, "--json").json["id"]


@pytest.fixture
def fact(pinyon, said):
    """A fact that rests on one of them alone."""
    return pinyon("write", DOG, "--supports", said, "--json").json["id"]


@pytest.fixture
def odd(pinyon):
    """A fact that nothing else is like."""
    return pinyon("write", ODD, "--json").json["id"]


@pytest.fixture
def texts(pinyon):
    """Return what is remembered."""

    def call(*options, **environ):
        listed = pinyon("list", *options, "--json", **environ).json["memories"]
        return {memory["text"] for memory in listed}

    return call


@pytest.fixture
def holds(home):
    """Return whether any file of the home holds a text."""

    def call(text):
        return any(text.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())

    return call


# ── by id ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "by id",
    "`show`, `history`, `why-not` and `undo` know it no more, `recall` and `export` leave "
    "it out, and no file of the home holds its words.",
)
def test_what_is_forgotten_is_gone_from_every_command_and_file(pinyon, odd, holds):
    assert holds("under the fern")
    told = pinyon("forget", odd, "--json")

    assert told.json["receipt"]["complete"]
    assert not holds("under the fern")
    for command in (["show", odd], ["history", odd], ["why-not", odd, "the key?"], ["undo", odd]):
        assert pinyon(*command, "--json").error["code"] == "not_found"
    assert pinyon("recall", "where is the spare key?", "--json").json["hits"] == []
    assert odd not in pinyon("export").out
    assert pinyon("verify", "--json").json["ok"]


@pytest.mark.promise(
    "receipts",
    "A receipt has ids and counts, and none of the words.",
)
def test_the_receipt_names_ids_and_counts_and_never_a_word(pinyon, said, fact):
    told = pinyon("forget", fact, "--json")

    receipt = told.json["receipt"]
    assert (receipt["ids"], receipt["masked"]) == ([fact], [said])
    assert receipt["counts"] == {"memories": 1, "events": 0, "masked": 1, "copies": 0}
    assert "dog" not in told.out


def test_the_words_that_said_it_are_covered_and_the_others_stay(pinyon, texts, fact, holds):
    pinyon("forget", fact)

    assert texts() == {f"{BULBS} {'█' * len(DOG)}"}
    assert not holds("sensor cables")


def test_what_rests_on_it_alone_goes_with_it(pinyon, texts, said, fact):
    told = pinyon("forget", said, "--json").json

    assert set(told["receipt"]["ids"]) == {said, fact}
    assert texts() == set()


def test_several_are_forgotten_at_once_under_one_receipt(pinyon, texts, said, reply, odd):
    told = pinyon("forget", odd, reply, "--json").json

    assert set(told["receipt"]["ids"]) == {odd, reply}
    assert texts() == {f"{BULBS} {DOG}"}


def test_a_wrong_id_among_right_ones_forgets_nothing(pinyon, texts, odd):
    told = pinyon("forget", odd, NEVER, "--json")

    assert (told.exit, told.out, told.error["code"]) == (5, "", "not_found")
    assert texts() == {ODD}


def test_what_is_anothers_is_told_as_what_never_was(pinyon, texts, odd):
    of_another = pinyon("forget", odd, "--json", user="bob")
    of_nobody = pinyon("forget", NEVER, "--json", user="bob")

    assert of_another.exit == of_nobody.exit == 5
    assert of_another.error["message"].replace(odd, NEVER) == of_nobody.error["message"]
    assert texts() == {ODD}


def test_forgetting_it_again_finds_nothing(pinyon, odd):
    pinyon("forget", odd)

    assert pinyon("forget", odd).exit == 5


def test_a_person_is_told_how_much_went(pinyon, fact):
    told = pinyon("forget", fact)

    assert (told.exit, told.err) == (0, "")
    assert "forgotten: 1 memory, 1 message covered in part" in told.out


@pytest.mark.promise(
    "by id",
    "What it had superseded stays history: nothing becomes true because something was forgotten.",
)
def test_nothing_becomes_true_because_what_replaced_it_is_forgotten(pinyon, odd):
    new = pinyon("write", "The key lies in the shed", "--supersedes", odd, "--json").json["id"]
    pinyon("forget", new)

    assert pinyon("show", odd, "--json").json["status"] == "superseded"
    assert pinyon("recall", "where is the key?", "--json").json["hits"] == []


# ── by session, document, everything ─────────────────────────────────────────────────────────────


def test_a_session_is_forgotten_with_its_log(pinyon, texts, said, reply, odd):
    told = pinyon("forget", "--session", "march", "--json").json

    assert set(told["receipt"]["ids"]) == {said, reply}
    assert texts() == {ODD}
    assert reply not in pinyon("export").out


@pytest.mark.promise(
    "document",
    "Every entry of a document goes, in the space that is named; other documents stay.",
)
def test_a_document_is_forgotten_in_its_space(pinyon, texts):
    rows = [
        {"text": f"Page {name} of it", "kind": "catalog", "document": document}
        for name, document in (("one", "manual.md"), ("two", "manual.md"), ("odd", "other.md"))
    ]
    stdin = "".join(json.dumps(row) + "\n" for row in rows)
    pinyon("import", "-", "--scope", "shared", stdin=stdin)
    elsewhere = pinyon("forget", "--document", "manual.md", "--json").json
    told = pinyon("forget", "--document", "manual.md", "--scope", "shared", "--json").json

    assert elsewhere["receipt"] is None
    assert told["receipt"]["counts"]["memories"] == 2
    assert texts("--scope", "shared") == {"Page odd of it"}


def test_all_of_it_is_forgotten_the_agents_notes_too_and_nobody_elses(pinyon, texts, odd, holds):
    pinyon("write", "She prefers short answers", "--scope", "agent", "--agent", "helper")
    pinyon("publish", odd, "--project", "lumio")
    pinyon("write", "The cat is called Tom", user="bob")
    told = pinyon("forget", "--all", "--yes", "--json").json

    assert told["receipt"]["counts"] == {"memories": 2, "events": 0, "spaces": 2}
    assert told["receipt"]["complete"]
    assert texts() == texts("--scope", "agent", "--agent", "helper") == set()
    assert texts("--scope", "project", "--project", "lumio") == set()
    assert texts(user="bob") == {"The cat is called Tom"}
    assert not (holds("under the fern") or holds("short answers"))


def test_all_of_it_needs_a_yes_where_nobody_can_be_asked(pinyon, texts, odd):
    told = pinyon("forget", "--all", "--json")

    assert (told.exit, told.out, told.error["code"]) == (2, "", "bad_input")
    assert "--yes" in told.error["message"]
    assert "--dry-run" in told.error["message"]
    assert texts() == {ODD}


def test_the_user_may_begin_anew(pinyon, texts, odd):
    pinyon("forget", "--all", "--yes")
    pinyon("write", ODD)

    assert texts() == {ODD}
    assert pinyon("verify", "--json").json["ok"]


@pytest.mark.parametrize(
    "what", [["--session", "no-such"], ["--document", "no-such"], ["--query", "tax"]], ids=" ".join
)
def test_where_there_is_nothing_nothing_is_forgotten(pinyon, odd, what):
    told = pinyon("forget", *what, "--json")
    shown = pinyon("forget", *what)

    assert (told.exit, told.json["receipt"], told.json["candidates"]) == (0, None, [])
    assert shown.out == "There is nothing to forget.\n"
    assert pinyon("receipts", "--json").json == {"receipts": []}


@pytest.mark.parametrize(
    "what",
    [
        [],
        [NEVER, "--session", "march"],
        ["--session", "march", "--query", "dog"],
        ["--all", "--yes", "--document", "manual.md"],
        ["--session", ""],
        ["--document", ""],
        ["--query", ""],
        ["key"],
    ],
    ids=" ".join,
)
def test_one_thing_is_to_be_named(pinyon, texts, odd, what):
    told = pinyon("forget", *what, "--json")

    assert (told.exit, told.out) == (2, "")
    assert texts() == {ODD}


def test_whoever_names_two_things_is_told_which(pinyon):
    told = pinyon("forget", "--session", "march", "--query", "dog")

    assert "'query and session'" in told.err


# ── by what it says ──────────────────────────────────────────────────────────────────────────────


def test_what_several_say_is_not_forgotten_but_shown(pinyon, texts):
    for text in (FACT, SAME):
        pinyon("write", text)
    told = pinyon("forget", "--query", "dog named Rex", "--yes", "--json").json

    assert (told["receipt"], told["meant"]) == (None, None)
    assert {hit["text"] for hit in told["candidates"]} == {FACT, SAME} == texts()


def test_a_person_is_shown_what_several_say_with_their_ids(pinyon):
    ids = [pinyon("write", text, "--json").json["id"] for text in (FACT, SAME)]
    told = pinyon("forget", "--query", "dog named Rex", "--yes")

    assert told.exit == 0
    assert "Nothing was forgotten." in told.out
    assert all(one in told.out for one in ids)
    assert "pinyon forget ID" in told.out


def test_what_one_alone_says_is_not_forgotten_without_a_yes(pinyon, texts, odd):
    told = pinyon("forget", "--query", "spare key", "--json").json

    assert (told["receipt"], told["meant"]) == (None, odd)
    assert [hit["id"] for hit in told["candidates"]] == [odd]
    assert "With --yes it is forgotten." in pinyon("forget", "--query", "spare key").out
    assert texts() == {ODD}


def test_what_one_alone_says_is_forgotten_with_a_yes(pinyon, texts, odd):
    told = pinyon("forget", "--query", "spare key", "--yes", "--json").json

    assert told["receipt"]["ids"] == [odd]
    assert texts() == set()


def test_a_word_that_it_does_not_hold_makes_it_unclear(pinyon, texts, odd):
    told = pinyon("forget", "--query", "spare key of the shed", "--yes", "--json").json

    assert (told["receipt"], told["meant"]) == (None, None)
    assert texts() == {ODD}


def test_what_it_says_is_looked_for_in_one_space(pinyon, texts):
    pinyon("write", ODD, "--scope", "shared")
    in_ones_own = pinyon("forget", "--query", ODD, "--yes", "--json").json
    in_all = texts("--scope", "shared")
    in_shared = pinyon("forget", "--query", ODD, "--scope", "shared", "--yes", "--json").json

    assert (in_ones_own["receipt"], in_ones_own["candidates"], in_all) == (None, [], {ODD})
    assert in_shared["receipt"]["counts"]["memories"] == 1
    assert texts("--scope", "shared") == set()


def test_the_exact_words_are_clear_whatever_else_is_like_them(pinyon, texts):
    for text in (FACT, SAME):
        pinyon("write", text)
    pinyon("forget", "--query", FACT, "--yes")

    assert texts() == {SAME}


# ── what would go ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "by id",
    "A dry run shows what would go, what would be covered, and what says the same and would "
    "stay; and it changes nothing.",
)
@pytest.mark.parametrize(
    "what",
    [["ID"], ["--session", "march"], ["--query", DOG], ["--all"], ["--all", "--yes"]],
    ids=" ".join,
)
def test_a_dry_run_changes_nothing(pinyon, reply, fact, what):
    before = pinyon("export").out
    named = [fact if word == "ID" else word for word in what]
    told = pinyon("forget", *named, "--dry-run", "--json")

    assert (told.exit, told.json["receipt"]) == (0, None)
    assert pinyon("export").out == before
    assert pinyon("receipts", "--json").json == {"receipts": []}


@pytest.mark.promise(
    "by id",
    "A dry run shows what would go, what would be covered, and what says the same and would "
    "stay; and it changes nothing.",
)
def test_a_dry_run_shows_what_would_go_be_covered_and_stay(pinyon, said, fact):
    like = pinyon("write", "Rex the dog chews sensor cables", "--json").json["id"]
    preview = pinyon("forget", fact, "--dry-run", "--json").json["preview"]

    assert [one["id"] for one in preview["gone"]] == [fact]
    assert [(one["id"], one["text"]) for one in preview["masked"]] == [
        (said, f"{BULBS} {'█' * len(DOG)}")
    ]
    assert [one["id"] for one in preview["same"]] == [like]


def test_a_dry_run_counts_the_log(pinyon, reply):
    preview = pinyon("forget", "--session", "march", "--dry-run", "--json").json["preview"]

    assert preview["events"] == 1
    assert "Also that would be erased: 1 event of the log" in (
        pinyon("forget", "--session", "march", "--dry-run").out
    )


def test_a_dry_run_of_everything_counts_it(pinyon, reply, odd):
    told = pinyon("forget", "--all", "--dry-run")

    assert "2 memories, 1 event of the log, 1 space" in told.out


# ── what is left of it ───────────────────────────────────────────────────────────────────────────


def test_receipts_are_kept_in_their_order(pinyon, said, odd):
    first = pinyon("forget", odd, "--json").json["receipt"]
    second = pinyon("forget", said, "--json").json["receipt"]

    assert pinyon("receipts", "--json").json == {"receipts": [first, second]}
    assert pinyon("receipts", "--json", user="bob").json == {"receipts": []}


def test_the_receipt_of_everything_stays_when_all_is_gone(pinyon, odd):
    receipt = pinyon("forget", "--all", "--yes", "--json").json["receipt"]

    (kept,) = pinyon("receipts", "--json").json["receipts"]
    assert (kept["id"], kept["counts"], kept["whole"]) == (receipt["id"], receipt["counts"], True)


def test_a_person_is_shown_receipts(pinyon, odd):
    before = pinyon("receipts").out
    receipt = pinyon("forget", odd, "--json").json["receipt"]
    after = pinyon("receipts").out

    assert before == "Nothing was ever forgotten here.\n"
    assert "forgotten: 1 memory" in after
    assert receipt["id"] in after


# ── what comes back ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "coming back",
    "An import into the same space leaves out what was forgotten since the file was made, "
    "and counts it.",
)
def test_an_import_leaves_out_what_was_forgotten_since_and_says_so(pinyon, texts, said, odd):
    export = pinyon("export").out
    pinyon("forget", odd)
    shown = pinyon("import", "-", stdin=export)
    told = pinyon("import", "-", "--json", stdin=export)

    assert told.json == {"created": 0, "equal": 1, "forgotten": 1, "not_wanted": 0}
    assert "1 forgotten since" in shown.out
    assert texts() == {f"{BULBS} {DOG}"}


def test_what_was_forgotten_here_may_be_imported_by_another(pinyon, texts, odd):
    export = pinyon("export").out
    pinyon("forget", odd)
    told = pinyon("import", "-", "--json", stdin=export, user="bob")

    assert told.json == {"created": 1, "equal": 0, "forgotten": 0, "not_wanted": 0}


@pytest.mark.promise(
    "coming back",
    "After forgetting by id the same message from before, and anybody's but the user's, is "
    "refused with `was_forgotten`.",
)
@pytest.mark.parametrize(
    "options",
    [["--at", "2026-03-02T09:00:00+00:00"], ["--role", "assistant"]],
    ids=["said before", "said by an agent"],
)
def test_what_was_forgotten_is_not_captured_again(pinyon, texts, odd, options):
    pinyon("forget", odd)
    told = pinyon("remember", ODD, *options, "--json")

    assert (told.exit, told.out, told.error["code"]) == (7, "", "was_forgotten")
    assert texts() == set()


@pytest.mark.parametrize("command", ["remember", "write"])
def test_what_was_forgotten_may_be_said_anew(pinyon, texts, odd, command):
    pinyon("forget", odd)
    told = pinyon(command, ODD)

    assert (told.exit, texts()) == (0, {ODD})


@pytest.fixture
def backup(pinyon, tmp_path, odd):
    """A backup of a home in which something was forgotten afterwards."""
    pinyon("write", FACT)
    pinyon("backup", tmp_path / "backup")
    return tmp_path / "backup"


@pytest.mark.promise(
    "coming back",
    "A plain restore brings back what the backup holds.",
)
def test_a_restore_brings_back_what_the_backup_holds(pinyon, texts, tmp_path, backup, odd):
    pinyon("forget", odd)
    restored = {"PINYON_HOME": str(tmp_path / "restored")}
    pinyon("restore", backup, **restored)

    assert texts(**restored) == {FACT, ODD}


@pytest.mark.promise(
    "coming back",
    "`restore --forgotten-in` leaves out what was forgotten since, one memory or all, and "
    "no database file of the restored home holds its words.",
)
@pytest.mark.parametrize("what", ["ID", "--all"])
def test_a_restore_leaves_out_what_was_forgotten_in_the_home_until_now(
    pinyon, texts, tmp_path, home, backup, odd, what
):
    pinyon("forget", odd if what == "ID" else what, "--yes")
    restored = {"PINYON_HOME": str(tmp_path / "restored")}
    told = pinyon("restore", backup, "--forgotten-in", home, "--json", **restored)

    assert told.exit == 0
    assert texts(**restored) == ({FACT} if what == "ID" else set())
    assert pinyon("verify", "--json", **restored).json["ok"]
    files = [path.read_bytes() for path in (tmp_path / "restored").rglob("*.db*")]
    assert not any(b"under the fern" in content for content in files)


def test_a_restore_is_refused_where_the_home_until_now_is_none(pinyon, tmp_path, backup, odd):
    pinyon("forget", odd)
    restored = {"PINYON_HOME": str(tmp_path / "restored")}
    pinyon("write", "Hi", PINYON_HOME=str(tmp_path / "other"))

    for wrong in ("no-such-home", "other"):
        told = pinyon("restore", backup, "--forgotten-in", tmp_path / wrong, "--json", **restored)

        assert (told.exit, told.error["code"]) == (2, "invalid_file")
        assert wrong in told.error["message"]
    assert not (tmp_path / "restored").exists()


# ── at a terminal ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("what", [["ID"], ["--all"], ["--query", "spare key"]], ids=" ".join)
def test_a_person_is_asked_and_may_say_no(at_a_terminal, texts, odd, what):
    named = [odd if word == "ID" else word for word in what]
    code, shown = at_a_terminal("forget", *named, typed="n\n")

    assert "Forget this for good?" in shown
    assert "Nothing was forgotten." in shown
    assert (code, texts()) == (130, {ODD})


@pytest.mark.parametrize("what", [["ID"], ["--all"], ["--query", "spare key"]], ids=" ".join)
def test_a_person_is_asked_and_may_say_yes(at_a_terminal, texts, odd, what):
    named = [odd if word == "ID" else word for word in what]
    code, shown = at_a_terminal("forget", *named, typed="y\n")

    assert "forgotten: 1 memory" in shown
    assert (code, texts()) == (0, set())


@pytest.mark.parametrize("what", [["--query", "the key of the shed"], ["--session", "no-such"]])
def test_a_person_is_not_asked_where_nothing_is_clear(at_a_terminal, texts, odd, what):
    code, shown = at_a_terminal("forget", *what, typed="y\n")

    assert "Forget this for good?" not in shown
    assert (code, texts()) == (0, {ODD})


def test_a_chain_closes_over_what_is_forgotten_in_its_middle(tmp_path):
    """On real files: what follows names what went before, and the other way round."""
    with package.open(tmp_path / "home", user="sarah") as memory:
        ids = []
        for city in ("Bristol", "Edinburgh", "London"):
            ids.append(memory.write(f"Sarah lives in {city}", supersedes=ids[-1:]).id)
        memory.forget(ids[1])
        first, last = memory.show(ids[0]), memory.show(ids[2])

    assert (first.links.superseded_by, last.links.supersedes) == (last.id, (first.id,))
