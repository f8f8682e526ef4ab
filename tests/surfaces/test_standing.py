"""What replaces, ends and hides memories, what takes that back, and what recall makes of it."""

import pytest

NEVER = "mem_" + "0" * 32
LONG_AGO = "2024-01-01T00:00:00+00:00"
THEN = "2025-01-01T00:00:00+00:00"
MOVED = "2026-04-30T00:00:00+01:00"
WHERE = "where does Sarah live?"


@pytest.fixture
def write(pinyon):
    """Write a fact, and return its id."""

    def call(text, *options):
        return pinyon("write", text, *options, "--json").json["id"]

    return call


@pytest.fixture
def found(pinyon):
    """Return the texts that answer a question."""

    def call(question, *options, **environ):
        hits = pinyon("recall", question, *options, "--json", **environ).json["hits"]
        return [hit["text"] for hit in hits]

    return call


@pytest.fixture
def shown(pinyon):
    """Return a memory."""
    return lambda memory_id: pinyon("show", memory_id, "--json").json


@pytest.fixture
def bristol(write):
    return write("Sarah lives in Bristol", "--valid-from", LONG_AGO)


@pytest.fixture
def edinburgh(write, bristol):
    return write("Sarah lives in Edinburgh", "--supersedes", bristol, "--valid-from", MOVED)


# ── in the place of others ───────────────────────────────────────────────────────────────────────


def test_a_write_names_what_it_supersedes(pinyon, bristol):
    said = pinyon("write", "Sarah lives in Edinburgh", "--supersedes", bristol, "--json").json

    assert (said["created"], said["superseded"]) == (True, [bristol])


def test_a_person_is_told_what_a_write_supersedes(pinyon, bristol):
    said = pinyon("write", "Sarah lives in Edinburgh", "--supersedes", bristol)

    assert (said.exit, said.err) == (0, "")
    assert f"in place of {bristol}" in said.out


def test_what_was_superseded_naturally_was_true_until_then(shown, bristol, edinburgh):
    old = shown(bristol)

    assert (old["status"], old["superseded_by"]) == ("superseded", edinburgh)
    assert old["valid_until"] == "2026-04-29T23:00:00+00:00"


def test_what_was_superseded_harshly_was_never_true(pinyon, shown, bristol, write):
    new = write("Sarah never lived in Bristol", "--supersedes", bristol, "--contradiction", "harsh")

    assert (shown(bristol)["status"], shown(bristol)["valid_until"]) == ("retracted", None)
    assert (shown(new)["contradiction"], shown(new)["confidence"]) == ("harsh", 0.9)


def test_one_memory_may_supersede_several(pinyon, shown, bristol, write):
    bath = write("Sarah has a flat in Bath")
    both = ("--supersedes", bristol, "--supersedes", bath)
    said = pinyon("write", "Sarah lives in Leeds", *both, "--json").json

    assert sorted(said["superseded"]) == sorted([bristol, bath])
    assert shown(bath)["superseded_by"] == said["id"] == shown(bristol)["superseded_by"]


@pytest.mark.parametrize("order", [1, -1], ids=["wrong last", "wrong first"])
def test_a_wrong_id_among_right_ones_changes_nothing(pinyon, bristol, order):
    before = pinyon("export").out
    ids = [bristol, NEVER][::order]
    named = [word for one in ids for word in ("--supersedes", one)]
    said = pinyon("write", "Sarah lives in Leeds", *named, "--json")

    assert (said.exit, said.out, said.error["code"]) == (5, "", "not_found")
    assert NEVER in said.error["message"]
    assert pinyon("export").out == before


def test_whoever_comes_second_is_told_by_whom_it_was_superseded(pinyon, bristol, edinburgh):
    before = pinyon("export").out
    said = pinyon("write", "Sarah lives in Leeds", "--supersedes", bristol, "--json")

    assert (said.exit, said.out, said.error["code"]) == (6, "", "superseded")
    assert edinburgh in said.error["message"]
    assert pinyon("export").out == before


