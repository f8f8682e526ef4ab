"""Counting what a client does, for Prometheus.

```python
metrics = Metrics()
memory = pinyon.open(user="sarah", watch=metrics)
page, content_type = metrics.render()
```

Needs the package prometheus-client, which the extra `server` brings. Everything is counted in a
registry of its own, beside whatever else the program counts.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client import Metric as Collected

from pinyon.domain.answers import CatalogImported, Imported, Recall, Written
from pinyon.domain.job import Attempted
from pinyon.domain.times import US_PER_S
from pinyon.errors import InvalidFile, Sensitive
from pinyon.observing.known import (
    CREATED,
    EQUAL,
    FORGOTTEN,
    HIT,
    METRICS,
    MISS,
    NO_ROUTE,
    OTHER,
    QUARANTINED,
    STATES,
    WRITING,
    Metric,
)
from pinyon.observing.last_evaluation import read_last
from pinyon.ports.store import Measured
from pinyon.ports.watch import Call, outcome_of

LOOP_ASKED_EVERY_S = 0.25
STALLS_KEPT_S = 60.0


class Metrics:
    """A `pinyon.ports.watch.Watch` that counts. One serves any number of clients and threads."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._of = {metric.name: _Series(metric, self._registry) for metric in METRICS}
        self._stalls: deque[tuple[float, float]] = deque()
        ProcessCollector(registry=self._registry)
        self._of["pinyon_build_info"].at(version("pinyon")).set(1)

    # ── counting ─────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def around(self, call: Call) -> Iterator[None]:
        """See the port."""
        began = time.perf_counter()
        raised: BaseException | None = None
        try:
            yield
        except BaseException as error:
            raised = error
            raise
        finally:
            self._end(call, raised, time.perf_counter() - began)

    def _end(self, call: Call, raised: BaseException | None, took_s: float) -> None:
        outcome = outcome_of(raised)
        self._count("pinyon_operations_total", call.operation, outcome)
        self._of["pinyon_operation_seconds"].at(call.operation).observe(took_s)
        if raised is None:
            self._answered(call)
        elif call.operation in WRITING:
            self._count("pinyon_writes_total", call.operation, outcome)
            if isinstance(raised, Sensitive):
                self._count("pinyon_gate_hits_total", raised.category)

    def _answered(self, call: Call) -> None:
        match call.answer:
            case Recall() as answer:
                self._recalled(call, answer)
            case Written() as written:
                self._written(call.operation, (written,))
            case tuple() as several if call.operation == "write_many":
                self._written(call.operation, several)
            case Imported() as done:
                self._kept(call.operation, done.created, done.equal)
                self._count("pinyon_writes_total", call.operation, FORGOTTEN, by=done.forgotten)
            case CatalogImported() as done:
                self._kept(call.operation, done.created, done.kept)

    def _recalled(self, call: Call, answer: Recall) -> None:
        stages = answer.trace.stages
        for stage in stages:
            self._of["pinyon_recall_stage_seconds"].at(stage.stage).observe(stage.wall_ms / 1000)
        quality = str(call.told.get("quality", "default"))
        self._count("pinyon_recalls_total", quality, answer.trace.intent)
        was_there = bool(stages) and stages[0].stage == "cache"
        self._count("pinyon_answer_cache_total", HIT if was_there else MISS)
        if answer.empty_because is not None:
            self._count("pinyon_recall_empty_total", answer.empty_because)
        for part in answer.degraded:
            self._count("pinyon_recall_degraded_total", part)
        self._count("pinyon_memories_returned_total", by=len(answer.hits))
        if call.told.get("given"):
            self._count("pinyon_memories_used_total", by=len(answer.hits))

    def _written(self, operation: str, written: Collection[Written]) -> None:
        created = sum(one.created for one in written)
        self._kept(operation, created, len(written) - created)
        for one in written:
            for category in one.redacted:
                self._count("pinyon_gate_hits_total", category)
            if one.quarantined:
                self._count("pinyon_gate_hits_total", QUARANTINED)
            for part in one.degraded:
                self._count("pinyon_write_degraded_total", part)

    def _kept(self, operation: str, created: int, equal: int) -> None:
        self._count("pinyon_writes_total", operation, CREATED, by=created)
        self._count("pinyon_writes_total", operation, EQUAL, by=equal)

    def requested(self, route: str, status: int) -> None:
        """Count a request to a server.

        Args:
            route: The template that its path fits, as `/v1/memory/{memory_id}`; "" for none.
            status: What it was answered with.
        """
        self._count("pinyon_http_requests_total", route or NO_ROUTE, str(status))

    def worked(self, attempted: Attempted) -> None:
        """Count an attempt of a worker at a job.

        Its task has a name that a table of handlers gave it, never a caller.
        """
        self._count("pinyon_job_attempts_total", attempted.job.task, attempted.outcome)
        self._of["pinyon_job_seconds"].at(attempted.job.task).observe(attempted.took_s)

    def _count(self, name: str, *labels: str, by: int = 1) -> None:
        if by:
            self._of[name].at(*labels).inc(by)

    # ── what is not counted but looked at ────────────────────────────────────────────────────

    async def sample(
        self, store: object = None, *, home: Path | None = None, now_us: int = 0
    ) -> None:
        """Look at what stands still: call it before `render`.

        Args:
            store: Whose open spaces and jobs are shown; one that cannot be measured shows none.
            home: Where the figures of the last evaluation lie.
            now_us: The time, in microseconds since 1970.
        """
        if isinstance(store, Measured):
            measures = await store.measures()
            self._of["pinyon_spaces_open"].at().set(measures.spaces_open)
            for state in STATES:
                self._of["pinyon_jobs"].at(state).set(measures.jobs.get(state, 0))
            due_us = measures.due_since_us
            waits_us = 0 if due_us is None else max(0, now_us - due_us)
            self._of["pinyon_jobs_oldest_seconds"].at().set(waits_us / US_PER_S)
        if home is not None:
            await anyio.to_thread.run_sync(self._evaluated, home)

    def _evaluated(self, home: Path) -> None:
        figures, at = self._of["pinyon_last_evaluation"], "pinyon_last_evaluation_at_seconds"
        last = None
        with suppress(InvalidFile):  # figures that cannot be read are shown as lacking
            last = read_last(home)
        figures.clear()
        self._of[at].at().set(0 if last is None else last.at_us / US_PER_S)
        for name, figure in {} if last is None else last.measures.items():
            figures.at(name).set(figure)

    async def watch_loop(self) -> None:
        """Ask the event loop again and again whether it answers; run it beside everything else.

        It never returns; whoever started it cancels it.
        """
        stalled = self._of["pinyon_loop_stall_seconds"].at()
        while True:
            asked = time.perf_counter()
            await anyio.sleep(LOOP_ASKED_EVERY_S)
            now = time.perf_counter()
            self._stalls.append((now, max(0.0, now - asked - LOOP_ASKED_EVERY_S)))
            while self._stalls[0][0] < now - STALLS_KEPT_S:
                self._stalls.popleft()
            stalled.set(max(stall for _, stall in self._stalls))

    # ── showing ──────────────────────────────────────────────────────────────────────────────

    def render(self) -> tuple[bytes, str]:
        """Return the page that Prometheus reads, and its content type."""
        return generate_latest(_Shown(self._registry)), CONTENT_TYPE


