"""Any history of a queue leaves SQLite equal to the reference store, and no job in two hands."""

import asyncio
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pinyon.domain.change import Enqueue, FinishJob
from pinyon.domain.ids import JobId
from pinyon.domain.job import PRIORITIES, Job
from pinyon.errors import PinyonError
from pinyon.stores.in_memory import InMemoryStore
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.store_contract import ANN, BOB, BY

SPACES = st.sampled_from([ANN, BOB])
PLACES = st.integers(0, 5)
TASKS = st.sampled_from([None, ("a",), ("a", "b"), ()])
LATER_S = st.sampled_from([0, 1, 5, 60])
EVER_US = 10**17


class TwoQueues(RuleBasedStateMachine):
    """Does the same with both stores."""

    @initialize()
    def open(self):
        self.folder = Path(tempfile.mkdtemp())
        self.loop = asyncio.new_event_loop()
        self.clock = FrozenClock()
        self.reference = InMemoryStore(clock=self.clock)
        self.sqlite = SqliteStore(self.folder / "home", clock=self.clock, durable=False)
        self.made, self.leased = 0, []

    def teardown(self):
        self.loop.run_until_complete(self.sqlite.close())
        self.loop.close()
        shutil.rmtree(self.folder)

    def both(self, ask):
        """Return what both answer, having checked that it is the same."""
        answers = []
        for store in (self.reference, self.sqlite):
            try:
                answers.append(self.loop.run_until_complete(ask(store)))
            except PinyonError as error:
                answers.append(type(error))
        assert answers[0] == answers[1]
        return answers[0]

    @rule(
        space=SPACES,
        task=st.sampled_from("ab"),
        priority=st.sampled_from(PRIORITIES),
        key=st.sampled_from(["", "k", "every:a"]),
        later_s=LATER_S,
    )
    def enqueue(self, space, task, priority, key, later_s):
        self.made += 1
        job = Job(
            id=JobId(f"job_{self.made:032x}"),
            task=task,
            priority=priority,
            dedupe_key=key,
            run_at_us=self.clock.now_us() + later_s * 10**6,
        )
        self.both(lambda store: _applied(store, space, Enqueue(job)))

    @rule(seconds=LATER_S)
    def wait(self, seconds):
        self.clock.forward(seconds)

    @rule(space=SPACES, tasks=TASKS)
    def lease(self, space, tasks):
        job = self.both(lambda store: store.jobs.lease(space, lease_s=10, tasks=tasks))
        if job is not None:
            now_us = self.clock.now_us()
            held = [one for one, until_us in self.leased if until_us > now_us]
            assert (space, job.id) not in [(where, one.id) for where, one in held]
            self.leased.append(((space, job), job.lease_until_us))

    def _any_leased(self, place):
        return self.leased[place % len(self.leased)][0] if self.leased else None

    def _let_go(self, job):
        self.leased = [one for one in self.leased if one[0][1] != job]

    @rule(place=PLACES, error=st.sampled_from(["", "store_busy"]), later_s=st.none() | LATER_S)
    def finish(self, place, error, later_s):
        if (found := self._any_leased(place)) is None:
            return
        space, job = found
        retry_at_us = None if later_s is None else self.clock.now_us() + later_s * 10**6
        done = FinishJob(id=job.id, attempt=job.attempts, error=error, retry_at_us=retry_at_us)
        self.both(lambda store: _applied(store, space, done))
        self._let_go(job)

    @rule(place=PLACES)
    def renew(self, place):
        if (found := self._any_leased(place)) is None:
            return
        space, job = found
        if self.both(lambda store: store.jobs.renew(space, job, lease_s=10)):
            self._let_go(job)
            self.leased.append(((space, job), self.clock.now_us() + 10 * 10**6))

    @rule(place=PLACES, later_s=LATER_S)
    def give_back(self, place, later_s):
        if (found := self._any_leased(place)) is None:
            return
        space, job = found
        run_at_us = self.clock.now_us() + later_s * 10**6
        self.both(lambda store: store.jobs.give_back(space, job, run_at_us=run_at_us))
        self._let_go(job)

    @rule(space=SPACES, number=PLACES)
    def cancel(self, space, number):
        identifier = JobId(f"job_{number:032x}")
        if self.both(lambda store: store.jobs.cancel(space, identifier)):
            self.leased = [one for one in self.leased if one[0][1].id != identifier]

    @rule(space=SPACES, number=PLACES)
    def retry(self, space, number):
        self.both(lambda store: store.jobs.retry(space, JobId(f"job_{number:032x}")))

    @rule(place=PLACES, later_s=st.none() | LATER_S)
    def settle(self, place, later_s):
        due_at_us = None if later_s is None else self.clock.now_us() + later_s * 10**6

        async def one(store):
            hints = await store.hints.hinted(before_us=EVER_US)
            return bool(hints) and await store.hints.settle_hint(
                hints[place % len(hints)], due_at_us
            )

        self.both(one)

    @rule(space=SPACES)
    def erase(self, space):
        self.both(lambda store: store.erase(space))
        self.leased = [one for one in self.leased if one[0][0] != space]

    @invariant()
    def queues_are_equal(self):
        if not hasattr(self, "sqlite"):
            return
        for space in (ANN, BOB):
            self.both(lambda store, space=space: store.jobs.list_jobs(space))
            for tasks in (None, ("a",)):
                self.both(
                    lambda store, space=space, tasks=tasks: store.jobs.outlook(space, tasks=tasks)
                )
        self.both(_hints)


async def _applied(store, space, change):
    return (await store.records.apply(space, [change], by=BY)).equals


async def _hints(store):
    return [replace(one, mark=0) for one in await store.hints.hinted(before_us=EVER_US)]


TestQueuesAreEqual = TwoQueues.TestCase
TestQueuesAreEqual.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