def test_nobody_supersedes_what_is_anothers(pinyon, bristol):
    of_another = pinyon("write", "Hi", "--supersedes", bristol, "--json", user="bob")
    of_nobody = pinyon("write", "Hi", "--supersedes", NEVER, "--json", user="bob")

    assert of_another.exit == of_nobody.exit == 5
    told = of_another.error["message"].replace(bristol, NEVER)
    assert told == of_nobody.error["message"]


def test_a_contradiction_is_natural_or_harsh(pinyon, bristol):
    options = ("--supersedes", bristol, "--contradiction", "cruel", "--json")
    said = pinyon("write", "Sarah lives in Leeds", *options)

    assert (said.exit, said.error["code"]) == (2, "invalid_value")
    assert "natural, harsh" in said.error["message"]


def test_what_may_say_otherwise_is_named_and_left_alone(pinyon, shown, bristol):
    said = pinyon("write", "Sarah lives in Leeds", "--json").json

    assert said["possible_conflicts"] == [bristol]
    assert shown(bristol)["status"] == "active"


def test_a_person_is_told_what_may_say_otherwise_and_what_to_do(pinyon, bristol):
    said = pinyon("write", "Sarah lives in Leeds")

    assert f"may say otherwise: {bristol}; --supersedes replaces it" in said.out


def test_what_is_superseded_on_purpose_is_no_conflict(pinyon, bristol):
    said = pinyon("write", "Sarah lives in Leeds", "--supersedes", bristol, "--json").json

    assert said["possible_conflicts"] == []


# ── what recall makes of it ──────────────────────────────────────────────────────────────────────


def test_recall_answers_with_what_holds(found, edinburgh):
    assert found(WHERE) == ["Sarah lives in Edinburgh"]


def test_recall_brings_what_was_superseded_where_that_is_asked_for(pinyon, bristol, edinburgh):
    hits = pinyon("recall", WHERE, "--include-superseded", "--json").json["hits"]

    assert [hit["status"] for hit in hits] == ["active", "superseded"]
    assert (hits[1]["id"], hits[1]["superseded_by"]) == (bristol, edinburgh)
    assert hits[1]["superseded_at"] is not None


def test_a_person_sees_that_a_hit_was_superseded_and_until_when_it_held(pinyon, edinburgh):
    said = pinyon("recall", WHERE, "--include-superseded", COLUMNS="200")

    assert "semantic superseded" in said.out
    assert "true until 2026-04-29 23:00" in said.out


def test_recall_tells_where_she_lived_then(found, edinburgh):
    assert found(WHERE, "--as-of", THEN) == ["Sarah lives in Bristol"]


def test_recall_does_not_tell_what_was_never_true(found, bristol, write):
    write("Sarah lives in Leeds", "--supersedes", bristol, "--contradiction", "harsh")

    assert found(WHERE, "--as-of", THEN) == []


def test_recall_tells_what_was_known_before_it_was_superseded(found, shown, bristol, edinburgh):
    before = shown(bristol)["created_at"]

    assert found(WHERE, "--known-at", before) == ["Sarah lives in Bristol"]


def test_what_was_only_said_is_outdated_with_the_fact_that_it_supports(pinyon, shown, write):
    said = pinyon("remember", "I live in Bristol", "--at", THEN, "--json").json["id"]
    old = write("Sarah lives in Bristol", "--supports", said)
    new = write("Sarah lives in Edinburgh", "--supersedes", old)

    assert shown(said)["outdated_by"] == new
    assert "episodic outdated" in pinyon("list").out


# ── retract, end, hide, release ──────────────────────────────────────────────────────────────────


def test_what_is_retracted_is_not_recalled(pinyon, found, bristol):
    said = pinyon("retract", bristol, "--json").json

    assert (said["id"], said["status"]) == (bristol, "retracted")
    assert found(WHERE) == []
    assert found(WHERE, "--as-of", THEN) == []
    assert found(WHERE, "--include-superseded") == ["Sarah lives in Bristol"]


