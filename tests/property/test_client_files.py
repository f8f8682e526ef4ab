"""Whatever stands in a client's file: all of it stays, but for our entry."""

import json
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from pinyon.errors import InvalidFile
from pinyon.surfaces.cli.mcp_clients import json_text, toml_text
from pinyon.surfaces.cli.mcp_clients.client_file import changed
from pinyon.surfaces.cli.mcp_clients.thing import Thing

NAMES = st.sampled_from(["mcpServers", "pinyon", "id", "a", "", 'a "b"', "é"]) | st.text()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below) | st.dictionaries(NAMES, below), max_leaves=12
)
OBJECTS = st.dictionaries(NAMES, VALUES)
SERVERS = st.dictionaries(NAMES, OBJECTS)
LAYOUTS = st.sampled_from(
    [
        {},
        {"indent": 2},
        {"indent": "\t"},
        {"separators": (",", ":")},
        {"indent": 4, "ensure_ascii": False},
    ]
)
ENTRY = {"command": "/bin/pinyon", "args": ["mcp", "--user", 'Jürgen "J"']}
OURS = Thing(table="mcpServers", name="pinyon", value=ENTRY)
ASKED = Thing(table="inputs", name="pinyon-key", value={"id": "pinyon-key"}, is_item=True)

quick = settings(max_examples=100, deadline=None)


@st.composite
def documents(draw):
    document = draw(OBJECTS)
    document.pop("mcpServers", None)
    if draw(st.booleans()):
        document["mcpServers"] = draw(SERVERS)
    return document


@st.composite
def with_comments(draw, document):
    """Return a document as somebody wrote it: with comments and trailing commas."""
    said = draw(st.sampled_from(['// it\'s "so"}\n', "/* { */", "\n/* a\n b, */\n", " ", "\r\n"]))
    if isinstance(document, dict):
        items = [
            f"{said}{json.dumps(key)}{draw(st.sampled_from(['', said]))}:"
            f"{draw(with_comments(value))}"
            for key, value in document.items()
        ]
    elif isinstance(document, list):
        items = [draw(with_comments(value)) for value in document]
    else:
        return json.dumps(document)
    comma = draw(st.sampled_from(["", ","])) if items else ""
    body = f"{said},".join(items) + comma + said
    return "{" + body + "}" if isinstance(document, dict) else "[" + body + "]"


@quick
@given(documents(), LAYOUTS)
def test_all_that_a_file_says_stays_but_for_our_entry(document, layout):
    text = json.dumps(document, **layout)
    put = json_text.put(text, OURS, comments=False)

    servers = {**document.get("mcpServers", {}), "pinyon": ENTRY}
    assert json.loads(put) == {**document, "mcpServers": servers}
    assert json_text.put(put, OURS, comments=False) == put
    taken = json.loads(json_text.take(put, OURS, comments=False))
    del servers["pinyon"]
    assert taken == {**document, "mcpServers": servers}


@quick
@given(st.data())
def test_comments_stay_and_so_does_what_they_are_said_of(data):
    document = data.draw(documents())
    text = data.draw(with_comments(document))
    put = json_text.put(text, OURS, comments=True)

    assert json_text.read(text, comments=True) == document
    servers = {**document.get("mcpServers", {}), "pinyon": ENTRY}
    assert json_text.read(put, comments=True) == {**document, "mcpServers": servers}
    if "pinyon" not in document.get("mcpServers", {}):
        # What was written is there still, in its order: something stands between, nothing is gone.
        left = iter(put)
        assert all(char in left for char in text if not char.isspace())
    taken = json_text.take(put, OURS, comments=True)
    del servers["pinyon"]
    assert json_text.read(taken, comments=True) == {**document, "mcpServers": servers}


@quick
@given(documents(), st.lists(OBJECTS | SCALARS), LAYOUTS)
def test_a_list_keeps_its_items_but_for_ours(document, items, layout):
    items = [one for one in items if not isinstance(one, dict) or one.get("id") != "pinyon-key"]
    text = json.dumps({**document, "inputs": items}, **layout)
    put = json_text.put(text, ASKED, comments=False)

    assert json.loads(put)["inputs"] == [*items, ASKED.value]
    assert json_text.put(put, ASKED, comments=False) == put
    assert json.loads(json_text.take(put, ASKED, comments=False)) == {**document, "inputs": items}


@quick
@given(st.text(alphabet='{}[],:"/*\\ \n1ae') | st.text())
def test_no_text_is_taken_for_json_that_is_none(text):
    try:
        read = json_text.read(text, comments=False)
    except ValueError:
        read = None
    try:
        known = json.loads(text, parse_constant=lambda _: 1 / 0) if text.strip() else {}
    except (ValueError, ZeroDivisionError):
        known = None

    assert read == (known if isinstance(known, dict) else None)


# ── TOML ─────────────────────────────────────────────────────────────────────────────────────────

LINES = st.sampled_from(
    [
        "",
        "# said of what comes next",
        "[other]",
        "[[many]]",
        "[mcp_servers.docs]",
        "[mcp_servers.pinyon.env]",
        "[mcp_servers.pinyon]",
        'command = "old"',
        "startup_timeout_sec = 20",
        'args = [\n  "a", # one\n  ["b"],\n]',
        'A = "1"',
        'text = """\n[mcp_servers.pinyon]\n"""',
        'mcp_servers.pinyon.command = "dotted"',
        "pinyon = { command = 'inline' }",
        "[mcp_servers]",
        '["mcp_servers".pinyon]',
    ]
)
TOML = Thing(table="mcp_servers", name="pinyon", value=ENTRY)


@quick
@given(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_toml_says_all_that_it_said_or_is_refused(tmp_path_factory, lines, newline, is_ended):
    text = newline.join(lines) + newline * is_ended
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    path = tmp_path_factory.getbasetemp() / "config.toml"
    path.write_bytes(text.encode())
    try:
        change = changed(path, "toml", puts=[TOML])
    except InvalidFile:
        return
    after = tomllib.loads(change.after.decode())
    entry = after["mcp_servers"].pop("pinyon")

    assert ENTRY.items() <= entry.items()
    before = dict(said.get("mcp_servers", {}))
    before.pop("pinyon", None)
    assert after == {**said, "mcp_servers": before}
    assert toml_text.put("", TOML) == toml_text.rendered(TOML)
    again = path.with_name("again.toml")
    again.write_bytes(change.after)
    assert not changed(again, "toml", puts=[TOML]).changes
