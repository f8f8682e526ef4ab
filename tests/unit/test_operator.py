"""What whoever may read a home can do with the whole of it."""

from dataclasses import replace

import pytest

import pinyon
from pinyon.domain.change import Enqueue, FinishJob
from pinyon.domain.credential import Holder
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.space import Space
from pinyon.errors import AlreadyThere, InvalidFile, InvalidValue, NotFound, StoreClosed
from pinyon.operating import Operator
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import ANN, counting_ids, memory_of, put
from pinyon.write.copies import FOLLOW

pytestmark = pytest.mark.anyio

AT_US = FrozenClock().now_us()


@pytest.fixture
def operator(store, clock):
    return Operator(store, clock=clock, new_uuid=counting_ids())


async def test_every_space_is_told_with_what_it_holds(operator, client_of):
    await client_of("ann").write("Ann has a dog")
    await client_of("bob", tenant="globex").remember("Try it", role="assistant")

    told = [(str(info.space), info.memories, info.events) for info in await operator.spaces()]

    assert told == [("acme/user/ann", 1, 0), ("globex/user/bob", 0, 1)]
    assert [info.space.tenant for info in await operator.spaces(tenant="acme")] == ["acme"]


async def test_a_store_without_anything_derived_has_nothing_to_verify(operator, client):
    await client.write("Ann has a dog")

    assert await operator.verify(fix=True) == ()


async def test_a_store_that_cannot_copy_itself_says_so(operator, tmp_path):
    with pytest.raises(InvalidFile):
        await operator.backup(tmp_path / "backup")


async def test_a_store_says_whether_it_works(operator):
    assert (await operator.health()).ok


async def test_an_operator_that_is_closed_answers_nothing(operator):
    async with operator:
        pass

    with pytest.raises(StoreClosed):
        await operator.health()


async def test_a_backup_restores_to_a_home_that_answers_alike(tmp_path):
    home, copy, restored = (tmp_path / name for name in ("home", "copy", "restored"))
    async with pinyon.open(home, user="ann") as memory:
        await memory.write("Ann has a dog")

    seen: list[tuple[int, int]] = []
    async with pinyon.operate(home) as operator:
        assert await operator.backup(copy, progress=lambda *at: seen.append(at)) == 1
        assert await operator.backup(tmp_path / "another") == 1
    assert pinyon.restore(copy, restored) == 1

    async with pinyon.open(restored, user="ann") as memory:
        assert [hit.memory.text for hit in (await memory.recall("dog")).hits] == ["Ann has a dog"]
    assert seen[-1] == (1, 1)


async def test_a_sound_home_has_no_findings(tmp_path):
    async with pinyon.open(tmp_path / "home", user="ann") as memory:
        await memory.write("Ann has a dog")

    seen: list[tuple[int, int]] = []
    async with pinyon.operate(tmp_path / "home") as operator:
        (verified,) = await operator.verify(progress=lambda *at: seen.append(at))

    assert (verified.findings, verified.mended) == ((), ())
    assert seen == [(1, 1)]


async def test_keys_are_made_listed_and_revoked(operator, clock):
    holder = Holder.of("user", tenant="acme", user="ann")
    key, shown = await operator.create_key(holder, name="laptop", expires="1d")
    other, _ = await operator.create_key(Holder.of("admin", tenant="globex"))
    assert shown.startswith(f"pyn_{key.id[4:]}_")
    assert key.expires_at_us == clock.now_us() + 24 * 3600 * 1_000_000

    revoked = await operator.revoke_key(key.id)
    clock.forward(1)

    assert await operator.revoke_key(key.id) == revoked == replace(key, revoked_at_us=AT_US)
    assert await operator.list_keys() == (revoked, other)
    assert await operator.list_keys(tenant="globex") == (other,)


