"""Every metric that there is: its name, what it counts, and every value that a label may have.

Labels are few and known beforehand, so no text, question, tenant or user can become one, and no
caller can make a page of metrics grow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal, get_args

from pinyon.domain.answers import PARTS, STAGES, EmptyBecause
from pinyon.domain.job import JobState, Outcome
from pinyon.domain.policy import CATEGORIES
from pinyon.domain.question import INTENTS, QUALITIES
from pinyon.errors import errors_by_code
from pinyon.ports.client import OPERATIONS
from pinyon.ports.watch import CANCELLED, OK

Kind = Literal["counter", "gauge", "histogram"]

OTHER = "other"
"""What stands for a value that a label may not have. Whoever sees it has found a bug of ours."""

NO_ROUTE = "none"
"""What stands for the route of a request that fits none, or was refused before that was seen."""

CLIENT_GONE = 499
"""What a request was answered with whose client left before."""

CREATED, EQUAL, FORGOTTEN = "created", "equal", "was_forgotten"
QUARANTINED = "quarantined"
HIT, MISS = "hit", "miss"

NAMES = tuple(operation.name for operation in OPERATIONS)
CODES = tuple(sorted(errors_by_code()))
WRITING = ("remember", "write", "write_many", "import_rows", "import_catalog")
"""Operations that keep what they are given."""

STATES: tuple[JobState, ...] = get_args(JobState)
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
STATUSES = (*(str(one.value) for one in HTTPStatus), str(CLIENT_GONE))

OPERATION_BUCKETS_S = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1),
    *(0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
JOB_BUCKETS_S = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0)
STAGE_BUCKETS_S = (
    *(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01),
    *(0.025, 0.05, 0.1, 0.25, 0.5, 1.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric.

    Attributes:
        about: What it says, in one sentence.
        labels: The values that each of its labels may have; `None` where others name them.
        buckets: Of a histogram: the upper ends, in seconds.
    """

    name: str
    kind: Kind
    about: str
    labels: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    buckets: tuple[float, ...] = ()


METRICS: tuple[Metric, ...] = (
    Metric(
        name="pinyon_http_requests_total",
        kind="counter",
        about="Requests to a server, by the template that their path fits (`none`: it fits none, "
        "or was not looked at) and by the status of the answer; 499: the client left before.",
        labels={"route": None, "status": STATUSES},
    ),
    Metric(
        name="pinyon_operations_total",
        kind="counter",
        about="Calls of each operation, by how they ended: `ok`, the code of the error, or "
        "`cancelled`.",
        labels={"operation": NAMES, "outcome": (OK, CANCELLED, *CODES)},
    ),
    Metric(
        name="pinyon_operation_seconds",
        kind="histogram",
        about="How long each operation took, however it ended; `export` until its reader was done.",
        labels={"operation": NAMES},
        buckets=OPERATION_BUCKETS_S,
    ),
    Metric(
        name="pinyon_recall_stage_seconds",
        kind="histogram",
        about="How long each stage of a recall took; `cache` stands for all where the answer was "
        "still there.",
        labels={"stage": STAGES},
        buckets=STAGE_BUCKETS_S,
    ),
    Metric(
        name="pinyon_recalls_total",
        kind="counter",
        about="Recalls that were answered, by the quality that was asked for and what the question "
        "is after.",
        labels={"quality": QUALITIES, "intent": INTENTS},
    ),
    Metric(
        name="pinyon_recall_empty_total",
        kind="counter",
        about="Recalls that nothing came for, by why.",
        labels={"reason": get_args(EmptyBecause)},
    ),
    Metric(
        name="pinyon_recall_degraded_total",
        kind="counter",
        about="Recalls that were answered without a part, because it failed or the deadline had "
        "passed.",
        labels={"part": PARTS},
    ),
    Metric(
        name="pinyon_memories_returned_total",
        kind="counter",
        about="Memories that recalls returned.",
    ),
    Metric(
        name="pinyon_memories_used_total",
        kind="counter",
        about="Those of them that were given to a model (`given`).",
    ),
    Metric(
        name="pinyon_answer_cache_total",
        kind="counter",
        about="Recalls by whether the answer was still there from before.",
        labels={"result": (HIT, MISS)},
    ),
    Metric(
        name="pinyon_writes_total",
        kind="counter",
        about="What was to be kept: `created`, `equal` to what was there, or refused with the code "
        "of the error. A batch that is refused counts once.",
        labels={"operation": WRITING, "outcome": (CREATED, EQUAL, CANCELLED, *CODES)},
    ),
    Metric(
        name="pinyon_write_degraded_total",
        kind="counter",
        about="What was kept without a part, which is made up for later.",
        labels={"part": PARTS},
    ),
    Metric(
        name="pinyon_gate_hits_total",
        kind="counter",
        about="What the gate found in what was to be kept: a category that it redacted or refused, "
        "or orders to a model, which it put in quarantine.",
        labels={"category": (*CATEGORIES, QUARANTINED)},
    ),
    Metric(
        name="pinyon_spaces_open",
        kind="gauge",
        about="Spaces that this process keeps open.",
    ),
    Metric(
        name="pinyon_jobs",
        kind="gauge",
        about="Jobs of those spaces, by state. `dead` ones have failed for good.",
        labels={"state": STATES},
    ),
    Metric(
        name="pinyon_jobs_oldest_seconds",
        kind="gauge",
        about="How long the job that waits longest in those spaces might have been done; 0 where "
        "none is due.",
    ),
    Metric(
        name="pinyon_job_attempts_total",
        kind="counter",
        about="Attempts of this process's worker at jobs, by how they ended. `failed`: it is tried "
        "again; `lost`: it was cancelled, or is another worker's by now; `put_off`: it waits for "
        "another time, without fault; `given_back`: the worker was told to stop.",
        labels={"task": None, "outcome": OUTCOMES},
    ),
    Metric(
        name="pinyon_job_seconds",
        kind="histogram",
        about="How long each of those attempts took.",
        labels={"task": None},
        buckets=JOB_BUCKETS_S,
    ),
    Metric(
        name="pinyon_last_evaluation",
        kind="gauge",
        about="The figures of the last `pinyon eval --record` in this home, by name.",
        labels={"measure": None},
    ),
    Metric(
        name="pinyon_last_evaluation_at_seconds",
        kind="gauge",
        about="When that was, in seconds since 1970; 0 where there is none.",
    ),
    Metric(
        name="pinyon_loop_stall_seconds",
        kind="gauge",
        about="For how long the event loop answered nobody, at worst, within the last minute.",
    ),
    Metric(
        name="pinyon_build_info",
        kind="gauge",
        about="1, with the version that runs.",
        labels={"version": None},
    ),
)
