"""An older file is brought to a newer schema with all that it holds, or is left as it was."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

import pinyon
from pinyon.domain.space import Space
from pinyon.errors import PinyonError, StoreTooNew
from pinyon.stores.sqlite.migrate import migrations
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.verify import INDEXES

ANN = Space.of_user("acme", "ann")
TEXTS = [f"Bulb {number} shows only white" for number in range(1, 31)]
FAILING = {
    "at its first word": "ALTER TABLE nothing ADD COLUMN mood TEXT",
    "at its last word": "CREATE TABLE mood (mood TEXT) STRICT; UPDATE memory SET text = 'lost'; "
    "SELECT nonsense FROM nowhere",
    "over a row": "UPDATE memory SET text = 'lost'; UPDATE memory SET text = NULL",
}
CHILD = """
import sys, anyio
from pathlib import Path
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.stores.sqlite.migrate import migrations
from pinyon.wiring import SystemClock

number, script = int(sys.argv[1]), sys.argv[2]
scripts = {**migrations(), number: script}

async def main(home):
    store = SqliteStore(Path(home), clock=SystemClock(), scripts=scripts)
    page = await store.records.scan(Space.of_user("acme", "ann"), limit=1000)
    await store.close()
    return len(page.memories)

print("ready", flush=True)
for line in sys.stdin:
    try:
        print(anyio.run(main, line.strip()), flush=True)
    except Exception as error:
        print(repr(error), flush=True)
"""


@pytest.fixture
def child():
    """Start a process that opens homes with scripts of its own, as it is told their names."""
    started = []

    def start(number, script):
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(number), script],
            env={**os.environ, "PYTHONPATH": str(Path(pinyon.__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        with process:
            pass


def tell(process, home):
    process.stdin.write(f"{home}\n")
    process.stdin.flush()


def copies(path):
    return [other for other in path.parent.iterdir() if "before" in other.name]


def test_a_migration_keeps_all_that_the_file_holds(old, using, read, newer):
    assert using(read, newer) == TEXTS


def test_a_migration_reaches_every_row(old, using, read, newer, newest, content_of):
    using(read, newer)
    number, _, rows = content_of(old)

    assert number == newest + 1
    assert rows["mood"] == [("calm",)]


def test_a_migrated_file_can_be_written_and_verifies_clean(old, using, write_one, newer):
    using(write_one, newer)

    assert using(lambda store: store.verify(ANN), newer) == []


def test_a_migration_leaves_a_copy_of_the_file_as_it_was(old, using, read, newer, content_of):
    before = content_of(old)
    using(read, newer)
    (copy,) = copies(old)

    assert content_of(copy) == before


def test_the_copy_is_for_its_owner_only(old, using, read, newer):
    using(read, newer)
    (copy,) = copies(old)

    assert copy.stat().st_mode & 0o077 == 0


def test_the_copy_is_gone_after_the_next_opening(old, using, read, newer):
    using(read, newer)
    using(read, newer)

    assert copies(old) == []
    assert using(read, newer) == TEXTS


def test_the_copy_can_be_put_back_under_the_old_code(old, using, read, newer):
    using(read, newer)
    (copy,) = copies(old)
    for end in ("-wal", "-shm"):
        old.with_name(old.name + end).unlink(missing_ok=True)
    copy.replace(old)

    assert using(read) == TEXTS


def test_several_migrations_are_made_in_one_go(old, using, read, newer, newest, content_of):
    newest_yet = {**newer, newest + 2: "CREATE TABLE weather (one INTEGER) STRICT"}
    using(read, newest_yet)

    assert content_of(old)[0] == newest + 2
    assert using(read, newest_yet) == TEXTS


def test_an_older_pinyon_refuses_a_migrated_file(old, using, read, newer):
    using(read, newer)

    with pytest.raises(StoreTooNew):
        using(read)


@pytest.mark.parametrize("script", FAILING.values(), ids=FAILING)
def test_a_migration_that_fails_leaves_the_file_as_it_was(
    old, using, read, newest, content_of, script
):
    before = content_of(old)
    with pytest.raises((PinyonError, apsw.Error)):
        using(read, {**migrations(), newest + 1: script})

    assert content_of(old) == before


@pytest.mark.parametrize("script", FAILING.values(), ids=FAILING)
def test_a_file_whose_migration_failed_is_usable_by_the_old_code(
    old, using, read, write_one, newest, script
):
    with pytest.raises((PinyonError, apsw.Error)):
        using(read, {**migrations(), newest + 1: script})
    using(write_one)

    assert using(read) == [*TEXTS, "Bulb 99 shows only white"]


def test_a_migration_that_failed_leaves_no_copy_once_the_old_code_has_opened_the_file(
    old, using, read, newest
):
    with pytest.raises((PinyonError, apsw.Error)):
        using(read, {**migrations(), newest + 1: FAILING["over a row"]})
    using(read)

    assert copies(old) == []


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_process_killed_while_it_migrates_leaves_the_file_as_it_was(
    old, home, using, read, newest, content_of, child
):
    before = content_of(old)
    endless = (
        "UPDATE memory SET text = 'lost'; CREATE TABLE mood AS WITH RECURSIVE n (i) AS "
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
    )
    process = child(newest + 1, endless)
    tell(process, home)
    until = time.monotonic() + 60
    while not any(copy.suffix != ".part" for copy in copies(old)):
        assert time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.wait()

    assert using(read) == TEXTS
    assert content_of(old) == before


def test_two_processes_may_migrate_one_file_at_once(
    old, home, tmp_path, newer, newest, child, content_of
):
    pair = [child(newest + 1, newer[newest + 1]) for _ in range(2)]
    answers, numbers = [], []
    for number in range(12):
        copy = shutil.copytree(home, tmp_path / f"home-{number}")
        for process in pair:
            tell(process, copy)
        answers.append([process.stdout.readline().strip() for process in pair])
        numbers.append(content_of(next(copy.glob("spaces/??/*.db")))[0])

    assert answers == [["30", "30"]] * 12
    assert numbers == [newest + 1] * 12


@pytest.mark.parametrize("index", INDEXES)
def test_what_makes_a_keyword_index_anew_makes_what_the_migrations_made(old, index):
    file = apsw.Connection(str(old))
    sql = "SELECT name, sql FROM sqlite_schema WHERE name LIKE 'keyword%' ORDER BY name"
    migrated = file.execute(sql).fetchall()
    config = f"SELECT * FROM {index}_config ORDER BY k"  # noqa: S608 - our own name
    options = file.execute(config).fetchall()
    file.execute(f"DROP TABLE {index}")
    for name in INDEXES[index]:
        file.execute(query(name))
    made = file.execute(sql).fetchall()
    options_made = file.execute(config).fetchall()
    file.close()

    words = [
        [(name, " ".join(statement.split())) for name, statement in schema]
        for schema in (migrated, made)
    ]
    assert words[0] == words[1]
    assert options == options_made