class _Series:
    """The series of one metric, made when they are first needed, and never for an unknown label."""

    def __init__(self, metric: Metric, registry: CollectorRegistry) -> None:
        self._allowed = tuple(
            None if values is None else frozenset(values) for values in metric.labels.values()
        )
        self._made = _made(metric, registry)
        self._children: dict[tuple[str, ...], Any] = {}
        if not metric.labels:
            self._children[()] = self._made
        # What is known to be possible is shown before it happens: a rate needs its zero.
        for values in metric.labels.values() if len(metric.labels) == 1 else ():
            for value in values or ():
                self.at(value)

    def at(self, *labels: str) -> Any:
        """Return the series of these values; of `other` in the place of one that is unknown."""
        child = self._children.get(labels)
        if child is not None:
            return child
        pairs = zip(labels, self._allowed, strict=True)
        known = tuple(v if allowed is None or v in allowed else OTHER for v, allowed in pairs)
        child = self._made.labels(*known)
        if known == labels:
            self._children[labels] = child
        return child

    def clear(self) -> None:
        """Drop all series."""
        self._children.clear()
        self._made.clear()


def _made(metric: Metric, registry: CollectorRegistry) -> Any:
    names = tuple(metric.labels)
    match metric.kind:
        case "counter":
            return Counter(metric.name, metric.about, names, registry=registry)
        case "gauge":
            return Gauge(metric.name, metric.about, names, registry=registry)
        case "histogram":
            buckets = metric.buckets
            return Histogram(metric.name, metric.about, names, registry=registry, buckets=buckets)


class _Shown:
    """A registry without the series that say when each other one began, which double the page."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterable[Collected]:
        """Return what is shown."""
        for family in self._registry.collect():
            family.samples = [one for one in family.samples if not one.name.endswith("_created")]
            yield family