def test_what_is_ended_was_true_until_then(pinyon, found, bristol):
    said = pinyon("end", bristol, "--at", MOVED, "--json").json

    assert (said["status"], said["valid_until"]) == ("active", "2026-04-29T23:00:00+00:00")
    assert found(WHERE) == []
    assert found(WHERE, "--as-of", THEN) == ["Sarah lives in Bristol"]


def test_what_is_ended_without_a_time_ends_now(pinyon, found, bristol):
    assert pinyon("end", bristol, "--json").json["valid_until"] is not None
    assert found(WHERE) == []


def test_what_is_hidden_is_on_a_shelf_of_its_own_until_it_is_released(pinyon, found, bristol):
    hidden = pinyon("hide", bristol, "--json").json
    found_hidden = found(WHERE, "--include-superseded")
    listed = pinyon("list", "--shelf", "hidden", "--json").json["memories"]
    released = pinyon("release", bristol, "--json").json

    assert (hidden["shelf"], hidden["status"]) == ("hidden", "active")
    assert (found_hidden, [one["id"] for one in listed]) == ([], [bristol])
    assert released["shelf"] == "open"
    assert found(WHERE) == ["Sarah lives in Bristol"]


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (["retract"], "semantic retracted"),
        (["end", "--at", MOVED], "semantic active · true until 2026-04-29 23:00"),
        (["hide"], "semantic active · hidden"),
        (["release"], "semantic active · mem_"),
    ],
    ids=["retract", "end", "hide", "release"],
)
def test_a_person_is_told_how_it_stands_now(pinyon, bristol, act, told):
    said = pinyon(act[0], bristol, *act[1:])

    assert (said.exit, said.err) == (0, "")
    assert "Sarah lives in Bristol" in said.out
    assert told in said.out


@pytest.mark.parametrize("act", ["retract", "hide", "release"])
def test_an_act_done_twice_is_done_once(pinyon, bristol, act):
    pinyon(act, bristol)
    before = pinyon("export").out

    assert pinyon(act, bristol).exit == 0
    assert pinyon("export").out == before


@pytest.mark.parametrize("act", ["retract", "end"])
def test_what_was_superseded_is_neither_retracted_nor_ended(pinyon, bristol, edinburgh, act):
    said = pinyon(act, bristol, "--json")

    assert (said.exit, said.error["code"]) == (6, "superseded")
    assert edinburgh in said.error["message"]


def test_nothing_ends_before_it_begins(pinyon, bristol):
    said = pinyon("end", bristol, "--at", "2020-01-01T00:00:00+00:00", "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_value")


@pytest.mark.parametrize(
    "act", ["retract", "end", "hide", "release", "undo", "publish", "withdraw"]
)
def test_an_act_on_what_is_anothers_is_told_as_on_what_never_was(pinyon, bristol, act):
    options = ("--project", "lumio", "--json")
    of_another = pinyon(act, bristol, *options, user="bob")
    of_nobody = pinyon(act, NEVER, *options, user="bob")

    assert of_another.exit == of_nobody.exit == 5
    assert of_another.error["message"].replace(bristol, NEVER) == of_nobody.error["message"]


def test_the_history_names_each_act(pinyon, bristol):
    for act in ("hide", "release", "retract"):
        pinyon(act, bristol)
    acts = pinyon("history", bristol, "--json").json["acts"]

    assert [act["action"] for act in acts] == ["put", "hide", "release", "retract"]


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("end", ["what was replaced", "what replaced it"])
def test_a_supersession_is_undone_by_either_end(pinyon, found, shown, bristol, edinburgh, end):
    named = bristol if end == "what was replaced" else edinburgh
    said = pinyon("undo", named, "--json").json

    assert said["id"] == named
    assert (shown(bristol)["status"], shown(bristol)["valid_until"]) == ("active", None)
    assert shown(edinburgh)["status"] == "retracted"
    assert found(WHERE) == ["Sarah lives in Bristol"]