async def test_a_key_of_another_tenant_is_as_good_as_none(operator):
    key, _ = await operator.create_key(Holder.of("admin", tenant="acme"))

    with pytest.raises(NotFound) as other:
        await operator.revoke_key(key.id, tenant="globex")
    with pytest.raises(NotFound) as never:
        await operator.revoke_key("key_" + "f" * 32, tenant="globex")
    assert str(other.value).replace(key.id, "") == str(never.value).replace("key_" + "f" * 32, "")
    assert (await operator.list_keys())[0].revoked_at_us is None
    assert (await operator.revoke_key(key.id, tenant="acme")).revoked_at_us is not None


async def test_a_job_that_lets_a_copy_follow_is_not_cancelled(operator, store, by):
    job = Job(id=JobId(f"job_{1:032x}"), task=FOLLOW, run_at_us=AT_US)
    other = replace(job, id=JobId(f"job_{2:032x}"), task="other")
    await store.records.apply(ANN, [Enqueue(job), Enqueue(other)], by=by)

    with pytest.raises(InvalidValue, match="lets a copy follow"):
        await operator.cancel_job(ANN, job.id)
    await operator.cancel_job(ANN, other.id)

    states = {one.id: one.state for one in await operator.jobs(ANN)}
    assert states == {job.id: "waiting", other.id: "cancelled"}


async def test_a_job_that_is_dead_is_tried_again(operator, store, by):
    job = Job(id=JobId(f"job_{1:032x}"), task="other", run_at_us=AT_US, dedupe_key="k")
    twin = replace(job, id=JobId(f"job_{2:032x}"))
    await store.records.apply(ANN, [Enqueue(job)], by=by)
    await store.jobs.lease(ANN, lease_s=9)
    with pytest.raises(InvalidValue):
        await operator.retry_job(ANN, job.id)
    await store.records.apply(ANN, [FinishJob(id=job.id, attempt=1, error="x")], by=by)
    await store.records.apply(ANN, [Enqueue(twin)], by=by)
    with pytest.raises(AlreadyThere):
        await operator.retry_job(ANN, job.id)
    await operator.cancel_job(ANN, twin.id)

    await operator.retry_job(ANN, job.id)

    assert [one.state for one in await operator.jobs(ANN)] == ["waiting", "cancelled"]
    with pytest.raises(NotFound):
        await operator.retry_job(ANN, f"job_{3:032x}")


async def test_jobs_of_all_spaces_are_listed_with_whose_they_are(operator, store, by):
    job = Job(id=JobId(f"job_{1:032x}"), task="other", run_at_us=AT_US)
    agents = Space.of_agent("acme", "ann", "app")
    spaces = [ANN, agents, Space.of_user("globex", "ann"), Space.shared("acme")]
    for number, space in enumerate(spaces):
        one = replace(job, id=JobId(f"job_{number:032x}"))
        await store.records.apply(space, [Enqueue(one)], by=by)

    anns = await operator.all_jobs(tenant="acme", user="ann")
    space, found = await operator.find_job(f"job_{2:032x}")

    assert {space for space, _ in await operator.all_jobs()} == set(spaces)
    assert [space for space, _ in anns] == [ANN, agents]
    assert await operator.all_jobs(state="dead") == ()
    assert (space, found.state) == (spaces[2], "waiting")
    with pytest.raises(NotFound):
        await operator.find_job(f"job_{9:032x}")


async def test_others_go_on_while_sessions_of_many_users_end(
    tmp_path, clock, by, turns_of_another, monkeypatch
):
    store = SqliteStore(tmp_path / "home", clock=clock, durable=False)
    spaces = [Space.of_user("acme", f"user-{n}") for n in range(20)]
    for space in spaces:
        await store.records.apply(space, [put(memory_of(1, space=space))], by=by)
        await store.sessions.list_sessions(space)
    looked, list_sessions = [], store.sessions.list_sessions

    async with turns_of_another() as turns:

        async def look(space):
            looked.append(len(turns))
            return await list_sessions(space)

        monkeypatch.setattr(store.sessions, "list_sessions", look)
        await Operator(store, clock=clock, new_uuid=counting_ids()).end_overdue()
    await store.close()

    assert len(set(looked)) == len(spaces)
