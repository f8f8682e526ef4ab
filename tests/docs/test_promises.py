"""Every promise has a test, every group a promise, and a mark that says neither is refused."""

import re
from importlib import import_module

import pytest

from pinyon.stores.sqlite.lineage import TABLES

HELD_BY = re.compile(r"\[`(test_\w+)`\]\(\.\./\.\./([^)]+)\)")


@pytest.fixture
def promises(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "docs")
    return import_module("generator.promises")


@pytest.fixture
def shown(root):
    return (root / "docs" / "reference" / "promises.md").read_text("utf-8")


@pytest.fixture
def marked(promises, tmp_path, monkeypatch):
    """Return what is read of a suite that consists of one file."""

    def read(source):
        monkeypatch.setattr(promises, "ROOT", tmp_path)
        (tmp_path / "tests").mkdir()
        (tmp_path / "tests" / "test_it.py").write_text(source, "utf-8")
        return promises.read_promises()

    return read


def test_every_group_has_a_promise(promises):
    held = {promise.group for promise in promises.read_promises()}

    assert held == set(promises.GROUPS)


def test_every_test_that_is_shown_is_there(root, shown):
    named = HELD_BY.findall(shown)
    gone = [
        (name, path)
        for name, path in named
        if not re.search(rf"def {name}\(", (root / path).read_text("utf-8"))
    ]

    assert gone == []
    assert len(named) > 80


def test_every_test_that_the_security_page_names_is_there(root, promises):
    page = (root / "docs" / "explanation" / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))

    assert named - {test.name for test in promises.read_tests()} == set()
    assert len(named) > 25


def test_no_promise_rests_on_a_test_that_may_be_skipped_or_fail(promises):
    slack = [
        test.name for promise in promises.read_promises() for test in promise.tests if test.is_slack
    ]

    assert slack == []


def test_no_promise_is_made_twice(promises):
    sentences = [promise.sentence for promise in promises.read_promises()]

    assert sorted(set(sentences)) == sorted(sentences)


def test_no_two_tests_that_places_are_shown_with_have_one_name(promises):
    places = [*promises.ELSEWHERE, *(one for _, held in promises.STORES.values() for one in held)]
    names = [test.name for test in promises.read_tests()]

    assert {name: names.count(name) for place in places for name in place.tests} == {
        name: 1 for place in places for name in place.tests
    }


def test_every_table_is_shown(shown):
    for table in TABLES:
        assert f"\n| `{table.name}` | " in shown


def test_a_mark_is_read_off_functions_methods_and_modules(marked):
    contract = "test_an_erased_event_is_gone"
    found = marked(
        "pytestmark = [pytest.mark.anyio, "
        f"pytest.mark.promise('by id', 'Of a module.', test='{contract}')]\n"
        "@pytest.mark.promise('by id', 'Of ' 'a function.')\n"
        "def test_one(): pass\n"
        "class TestIt:\n"
        "    @pytest.mark.promise('by id', 'Of a method.')\n"
        "    async def test_other(self): pass\n"
    )

    assert {promise.sentence: promise.tests[0].name for promise in found} == {
        "Of a module.": contract,
        "Of a function.": "test_one",
        "Of a method.": "test_other",
    }


def test_one_sentence_on_two_tests_is_one_promise(marked):
    mark = "@pytest.mark.promise('by id', 'It goes.')\n"
    (promise,) = marked(f"{mark}def test_one(): pass\n{mark}def test_two(): pass\n")

    assert [test.name for test in promise.tests] == ["test_one", "test_two"]


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("'no such group', 'It goes.'", "no such group"),
        ("'by id', 'It goes'", "no sentence"),
        ("'by id', SENTENCE", "plain letters"),
        ("'by id'", "plain letters"),
        ("'by id', 'It goes.', test='test_that_is_gone'", "the contract has no test_that_is_gone"),
    ],
)
def test_a_wrong_mark_is_named_with_its_place(promises, marked, mark, said):
    with pytest.raises(promises.WrongMark, match=rf"tests/test_it.py:1: .*{said}"):
        marked(f"@pytest.mark.promise({mark})\ndef test_one(): pass\n")


def test_a_module_that_names_no_test_is_refused(promises, marked):
    with pytest.raises(promises.WrongMark, match="which test it means"):
        marked("pytestmark = pytest.mark.promise('by id', 'It goes.')\n")


def test_a_store_that_is_not_described_fails(promises, monkeypatch):
    monkeypatch.delitem(promises.STORES, "in_memory")

    with pytest.raises(KeyError, match="in_memory"):
        promises.promises_page()