@pytest.mark.parametrize("act", ["retract", "end", "hide"])
def test_an_act_is_undone(pinyon, found, bristol, act):
    pinyon(act, bristol)
    said = pinyon("undo", bristol, "--json").json

    assert (said["status"], said["shelf"], said["valid_until"]) == ("active", "open", None)
    assert found(WHERE) == ["Sarah lives in Bristol"]


def test_acts_are_undone_from_the_last_to_the_first(pinyon, shown, bristol):
    pinyon("end", bristol)
    pinyon("hide", bristol)

    pinyon("undo", bristol)
    assert (shown(bristol)["shelf"], shown(bristol)["valid_until"] is None) == ("open", False)
    pinyon("undo", bristol)
    assert shown(bristol)["valid_until"] is None


def test_where_nothing_was_done_there_is_nothing_to_undo(pinyon, bristol):
    said = pinyon("undo", bristol, "--json")

    assert (said.exit, said.out, said.error["code"]) == (6, "", "nothing_to_undo")


def test_what_was_superseded_since_is_undone_from_the_end_of_the_chain(
    pinyon, bristol, edinburgh, write
):
    leeds = write("Sarah lives in Leeds", "--supersedes", edinburgh)
    said = pinyon("undo", bristol, "--json")

    assert (said.exit, said.error["code"]) == (6, "nothing_to_undo")
    assert leeds in said.error["message"]


# ── publish and withdraw ─────────────────────────────────────────────────────────────────────────

PROJECT = ("--project", "lumio")
RESET = "A reset does not help white bulbs"


@pytest.fixture
def published(pinyon, write):
    fact = write(RESET)
    pinyon("publish", fact, *PROJECT)
    return fact


def test_what_is_published_is_found_by_whoever_works_on_the_project(pinyon, published):
    for project, expected in ((PROJECT, [RESET]), (("--project", "other"), []), ((), [])):
        hits = pinyon("recall", "white bulbs", *project, "--json", user="bob").json["hits"]

        assert [hit["text"] for hit in hits] == expected


def test_publishing_names_the_space_and_the_copy(pinyon, write):
    fact = write(RESET)
    said = pinyon("publish", fact, *PROJECT, "--json").json

    (copy,) = said["copies"]
    assert (said["complete"], copy["space"]) == (True, "default/project/lumio")
    of = pinyon("show", copy["id"], *PROJECT, "--json", user="bob").json
    assert of["copy_of"] == {"space": "default/user/sarah", "id": fact}
    assert pinyon("show", fact, "--json").json["copies"] == [copy]


def test_a_person_is_told_where_it_is_published(pinyon, published):
    again = pinyon("publish", published, *PROJECT)
    withdrawn = pinyon("withdraw", published, *PROJECT)
    nowhere = pinyon("withdraw", published, *PROJECT)

    assert "published in default/project/lumio" in again.out
    assert "withdrawn from default/project/lumio" in withdrawn.out
    assert (nowhere.exit, nowhere.out) == (0, "It is published nowhere.\n")


def test_without_a_project_there_is_nowhere_to_publish(pinyon, write):
    said = pinyon("publish", write(RESET), "--json")

    assert (said.exit, said.error["code"]) == (4, "forbidden")


@pytest.mark.parametrize("scope", ["project", None], ids=["from one space", "from everywhere"])
def test_what_is_withdrawn_is_gone_for_the_others_and_stays_ones_own(
    pinyon, found, published, scope
):
    named = () if scope is None else ("--scope", scope)
    said = pinyon("withdraw", published, *PROJECT, *named, "--json").json

    assert (said["complete"], len(said["copies"])) == (True, 1)
    assert pinyon("list", "--scope", "project", *PROJECT, "--json").json["memories"] == []
    assert found("white bulbs") == [RESET]


def test_a_copy_follows_what_becomes_of_its_memory(pinyon, published):
    def of_project():
        return pinyon("list", "--scope", "project", *PROJECT, "--json").json["memories"]

    pinyon("retract", published)
    assert [one["status"] for one in of_project()] == ["retracted"]
    pinyon("undo", published)
    assert [one["status"] for one in of_project()] == ["active"]
    pinyon("forget", published)
    assert of_project() == []
