"""The memory tool answers as the reference class of the SDK does, to the letter.

What a disk can do and a memory cannot, or the reverse, is left out here and told in
`tests/unit/test_memory_tool.py`: empty directories, names in another normal form, long files.
"""

import asyncio
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

pytest.importorskip("anthropic")

from anthropic.tools import (
    BetaAsyncLocalFilesystemMemoryTool,
    BetaLocalFilesystemMemoryTool,
    ToolError,
)

from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.integrations.anthropic_memory import AsyncMemoryTool
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids

ON_DISK_ONLY = "an error of the disk, for which the reference class has no words"


def view(path, *lines):
    return {"command": "view", "path": path, **({"view_range": list(lines)} if lines else {})}


def create(path, text="hello\n"):
    return {"command": "create", "path": path, "file_text": text}


def replace(path, old, new):
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def insert(path, line, text):
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path):
    return {"command": "delete", "path": path}


def rename(old, new):
    return {"command": "rename", "old_path": old, "new_path": new}


NOTES = create("/memories/notes.md", "one\ntwo\nthree\nfour\nfive\nsix\n")
TREE = (
    NOTES,
    create("/memories/a/b/c/deep.md", "x" * 1023),
    create("/memories/a/b/two.md", "x" * 1024),
    create("/memories/a/B.md", "x" * 1536),
    create("/memories/a.md", ""),
    create("/memories/.hidden", "x"),
    create("/memories/.git/config", "x"),
    create("/memories/été.md", "é" * 700),
    create("/memories/a b", "x" * 20480),
)

