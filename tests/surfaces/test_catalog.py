"""A folder of documents on the command line: imported, asked, changed, and imported again."""

import json

import pytest

PAIRING = """# Pairing

## Bulbs

Screw the bulb in,
and switch it on.

## Sensors

Hold the zigbee button of the sensor
for five seconds.

## Blinds

Blinds are paired at noon,
when the motor rests.
"""
SCENES = "# Scenes\n\nA scene is a set of colours,\nkept by the hub.\n"


@pytest.fixture
def manual(tmp_path):
    folder = tmp_path / "manual"
    (folder / "more").mkdir(parents=True)
    (folder / "pairing.md").write_text(PAIRING, "utf-8")
    (folder / "more" / "scenes.md").write_text(SCENES, "utf-8")
    (folder / "plan.pdf").write_bytes(b"%PDF")
    return folder


@pytest.fixture
def ask(process):
    """Return a function that runs the program as a process and reads its JSON."""

    def run(*args):
        said = process(*map(str, args), "--json")
        assert said.returncode == 0, said.stderr.decode()
        assert said.stderr == b""
        return json.loads(said.stdout)

    return run


def ids_by_title(ask):
    listed = ask("list", "--scope", "shared", "--kind", "catalog")["memories"]
    return {memory["title"]: memory["id"] for memory in listed}


def test_a_catalog_follows_its_folder(ask, manual):
    assert ask("catalog", "import", manual) == {
        "documents": 2, "created": 4, "kept": 0, "removed": 0, "skipped": 1,
    }  # fmt: skip
    listed = ask("catalog", "list")["documents"]
    assert [(one["name"], one["chunks"]) for one in listed] == [
        ("more/scenes.md", 1),
        ("pairing.md", 3),
    ]

    (hit,) = ask("recall", "zigbee sensor")["hits"]
    assert (hit["title"], hit["document"]) == ("Pairing › Sensors", "pairing.md")
    assert [one["title"] for one in hit["neighbours"]] == ["Pairing › Bulbs", "Pairing › Blinds"]

    before = ids_by_title(ask)
    changed = PAIRING.replace("five seconds", "ten seconds")
    (manual / "pairing.md").write_text(changed, "utf-8")
    again = ask("catalog", "import", manual)
    assert (again["created"], again["kept"], again["removed"]) == (1, 3, 1)
    after = ids_by_title(ask)
    assert {title for title in after if after[title] != before[title]} == {"Pairing › Sensors"}

    (manual / "more" / "scenes.md").unlink()
    assert ask("catalog", "import", manual)["removed"] == 1
    assert ask("recall", "set of colours")["hits"] == []

    at = ask("spaces")["spaces"]
    assert ask("catalog", "import", manual) == {
        "documents": 1, "created": 0, "kept": 3, "removed": 0, "skipped": 1,
    }  # fmt: skip
    assert [one["seq"] for one in ask("spaces")["spaces"]] == [one["seq"] for one in at]
    assert ask("verify")["ok"]


def test_a_person_is_told_what_happened(pinyon, manual):
    said = pinyon("catalog", "import", manual)
    assert "✓ 2 documents: 4 new, 0 kept already, 0 removed" in said.out
    assert "skipped 1: no .md" in said.out

    assert "= 2 documents: 0 new, 4 kept already" in pinyon("catalog", "import", manual).out
    listed = pinyon("catalog", "list").out
    assert "manual" in listed
    assert "more/scenes.md" in listed


def test_an_empty_folder_and_an_empty_catalog_say_so(pinyon, tmp_path):
    (tmp_path / "empty").mkdir()

    assert "There is no document in" in pinyon("catalog", "import", tmp_path / "empty").out
    assert "pinyon catalog import DIR" in pinyon("catalog", "list").out


def test_a_neighbour_is_shown_with_explain_only(pinyon, manual):
    pinyon("catalog", "import", manual)

    assert "beside it" not in pinyon("recall", "zigbee sensor").out
    explained = pinyon("recall", "zigbee sensor", "--explain").out
    assert "beside it: Pairing › Bulbs · Screw the bulb in, and switch it on." in explained


def test_a_document_that_cannot_be_read_changes_nothing(pinyon, manual):
    (manual / "latin.md").write_bytes(b"K\xe4se")

    said = pinyon("catalog", "import", manual, "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_file")
    assert "latin.md" in said.error["message"]
    assert pinyon("catalog", "list", "--json").json == {"documents": []}


def test_a_catalog_is_shared_by_the_tenants_users_and_no_others(pinyon, manual):
    pinyon("catalog", "import", manual)

    assert len(pinyon("catalog", "list", "--json", user="tom").json["documents"]) == 2
    other = pinyon("catalog", "list", "--tenant", "globex", "--json", user="tom")
    assert other.json == {"documents": []}


def test_a_catalog_can_be_named_and_kept_to_oneself(pinyon, manual):
    mine = ("--scope", "own", "--name", "my manual")
    pinyon("catalog", "import", manual, *mine)

    listed = pinyon("catalog", "list", "--scope", "own", "--json").json["documents"]
    assert {one["imported_as"] for one in listed} == {"my manual"}
    assert pinyon("catalog", "list", "--json", user="tom").json == {"documents": []}
