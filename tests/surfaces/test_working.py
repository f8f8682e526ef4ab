"""Background work on the command line."""

import anyio
import pytest

from pinyon.domain.change import Enqueue, FinishJob
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import open_store
from pinyon.write.copies import FOLLOW

SARAH, TOM = (Space.of_user("default", name) for name in ("sarah", "tom"))
BY = Actor("default/user/sarah", "test")


@pytest.fixture
def jobs(home):
    """Put a dead job, one that lets a copy follow, and one of another user into the queues."""

    async def act():
        store = open_store(home)
        dead = Job(id=JobId(f"job_{1:032x}"), task="other", run_at_us=1)
        copy = (("copy", f"mem_{8:032x}"), ("memory", f"mem_{9:032x}"), ("space", str(SARAH)))
        follow = Job(id=JobId(f"job_{2:032x}"), task=FOLLOW, payload=copy, run_at_us=2)
        await store.records.apply(SARAH, [put(memory_of(1, space=SARAH)), Enqueue(dead)], by=BY)
        await store.jobs.lease(SARAH, lease_s=1)
        ended = FinishJob(id=dead.id, attempt=1, error="model_unavailable")
        await store.records.apply(SARAH, [ended, Enqueue(follow)], by=BY)
        toms = Job(id=JobId(f"job_{3:032x}"), task="other", run_at_us=3)
        await store.records.apply(TOM, [Enqueue(toms)], by=BY)
        await store.close()
        return [dead.id, follow.id, toms.id]

    return anyio.run(act)


def listed(pinyon, *options):
    return {one["id"]: one for one in pinyon("jobs", "list", *options, "--json").json["jobs"]}


def test_jobs_of_every_space_are_listed_with_whose_they_are(pinyon, jobs):
    found = listed(pinyon)

    assert list(found) == jobs
    assert [one["space"] for one in found.values()] == [str(SARAH), str(SARAH), str(TOM)]
    assert found[jobs[0]]["last_error"] == "model_unavailable"


def test_jobs_of_one_user_or_in_one_state_are_listed(pinyon, jobs):
    assert list(listed(pinyon, "--user", "tom")) == jobs[2:]
    assert list(listed(pinyon, "--state", "dead")) == jobs[:1]
    assert listed(pinyon, "--tenant", "acme") == {}
    assert listed(pinyon, "--user", "sarah", "--tenant", "acme") == {}
    assert pinyon("jobs", "list", "--state", "tired").exit == 2


def test_a_person_sees_what_became_of_a_job(pinyon, jobs):
    said = pinyon("jobs", "list").out

    assert "other dead in default/user/sarah" in said
    assert "1 attempt · model_unavailable" in said


def test_there_may_be_no_work(pinyon):
    assert "no background work" in pinyon("jobs", "list").out


def test_a_dead_job_is_tried_again(pinyon, jobs):
    again = pinyon("jobs", "retry", jobs[0], "--json").json

    assert (again["state"], again["space"]) == ("waiting", str(SARAH))


def test_a_job_is_cancelled_and_one_that_lets_a_copy_follow_is_not(pinyon, jobs):
    assert pinyon("jobs", "cancel", jobs[2], "--json").json["state"] == "cancelled"
    assert pinyon("jobs", "cancel", jobs[1]).exit == 2
    assert pinyon("jobs", "cancel", "job_" + "9" * 32).exit == 5
    assert pinyon("jobs", "retry", "nothing").exit == 2


def test_a_worker_does_what_it_can_and_leaves_the_rest(pinyon, jobs):
    said = pinyon("worker", "--once", "--json")

    assert said.json == {
        "done": 1, "failed": 0, "dead": 0, "lost": 0, "put_off": 0, "given_back": 0,
    }  # fmt: skip
    assert "follow in default/user/sarah: done" in said.err
    states = {key: one["state"] for key, one in listed(pinyon).items() if key in jobs}
    assert sorted(states.values()) == ["dead", "done", "waiting"]
    assert "nothing to do" in pinyon("worker", "--once").out
