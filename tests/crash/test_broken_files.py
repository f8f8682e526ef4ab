"""A space's file that cannot be read is named, and hurts nobody else."""

from contextlib import suppress

import anyio
import apsw
import pytest

import pinyon
from pinyon.domain.grant import Grant
from pinyon.domain.space import Space
from pinyon.errors import StoreCorrupt, StoreTooNew
from pinyon.stores.sqlite.home import Home

SARAH = "default/user/sarah"
NOISE = bytes(range(7, 257 - 7, 3))


def scribble(path):
    path.write_bytes(b"This was a database once. " * 4_000)


def scribble_inside(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + NOISE * (len(whole) // len(NOISE)))


def cut_in_half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path):
    path.write_bytes(b"")


DAMAGE = pytest.mark.parametrize("damage", [scribble, scribble_inside, cut_in_half, empty])


@pytest.fixture
def two_users(home):
    for user in ("sarah", "bob"):
        with pinyon.open(home, user=user) as memory:
            texts = [f"Bulb {number} of {user} shows only white" for number in range(20)]
            memory.write_many([pinyon.Draft(text=text) for text in texts])
    return home


async def examined(home):
    """Return what `doctor` and `verify` say: health, and the findings of each space."""
    async with pinyon.operate(home) as operator:
        health = await operator.health()
        return health, {str(one.space): one.findings for one in await operator.verify()}


@DAMAGE
def test_a_broken_file_is_told_to_its_own_user(two_users, file_of, damage):
    damage(file_of(SARAH))

    with pinyon.open(two_users, user="sarah") as memory:
        with pytest.raises(StoreCorrupt):
            memory.list()
        with pytest.raises(StoreCorrupt):
            memory.recall("bulb")
        with pytest.raises(StoreCorrupt):
            memory.write("The hub stands in the hall")


@DAMAGE
def test_another_user_does_not_notice_a_broken_file(two_users, file_of, damage):
    damage(file_of(SARAH))

    with pinyon.open(two_users, user="bob") as memory:
        memory.write("The hub stands in the hall")
        assert len(memory.list().memories) == 21
        assert memory.recall("hub").hits[0].memory.text == "The hub stands in the hall"


@DAMAGE
def test_doctor_names_a_broken_file(two_users, file_of, damage):
    path = file_of(SARAH)
    damage(path)
    health, _ = anyio.run(examined, two_users)

    assert not health.ok
    assert any(str(path) in note for note in health.notes)


@DAMAGE
def test_verify_names_a_broken_file_and_checks_the_others(two_users, file_of, damage):
    path = file_of(SARAH)
    damage(path)
    _, findings = anyio.run(examined, two_users)

    assert any(str(path) in finding for finding in findings[SARAH])
    assert findings["default/user/bob"] == ()


def test_doctor_names_a_broken_file_although_the_registry_is_gone(two_users, file_of):
    path = file_of(SARAH)
    scribble(path)
    (two_users / "registry.db").unlink()
    health, findings = anyio.run(examined, two_users)

    assert any(str(path) in note for note in health.notes)
    assert findings["default/user/bob"] == ()


@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_doctor_and_verify_end_with_1_over_a_broken_file(two_users, file_of, run_pinyon, command):
    path = file_of(SARAH)
    scribble(path)
    said = run_pinyon(command, "--home", two_users, "--json")

    assert (said.returncode, said.stderr) == (1, "")
    assert str(path) in said.stdout


def test_spaces_are_listed_although_one_is_broken(two_users, file_of):
    scribble(file_of(SARAH))

    async def spaces():
        async with pinyon.operate(two_users) as operator:
            return await operator.spaces()

    listed = [str(info.space) for info in anyio.run(spaces)]
    assert "default/user/bob" in listed


def test_a_backup_names_the_broken_file_it_cannot_copy(two_users, file_of):
    path = file_of(SARAH)
    scribble(path)

    async def back_up():
        async with pinyon.operate(two_users) as operator:
            await operator.backup(two_users.with_name("backup"))

    with pytest.raises(StoreCorrupt, match=path.name):
        anyio.run(back_up)


@DAMAGE
def test_a_broken_file_is_left_as_it_is(two_users, file_of, damage):
    path = file_of(SARAH)
    damage(path)
    before = path.read_bytes()

    async def look():
        async with pinyon.operate(two_users) as operator:
            await operator.verify(fix=True)
            await operator.health()

    with pinyon.open(two_users, user="sarah") as memory:
        with suppress(pinyon.PinyonError):
            memory.list()
        with suppress(pinyon.PinyonError):
            memory.write("The hub stands in the hall")
    anyio.run(look)

    assert path.read_bytes() == before


def test_a_file_of_a_newer_pinyon_is_refused(two_users, behind_its_back):
    with behind_its_back(SARAH) as file:
        file.pragma("user_version", 99)

    with pinyon.open(two_users, user="sarah") as memory:
        with pytest.raises(StoreTooNew):
            memory.list()
        with pytest.raises(StoreTooNew):
            memory.write("The hub stands in the hall")


def test_another_spaces_file_in_the_place_of_ones_own_is_refused(two_users, file_of):
    mine, theirs = file_of(SARAH), file_of("default/user/bob")
    mine.write_bytes(theirs.read_bytes())

    with pinyon.open(two_users, user="sarah") as memory, pytest.raises(StoreCorrupt):
        memory.list()


BREAKS = {
    "dropped": "DROP TABLE keyword",
    "emptied": "DELETE FROM keyword_data",
    "noise": "UPDATE keyword_data SET block = x'0123456789abcdef0123456789abcdef'",
    "text": "UPDATE keyword_data SET block = CAST('no index at all' AS BLOB)",
    "without sizes": "DELETE FROM keyword_docsize",
}
ZEROS = "UPDATE keyword_data SET block = zeroblob(length(block))"


class TestKeywordIndex:
    """The keyword index is derived: whatever becomes of it, memory mends it by itself."""

    @pytest.fixture(params=BREAKS.values(), ids=BREAKS)
    def broken(self, request, two_users, behind_its_back):
        with behind_its_back(SARAH) as file:
            file.execute(request.param)
        return two_users

    def test_recall_mends_it(self, broken):
        with pinyon.open(broken, user="sarah") as memory:
            assert memory.recall("bulb 7").hits[0].memory.text == "Bulb 7 of sarah shows only white"

    def test_a_write_mends_it(self, broken):
        with pinyon.open(broken, user="sarah") as memory:
            memory.write("The hub stands in the hall")
            assert memory.recall("hub").hits[0].memory.text == "The hub stands in the hall"


class TestKeywordIndexAndVerify:
    """`verify` finds also what no question would notice."""

    @pytest.fixture(params=[*BREAKS.values(), ZEROS], ids=[*BREAKS, "zeros"])
    def broken(self, request, two_users, behind_its_back):
        with behind_its_back(SARAH) as file:
            file.execute(request.param)
        return two_users

    def test_verify_names_it(self, broken):
        _, findings = anyio.run(examined, broken)

        assert any("keyword index" in finding for finding in findings[SARAH])

    def test_verify_mends_it(self, broken):
        async def mend():
            async with pinyon.operate(broken) as operator:
                return [one.findings for one in await operator.verify(fix=True)]

        mended = anyio.run(mend)
        _, again = anyio.run(examined, broken)

        assert mended == [(), ()]
        assert again == {SARAH: (), "default/user/bob": ()}


def test_a_keyword_index_that_breaks_while_it_is_open_is_mended(two_users, file_of):
    with pinyon.open(two_users, user="sarah") as memory:
        memory.recall("bulb")
        file = apsw.Connection(str(file_of(SARAH)))
        file.execute("DROP TABLE keyword")
        file.close()

        assert memory.recall("bulb 7").hits[0].memory.text == "Bulb 7 of sarah shows only white"


BROKEN_LOGS = {name: sql.replace("keyword", "keyword_event") for name, sql in BREAKS.items()}


class TestIndexOfEvents:
    """The index over events is derived too."""

    @pytest.fixture(params=BROKEN_LOGS.values(), ids=BROKEN_LOGS)
    def broken(self, request, two_users, behind_its_back):
        with pinyon.open(two_users, user="sarah") as memory:
            for number in range(20):
                memory.remember(f"pong {number}", role="tool")
        with behind_its_back(SARAH) as file:
            file.execute(request.param)
        return two_users

    def test_who_asks_for_events_mends_it(self, broken):
        with pinyon.open(broken, user="sarah") as memory:
            assert memory.events(query="pong 7").turns[0].text == "pong 7"

    def test_the_next_event_mends_it(self, broken):
        with pinyon.open(broken, user="sarah") as memory:
            memory.remember("timeout", role="tool")
            assert memory.events(query="timeout").turns[0].text == "timeout"

    def test_verify_names_and_mends_it(self, broken):
        async def mend():
            async with pinyon.operate(broken) as operator:
                return [one.mended for one in await operator.verify(fix=True)]

        mended = anyio.run(mend)
        _, again = anyio.run(examined, broken)

        assert any("that of the events" in one for found in mended for one in found)
        assert again == {SARAH: (), "default/user/bob": ()}


def test_grants_and_receipts_outlive_a_registry_that_is_made_anew(tmp_path):
    """What no file of a space says again is carried over."""
    path, shared = tmp_path / "home", Space.shared("default")
    with pinyon.open(path, user="sarah") as memory:
        memory.write("The hub is v2")
        memory.forget(everything=True)
        memory.write("The hub is v3")
    home = Home(path, now_us=lambda: 1)
    home.put_grant(Grant(shared, "sarah", "read"))

    assert home.rebuild_registry() == 1

    assert home.grants(shared) == [Grant(shared, "sarah", "read")]
    assert len(home.erasures(Space.of_user("default", "sarah"))) == 1
    home.close()
