"""What was said and done, on the command line: kept, read again, found."""

import pytest

STEP = ("--session", "s1")


@pytest.fixture
def loop(pinyon):
    """Keep the steps of an agent, and return the id of each."""
    call = ("--role", "assistant", "--type", "tool_call", "--speaker", "ping")
    said = {
        "said": pinyon("remember", "Is the [hub] there?", *STEP, "--json"),
        "thought": pinyon("remember", "Ask it", "--role", "thought", *STEP, "--json"),
        "call": pinyon("remember", "ping hub", *call, "--message-id", "c1", *STEP, "--json"),
        "result": pinyon(
            *("remember", "exit code 7", "--role", "tool", "--parent", "c1", *STEP, "--json")
        ),
    }
    return {name: one.json["id"] for name, one in said.items()}


def test_a_conversation_is_shown_in_its_order(pinyon, loop):
    said = pinyon("events", "--session", "s1")

    places = [said.out.index(text) for text in ("[hub] there", "Ask it", "ping hub", "exit code")]
    assert places == sorted(places)
    assert said.exit == 0


def test_each_turn_is_shown_with_its_type_speaker_and_parent(pinyon, loop):
    shown = " ".join(pinyon("events", COLUMNS="200").out.split())

    assert "message user · " in shown
    assert "thought 2" in shown
    assert "tool_call ping · " in shown
    assert f"belongs to {loop['call']}" in shown


def test_a_part_tells_how_to_go_on(pinyon, loop):
    first = pinyon("events", "--limit", "3")
    cursor = pinyon("events", "--limit", "3", "--json").json["next_cursor"]
    rest = pinyon("events", "--cursor", cursor, "--json").json

    assert f"--cursor {cursor}" in first.err.replace("\n", "")
    assert [one["id"] for one in rest["events"]] == [loop["result"]]
    assert rest["next_cursor"] is None


def test_types_may_be_repeated(pinyon, loop):
    types = ("--type", "tool_call", "--type", "tool_result")
    kept = pinyon("events", *types, "--json").json["events"]

    assert [one["id"] for one in kept] == [loop["call"], loop["result"]]


def test_a_query_finds_what_happened(pinyon, loop):
    assert "exit code 7" in pinyon("events", "--query", "exit code").out
    assert "nothing here" in pinyon("events", "--query", "weather").out


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--type", "observation"), "invalid_value"),
        (("--limit", "0"), "invalid_value"),
        (("--cursor", "x"), "invalid_cursor"),
        (("--query", "hub", "--cursor", "x"), "invalid_value"),
        (("--scope", "all"), "invalid_value"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_code(pinyon, loop, args, code):
    said = pinyon("events", *args, "--json")

    assert (said.exit, said.error["code"]) == (2, code)


@pytest.mark.parametrize(
    ("args", "exit_code", "code"),
    [
        (("--type", "observation"), 2, "invalid_value"),
        (("--parent", "nowhere"), 5, "not_found"),
    ],
)
def test_a_step_that_cannot_be_kept_is_refused(pinyon, args, exit_code, code):
    said = pinyon("remember", "hello", "--role", "tool", *args, "--json")

    assert (said.exit, said.error["code"]) == (exit_code, code)


def test_recall_shows_events_below_the_hits(pinyon, loop):
    shown = pinyon("recall", "is the hub's exit code 7?", "--include-events", COLUMNS="200").out

    assert shown.index("[hub] there") < shown.index("from the event log")
    assert shown.index("from the event log") < shown.index("exit code 7")
    assert "holds “" in shown.split("from the event log")[1]


def test_recall_shows_no_events_where_none_are_asked_for(pinyon, loop):
    said = pinyon("recall", "is the hub's exit code 7?")

    assert "event log" not in said.out
    assert pinyon("recall", "exit code", "--json").json["events"] == []


def test_what_the_environment_names_becomes_a_memory(pinyon):
    remembered = {"PINYON_REMEMBERED": "user, assistant"}
    kept = pinyon("remember", "Try a reset", "--role", "assistant", "--json", **remembered)
    logged = pinyon("remember", "Try a reset", "--role", "tool", "--json", **remembered)

    assert kept.json["id"].startswith("mem_")
    assert logged.json["id"].startswith("evt_")


def test_who_shows_an_event_is_told_where_it_is(pinyon, loop):
    said = pinyon("show", loop["result"])

    assert said.exit == 2
    assert "`events` shows" in said.err
