"""Any text comes in, by argument or by stdin, and comes out as it was kept."""

import pytest

ODD = {
    "Chinese": "止损线设在百分之五",
    "right to left": "הנורות לבנות בלבד",
    "joined emoji": "👩‍👩‍👧‍👦 lives here",
    "quotes": "She said \"no\" and 'maybe' \\ {}",
    "markup": "[bold]not bold[/bold] [/] <b>",
    "operators": "NEAR(a b) OR * AND -x ^y",
    "a percent sign": "100% of '; DROP TABLE memory; --",
    "a line break": "one\ntwo",
    "a tab": "one\ttwo",
    "a separator": "one\u2028two\u0085three\x0bfour",
    "composed": "caf\u00e9",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
@pytest.mark.parametrize("way", ["argument", "stdin"])
def test_a_text_comes_out_as_it_went_in(pinyon, text, way):
    given = {"stdin": text} if way == "stdin" else {}
    written = pinyon("write", "-" if way == "stdin" else text, "--json", **given).json["id"]

    assert pinyon("show", written, "--json").json["text"] == text


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_a_person_is_shown_any_text(pinyon, text):
    written = pinyon("write", text, "--json").json["id"]
    said = [
        pinyon("list"),
        pinyon("show", written),
        pinyon("history", written),
        pinyon("recall", text, "--explain"),
        pinyon("why-not", written, text),
    ]

    assert [(one.exit, one.err) for one in said] == [(0, "")] * 5


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_a_text_answers_itself(pinyon, text):
    written = pinyon("write", text, "--json").json["id"]

    assert [hit["id"] for hit in pinyon("recall", text, "--json").json["hits"]] == [written]


def test_markup_in_a_text_is_shown_and_not_obeyed(pinyon):
    pinyon("write", ODD["markup"])

    assert ODD["markup"] in pinyon("list").out
    assert ODD["markup"] in pinyon("recall", "bold").out


def test_a_composed_and_a_decomposed_text_are_one(pinyon):
    first = pinyon("write", "caf\u00e9", "--json").json
    second = pinyon("write", "cafe\u0301", "--json").json

    assert (second["id"], second["created"]) == (first["id"], False)


def test_a_nul_on_stdin_is_replaced(pinyon):
    written = pinyon("write", "-", "--json", stdin=b"a\x00b").json["id"]

    assert pinyon("show", written, "--json").json["text"] == "a\ufffdb"


def test_bytes_that_are_no_text_are_replaced_on_stdin(pinyon):
    written = pinyon("write", "-", "--json", stdin=b"caf\xe9 \xff bulbs").json["id"]

    assert pinyon("show", written, "--json").json["text"] == "caf\ufffd \ufffd bulbs"


def test_an_escaped_lone_surrogate_in_an_import_is_replaced(pinyon):
    said = pinyon("import", "-", "--json", stdin='{"text": "caf\\ud800 bulbs"}')

    assert said.json["created"] == 1
    assert pinyon("list", "--json").json["memories"][0]["text"] == "caf\ufffd bulbs"


NO_TEXT = b"caf\xe9 \xff bulbs"
NO_TEXT_COMMANDS = {
    "remember": [b"remember", NO_TEXT],
    "remember for a program": [b"remember", NO_TEXT, b"--json"],
    "write with a tag": [b"write", b"Hi", b"--tag", NO_TEXT, b"--title", NO_TEXT],
    "recall": [b"recall", NO_TEXT, b"--explain"],
    "recall for a program": [b"recall", NO_TEXT, b"--json"],
    "a user": [b"list", b"--user", NO_TEXT],
    "an id": [b"show", NO_TEXT],
    "a filter": [b"list", b"--filter", NO_TEXT],
    "a file": [b"import", NO_TEXT, b"--json"],
    "a home": [b"doctor", b"--home", b"/tmp/" + NO_TEXT, b"--json"],
}


@pytest.mark.parametrize("args", NO_TEXT_COMMANDS.values(), ids=NO_TEXT_COMMANDS)
def test_bytes_that_are_no_text_crash_nothing_as_an_argument(pinyon, args):
    said = pinyon(*args)

    assert "Traceback" not in said.err
    assert said.exit in (0, 2)


def test_bytes_that_are_no_text_crash_no_real_process(process):
    done = process(b"remember", NO_TEXT, b"--json")

    assert (done.returncode, done.stderr) == (0, b"")


def test_stdin_is_one_memory_without_its_last_line_break(pinyon):
    written = pinyon("remember", "-", "--json", stdin="one\ntwo\n").json["id"]

    assert pinyon("show", written, "--json").json["text"] == "one\ntwo"


def test_each_line_of_stdin_is_a_message(pinyon):
    said = pinyon("remember", "-", "--lines", "--json", stdin="one\n\ntwo\r\n  \nthree")

    kept = [pinyon("show", one["id"], "--json").json["text"] for one in said.json["results"]]
    assert kept == ["one", "two", "three"]


def test_only_a_line_break_ends_a_line_of_stdin(pinyon):
    said = pinyon("remember", "-", "--lines", "--json", stdin=f"{ODD['a separator']}\nfive")

    assert len(said.json["results"]) == 2


def test_lines_of_a_session_are_linked_in_their_order(pinyon):
    said = pinyon("remember", "-", "--lines", "--session", "s1", "--json", stdin="a b\nc d\ne f\n")

    ids = [one["id"] for one in said.json["results"]]
    linked = [pinyon("show", one, "--json").json["previous"] for one in ids]
    assert linked == [None, *ids[:-1]]


def test_a_key_for_many_lines_makes_a_retry_of_each(pinyon):
    for _ in range(2):
        pinyon("remember", "-", "--lines", "--key", "k1", stdin="one\ntwo\n")

    assert len(pinyon("list", "--json").json["memories"]) == 2


def test_a_megabyte_is_refused(pinyon):
    said = pinyon("remember", "-", "--json", stdin="All bulbs are white. " * 50_000)

    assert (said.exit, said.out, said.error["code"]) == (7, "", "too_large")
    assert pinyon("list", "--json").json["memories"] == []


def test_the_line_that_is_refused_is_named(pinyon):
    said = pinyon("remember", "-", "--lines", "--json", stdin="one\n" + "x" * 100_000 + "\nthree\n")

    assert (said.exit, said.error["code"]) == (7, "too_large")
    assert "line 2" in said.error["message"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--title", "Home"),
        ("--tag", "moved"),
        ("--keyword", "city"),
        ("--category", "home"),
        ("--importance", "0.9"),
        ("--confidence", "0.3"),
        ("--pinned", None),
        ("--expires", "2030-01-01T00:00:00+00:00"),
    ],
)
def test_a_history_shows_what_an_edit_changed(pinyon, option, value):
    fact = pinyon("write", "Sarah lives in Bristol", "--json").json["id"]
    pinyon("edit", fact, option, *([] if value is None else [value]))

    shown = pinyon("history", fact).out

    assert value is None or value in shown
    assert "yes" in shown or value is not None