CASES = {
    "an empty memory": [view("/memories"), view("/memories/")],
    "a tree": [*TREE, view("/memories"), view("/memories/a"), view("/memories/a/b/")],
    "a hidden directory by name": [*TREE, view("/memories/.git"), view("/memories/.hidden")],
    "a file": [NOTES, view("/memories/notes.md"), view("/memories//notes.md/")],
    "lines": [NOTES]
    + [
        view("/memories/notes.md", *lines)
        for lines in [(2, 3), (0, 2), (-5, 2), (5, -1), (9, 12), (3, 2), (1, -2), (1,), (1, 2, 3)]
    ],
    "an empty file": [create("/memories/e", ""), view("/memories/e"), view("/memories/e", 1, 1)],
    "blank": [create("/memories/e", "\n\n  \n\t"), view("/memories/e")],
    "carriage returns": [
        create("/memories/w", "a\r\nb\r\n\rc"),
        view("/memories/w"),
        insert("/memories/w", 1, "x\r\n"),
        view("/memories/w"),
    ],
    "created twice": [NOTES, create("/memories/notes.md", "other"), view("/memories/notes.md")],
    "two alike": [create("/memories/x", "same"), create("/memories/y", "same"), view("/memories")],
    "names by case": [
        create("/memories/A", "same"),
        create("/memories/a", "same"),
        view("/memories"),
        replace("/memories/A", "same", "SAME"),
        view("/memories/A"),
    ],
    "names that begin alike": [create("/memories/a0", "x"), create("/memories/a.md", "x")]
    + [act("/memories/a") for act in (view, delete)]
    + [rename("/memories/a", "/memories/b"), create("/memories/a/x"), view("/memories/a")]
    + [delete("/memories/a"), view("/memories")],
    "a file over a directory": [*TREE, create("/memories/a"), create("/memories")],
    "a directory under a file": [NOTES, create("/memories/notes.md/x"), view("/memories")],
    "replaced": [NOTES]
    + [
        replace("/memories/notes.md", old, new)
        for old, new in [("one", "1"), ("four\nfive", "4"), ("six\n", ""), ("two", "two\n2\n2")]
    ]
    + [view("/memories/notes.md")],
    "replaced by blanks": [
        NOTES,
        replace("/memories/notes.md", "two", " two "),
        TREE[1],
        view("/memories/notes.md"),
        replace("/memories/notes.md", "one", "ONE"),
        view("/memories/notes.md"),
    ],
    "not there to replace": [
        NOTES,
        replace("/memories/notes.md", "seven", "7"),
        replace("/memories/none.md", "a", "b"),
        replace("/memories", "a", "b"),
    ],
    "replaced more than once": [
        create("/memories/r", "aaa\nb\naa\n\naaaa"),
        replace("/memories/r", "aa", "x"),
        replace("/memories/r", "", "x"),
        replace("/memories/r", "b", "x"),
    ],
    "overlapping": [
        create("/memories/r", "aaa"),
        replace("/memories/r", "aa", "b"),
        view("/memories/r"),
    ],
    "nothing replaced by something": [
        create("/memories/r", ""),
        replace("/memories/r", "", "x"),
        view("/memories/r"),
    ],
    "replaced by itself": [
        NOTES,
        replace("/memories/notes.md", "one", "one"),
        view("/memories/notes.md"),
    ],
    "inserted": [NOTES]
    + [
        insert("/memories/notes.md", line, text)
        for line, text in [
            (0, "first\n"),
            (7, "last"),
            (2, "a\nb\n\n"),
            (1, ""),
            (99, "x"),
            (-1, "x"),
        ]
    ]
    + [view("/memories/notes.md")],
    "inserted into nothing": [
        create("/memories/e", ""),
        insert("/memories/e", 0, "a"),
        insert("/memories/e", 5, "a"),
        view("/memories/e"),
        insert("/memories/x", 0, "a"),
        insert("/memories", 0, "a"),
    ],
    "deleted": [
        *TREE,
        delete("/memories/notes.md"),
        delete("/memories/notes.md"),
        delete("/memories/a"),
        view("/memories"),
        view("/memories/a/b/two.md"),
        delete("/memories"),
        delete("/memories/"),
        delete("/memories/none/x"),
        create("/memories/notes.md", "again"),
        view("/memories/notes.md"),
    ],
    "renamed": [
        *TREE,
        rename("/memories/notes.md", "/memories/new/n.md"),
        view("/memories"),
        rename("/memories/a", "/memories/z/y"),
        view("/memories/z"),
        view("/memories/z/y/b/two.md"),
        create("/memories/notes.md", "another"),
        view("/memories/notes.md"),
        rename("/memories/notes.md", "/memories/a"),
        view("/memories"),
    ],
    "not to be renamed": [
        *TREE,
        rename("/memories", "/memories/x"),
        rename("/memories/none", "/memories/x"),
        rename("/memories/none", "/memories/a.md"),
        rename("/memories/a.md", "/memories/a"),
        rename("/memories/a.md", "/memories/a.md"),
        rename("/memories/a.md", "/memories"),
        rename("/memories/a", "/memories/a/b/x"),
        rename("/memories/a.md", "/memories/notes.md/x"),
        view("/memories"),
    ],
    "outside": [
        act(path)
        for path in (
            "/etc/passwd",
            "memories/x",
            "",
            "/",
            "/memories/../x",
            "/memories/../../bob/memories/x",
            "/memories/a/../../x",
            "/memories/..",
            "/memories..",
            "/memories/../memories/inside",
            "/memories/./a/../inside2",
            "/memoriesX",
            "/memories/..a",
            "/memories/%2e%2e/x",
            "/memories/%2e%2e%2fbob",
            "/memories/..\\x",
            "/memories/../memories",
        )
        for act in (view, create, view, delete, lambda p: rename(p, "/memories/q"))
    ],
    "half of it": [
        create("/memories/q", "\\u0301 é \\ 가 Å C:\\new\\x41"),
        view("/memories/q"),
        replace("/memories/q", "́", "́́"),
        view("/memories/q"),
        replace("/memories/q", "C:\\new", ""),
        replace("/memories/q", "́́", ""),
        view("/memories/q"),
        view("/memories"),
    ],
}


