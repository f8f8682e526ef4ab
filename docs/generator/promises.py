"""The page of promises: what the tests hold, read off their marks without running them."""

import ast
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.markdown import page, section, table
from pinyon import stores
from pinyon.stores.sqlite.lineage import TABLES, Table

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "src" / "pinyon" / "testing" / "store_contract"

GROUPS: Mapping[str, tuple[str, str]] = {
    "by id": ("Forgetting by id", "`forget ID …`: erased, with all that rests on it alone."),
    "by query": ("Forgetting by what it says", "`forget --query`: never what nobody meant."),
    "session": ("Forgetting a conversation", "`forget --session`."),
    "document": ("Forgetting a document", "`forget --document`."),
    "everything": (
        "Forgetting everything",
        "`forget --all`: the user's space and the agents' own.",
    ),
    "covering": ("Covering what was said", "Messages that said it keep the rest of what they say."),
    "files": (
        "Files and processes",
        "Where its bytes are, on SQLite, and what a crash does to that.",
    ),
    "receipts": ("Receipts", "What is left of what was forgotten."),
    "copies": ("Published copies", "What others were given follows."),
    "temporary": (
        "Temporary sessions",
        "What is said in one is recalled in it only, and forgotten when it ends.",
    ),
    "consent": ("Consent", "What a person does not want kept is not kept, whichever way it comes."),
    "coming back": ("Coming back", "Imports, backups, and what is said again."),
    "standing": (
        "Hide, end, retract, supersede, undo",
        "Nothing is erased: what it was stays readable, and can be taken back.",
    ),
    "gate": ("The gate", "What is sensitive, by category and policy."),
    "quarantine": ("Quarantine", "What gives orders to a model, and is not the user's."),
    "consolidation": ("Consolidation", "What becomes of what was said, and what never does."),
    "summaries": ("Summaries", "What a long text and an ended conversation say in short."),
    "turn": ("The turn", "What memory hands to a model, and what becomes of that."),
    "isolation": ("Isolation", "Nobody sees, changes or notices what is another's."),
    "work": ("Background work", "What a job does is done once, whoever dies meanwhile."),
    "keys": ("Keys and tokens", "Who is let in by a server, and as whom."),
    "server": ("A server", "Whom it answers, what it refuses, and what a retry does."),
    "chat": ("A chat model", "What it is sent, and what becomes of what it says."),
    "mcp": ("Over MCP", "What a model is given, and what cannot come of it."),
    "soundness": ("Soundness", "Files that somebody changed, copied, or was killed over."),
}
"""Each group of promises: what a mark calls it, its title, and what it is about."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test: its name, the file that it stands in, and whether it is skipped or may fail."""

    name: str
    path: Path
    is_slack: bool = False