class Pair:
    """The reference class on a folder, and ours on a memory, given the same commands."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.runner = asyncio.Runner()
        store = InMemoryStore(clock=FrozenClock())
        principal = Principal.of_home(tenant="acme", user="ann")
        self.client = MemoryClient(store, principal, clock=FrozenClock(), new_uuid=counting_ids())
        self.reference = BetaLocalFilesystemMemoryTool(str(self.folder))
        self.ours = AsyncMemoryTool(self.client)

    def answers(self, command):
        """Return what the reference says and what ours does."""
        theirs = _on_any_disk(_said(lambda: self.reference.call(dict(command))))
        ours = _said(lambda: self.runner.run(self.ours.call(dict(command))))
        self.prune()
        if theirs is ON_DISK_ONLY and ours[0] == "error":
            ours = ON_DISK_ONLY
        return theirs, ours

    def prune(self):
        """Let directories go that are empty: in a memory there are none."""
        root = self.folder / "memories"
        for place, _, _ in os.walk(root, topdown=False):
            if place != str(root) and not os.listdir(place):
                os.rmdir(place)

    def close(self):
        self.runner.run(self.client.close())
        self.runner.close()


LISTED = re.compile("^Here're the files")
DIRECTORY = re.compile(r"\A(.*\n)[^\t]+|^[^\t\n]+(?=\t.*/$)", re.MULTILINE)


def _on_any_disk(said):
    """Return an answer of the reference as on a disk that says 4K of a directory; not all do."""
    if said is ON_DISK_ONLY or not LISTED.match(said[1]):
        return said
    return (said[0], DIRECTORY.sub(lambda found: (found[1] or "") + "4K", said[1]))


def _said(call):
    try:
        return ("said", call())
    except ToolError as error:
        return ("error", error.content)
    except (OSError, ValueError):
        return ON_DISK_ONLY


@pytest.fixture
def pair(tmp_path):
    made = Pair(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES)
def test_it_answers_as_the_reference_class_does(pair, case):
    for command in CASES[case]:
        theirs, ours = pair.answers(command)

        assert ours == theirs, command


@pytest.mark.parametrize("case", ["a tree", "replaced", "inserted", "deleted", "renamed"])
def test_the_two_reference_classes_agree_so_that_ours_agrees_with_both(tmp_path, case):
    sync = BetaLocalFilesystemMemoryTool(str(tmp_path / "sync"))
    later = BetaAsyncLocalFilesystemMemoryTool(str(tmp_path / "async"))
    with asyncio.Runner() as runner:
        for command in CASES[case]:
            theirs = _said(lambda: sync.call(dict(command)))  # noqa: B023
            others = _said(lambda: runner.run(later.call(dict(command))))  # noqa: B023

            assert others == theirs, command


NAMES = st.sampled_from(["a", "b", "A", ".h", "c.md", "..", ".", "", "é", "x y", "%2e%2e", "a0"])
PATHS = st.one_of(
    st.lists(NAMES, min_size=1, max_size=3).map(lambda names: "/memories/" + "/".join(names)),
    st.sampled_from(["/memories", "/memories/", "/memoriesb", "/etc/x", "a"]),
)
PIECES = ["a", "A", "b\n", "\n", " ", "\t", "\r\n", "é", "e\u0301", "\u0301", "\\", "\\u0301", "。"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
LINES = st.integers(-2, 6)


class Commands(RuleBasedStateMachine):
    """Any commands, in any order."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp(prefix="pinyon-files-")
        self.pair = Pair(self.folder)

    @rule(path=PATHS, lines=st.one_of(st.just(()), st.tuples(LINES, LINES)))
    def view(self, path, lines):
        self.check(view(path, *lines))

    @rule(path=PATHS, text=TEXTS)
    def create(self, path, text):
        self.check(create(path, text))

    @rule(path=PATHS, old=TEXTS, new=TEXTS)
    def replace(self, path, old, new):
        self.check(replace(path, old, new))

    @rule(path=PATHS, line=LINES, text=TEXTS)
    def insert(self, path, line, text):
        self.check(insert(path, line, text))

    @rule(path=PATHS)
    def delete(self, path):
        self.check(delete(path))

    @rule(old=PATHS, new=PATHS)
    def rename(self, old, new):
        self.check(rename(old, new))

    @invariant()
    def the_same_files_are_there(self):
        self.check(view("/memories"))

    def check(self, command):
        theirs, ours = self.pair.answers(command)
        assert ours == theirs, command

    def teardown(self):
        self.pair.close()
        shutil.rmtree(self.folder)


Commands.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestCommands = Commands.TestCase