@dataclass(frozen=True, slots=True)
class Promise:
    """What tests hold, in a sentence."""

    group: str
    sentence: str
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something may be left of what was forgotten, until when, and the tests of that."""

    where: str
    gone: str
    tests: tuple[str, ...] = ()


STORES: Mapping[str, tuple[str, Sequence[Place]]] = {
    "sqlite": (
        "SQLite",
        (
            Place(
                "every query that begins afterwards, in every process",
                "when the answer comes",
                (
                    "test_what_is_forgotten_is_gone_from_every_command_and_file",
                    "test_what_is_erased_elsewhere_is_in_no_later_answer",
                ),
            ),
            Place(
                "the files of the home: database, log, indexes, copies from before a migration",
                "when the answer comes; where a process elsewhere still reads an older state, the "
                "answer says `complete: false`, and `receipts` looks again",
                (
                    "test_what_is_forgotten_is_in_no_file",
                    "test_with_a_second_process_and_a_long_reader_it_follows_when_they_end",
                    "test_a_safety_copy_from_before_a_migration_goes_too",
                ),
            ),
            Place(
                "published copies",
                "when the answer comes, or `complete: false` until they have followed",
                (
                    "test_a_copy_is_forgotten_with_its_original",
                    "test_what_cannot_follow_now_is_said_and_follows_later",
                ),
            ),
            Place(
                "the file of a space that is forgotten whole",
                "empty when the answer comes; removed by the last process that closes it",
                (
                    "test_an_erased_space_is_in_no_file_before_the_home_is_closed",
                    "test_a_space_that_others_have_open_is_empty_at_once_and_goes_with_the_last",
                ),
            ),
        ),
    ),
    "in_memory": (
        "In memory",
        (
            Place(
                "every query",
                "when the answer comes",
                ("test_an_erased_memory_is_gone_from_everywhere",),
            ),
            Place("the process", "with the process: nothing is written anywhere"),
        ),
    ),
}
"""Of each store that there is, by the name of its module."""

ELSEWHERE = (
    Place(
        "a backup",
        "when the backup is deleted; `restore --forgotten-in` leaves it out",
        ("test_a_restore_leaves_out_what_was_forgotten_in_the_home_until_now",),
    ),
    Place(
        "an export",
        "when the file is deleted; `import` into the same space leaves it out",
        ("test_an_import_leaves_out_what_was_forgotten_since_and_says_so",),
    ),
    Place(
        "conversations in which a model was given it, and the model's provider",
        "not Pinyon's to erase; the receipt names the conversations of the last 90 days",
        ("test_the_receipt_says_in_which_sessions_a_model_was_given_it",),
    ),
)

HOW: Mapping[str, str] = {
    "by memory": "its rows go with the memory",
    "by event": "its rows go with the event",
    "by reference": "rows that belong to it by a reference go with the memory or the event",
    "by session": "its row goes when the session ends",
    "kept": "stays: it holds no word of a memory",
    "index": "follows the table that it is made from",
}


class WrongMark(Exception):
    """A mark says what no page can be made of."""

    def __init__(self, path: Path, line: int, what: str) -> None:
        super().__init__(f"{path.relative_to(ROOT)}:{line}: {what}")


def promises_page() -> str:
    """Return the page of promises."""
    promises = read_promises()
    tests = {test.name: test for test in read_tests()}
    parts = [
        section(title, about, table(("promise", "held by"), _rows(promises, group)))
        for group, (title, about) in GROUPS.items()
    ]
    heads = ("where", "gone", "held by")
    return page(
        "Promises",
        """
        What Pinyon promises about forgetting, about what no longer holds, about what it lets in and
        about who sees what; and for each promise the tests that hold it. The sentences are marks on
        those tests (`@pytest.mark.promise`), so a promise without a test cannot stand here. What
        begins with *every store* is in the contract that each store has to pass.

        What is *not* promised is in [security](../explanation/security.md), for each adversary, and
        among the [known gaps](../adr/gaps.md).
        """,
        *parts,
        section("Where it is gone, and when", table(("store", *heads), _places(tests))),
        section(
            "How each table is erased",
            "Of the SQLite store, in the order of erasing. Nothing else deletes. The turns that "
            "follow one lose its words from their own rows of `passage` and `keyword`. A receipt "
            "keeps the names of conversations, which are words too.",
            table(
                ("table", "when a memory or an event goes", "when its space is emptied"), _tables()
            ),
        ),
    )


def read_promises() -> list[Promise]:
    """Return the promises that tests are marked with, by group, file and place.

    Raises:
        WrongMark: A mark names no group that there is, or a test that is gone, or says no sentence.
    """
    contract = {test.name: test for test in _tests_in(CONTRACT)}
    held: dict[tuple[str, str], list[Test]] = {}
    for path in _files(ROOT / "tests"):
        for mark, test in _marks(path):
            group, sentence, name = _said(path, mark)
            if name is not None and name not in contract:
                raise WrongMark(path, mark.lineno, f"the contract has no {name}")
            holder = test if name is None else contract[name]
            if holder is None:
                raise WrongMark(path, mark.lineno, "a mark of a module says which test it means")
            held.setdefault((group, sentence), []).append(holder)
    order = list(GROUPS)
    found = [Promise(group, sentence, tuple(tests)) for (group, sentence), tests in held.items()]
    return sorted(found, key=lambda promise: order.index(promise.group))


def read_tests() -> list[Test]:
    """Return every test of the suites and of the contract."""
    return [*_tests_in(ROOT / "tests"), *_tests_in(CONTRACT)]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _tests_in(folder: Path) -> Iterator[Test]:
    for path in _files(folder):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_test(node.name):
                yield _test(node, path)


def _is_test(name: str) -> bool:
    return name.startswith("test_")


def _test(node: ast.FunctionDef | ast.AsyncFunctionDef, path: Path) -> Test:
    marks = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
    slack = {"pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail"}
    return Test(node.name, path, is_slack=bool(marks & slack))


def _marks(path: Path) -> Iterator[tuple[ast.Call, Test | None]]:
    """Yield each mark of a promise, with the test that bears it; `None` for a module's own."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_test(node.name):
            yield from ((mark, _test(node, path)) for mark in _promising(node.decorator_list))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            given = node.value.elts if isinstance(node.value, ast.List) else [node.value]
            yield from ((mark, None) for mark in _promising(given))


def _promising(given: Iterable[ast.expr]) -> Iterator[ast.Call]:
    for one in given:
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "pytest.mark.promise":
            yield one


def _said(path: Path, mark: ast.Call) -> tuple[str, str, str | None]:
    """Return the group, the sentence and the contract's test that a mark names."""
    try:
        group, sentence = (ast.literal_eval(argument) for argument in mark.args)
        named = {one.arg: ast.literal_eval(one.value) for one in mark.keywords}
    except ValueError as error:
        what = "a mark says a group and a sentence, both in plain letters"
        raise WrongMark(path, mark.lineno, what) from error
    if group not in GROUPS:
        raise WrongMark(path, mark.lineno, f"{group!r} is none of {', '.join(GROUPS)}")
    if not str(sentence).endswith("."):
        raise WrongMark(path, mark.lineno, f"{sentence!r} is no sentence")
    return group, sentence, named.get("test")


def _rows(promises: Iterable[Promise], group: str) -> Iterator[tuple[str, str]]:
    for promise in promises:
        if promise.group == group:
            yield promise.sentence, _linked(promise.tests)


def _places(tests: Mapping[str, Test]) -> Iterator[tuple[str, str, str, str]]:
    there = {module.name for module in pkgutil.iter_modules(stores.__path__) if module.ispkg}
    if there != STORES.keys():
        raise KeyError(f"described or there, but not both: {sorted(there ^ STORES.keys())}")
    for title, places in (*STORES.values(), ("any", ELSEWHERE)):
        for place in places:
            yield title, place.where, place.gone, _linked(tests[one] for one in place.tests)


def _tables() -> Iterator[tuple[str, str, str]]:
    for one in TABLES:
        yield f"`{one.name}`", HOW[one.how], _emptied(one)


def _emptied(one: Table) -> str:
    if one.how == "index":
        return HOW["index"]
    return "all rows go" if one.empty else "stays"


def _linked(tests: Iterable[Test]) -> str:
    return ", ".join(
        f"[`{test.name}`](../../{test.path.relative_to(ROOT).as_posix()})" for test in tests
    )
