"""A span for each call, by OpenTelemetry's conventions for generative AI.

Their names for memory are still in development; all that we take of them stand here. A span says
which operation it was, how it ended, and how many memories there were, by id where it is one; never
a text, a question, a tenant or a user.

Needs opentelemetry-api, and to send spans somewhere the SDK and an exporter: the extra `otel`.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, TracerProvider

from pinyon.domain.answers import (
    CatalogImported,
    Forgotten,
    History,
    Imported,
    Listing,
    Published,
    Recall,
    StageTrace,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.memory import Memory
from pinyon.errors import PinyonError
from pinyon.ports.watch import Call, outcome_of

Attributes: TypeAlias = Mapping[str, str | bool | int | float | Sequence[str]]

INSTRUMENT = "pinyon"
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

OPERATION_NAME = "gen_ai.operation.name"
RECORD_COUNT = "gen_ai.memory.record.count"
RECORD_ID = "gen_ai.memory.record.id"
ERROR_TYPE = "error.type"
SERVICE = "service.name"

OPERATION = "pinyon.operation"
OUTCOME = "pinyon.outcome"
INTENT = "pinyon.intent"
EMPTY_REASON = "pinyon.empty_reason"
DEGRADED = "pinyon.degraded"
STAGE = "pinyon.stage"
CANDIDATES = "pinyon.candidates"

CALLED: Mapping[str, str] = {
    "remember": "create_memory",
    "write": "create_memory",
    "write_many": "create_memory",
    "recall": "search_memory",
    "turn": "search_memory",
    "build_context": "search_memory",
    "core_facts": "search_memory",
    "warm": "warm_memory",
    "why_not": "search_memory",
    "show": "get_memory",
    "list": "list_memory",
    "history": "get_memory_history",
    "edit": "update_memory",
    "retract": "update_memory",
    "end": "update_memory",
    "hide": "update_memory",
    "release": "update_memory",
    "undo": "update_memory",
    "forget": "delete_memory",
    "receipts": "list_memory_receipts",
    "publish": "create_memory",
    "withdraw": "delete_memory",
    "export": "export_memory",
    "import_rows": "upsert_memory",
    "import_catalog": "upsert_memory",
    "list_catalog": "list_memory",
    "events": "search_memory_events",
    "consolidate": "upsert_memory",
    "material": "search_memory_material",
    "propose": "upsert_memory",
    "reflect": "upsert_memory",
    "start_session": "create_memory_session",
    "end_session": "delete_memory_session",
    "list_sessions": "list_memory_sessions",
    "consent": "get_memory_consent",
    "set_consent": "update_memory_consent",
    "feedback": "update_memory",
    "export_feedback": "export_memory_feedback",
}
"""What OpenTelemetry calls each operation; where it has no name, one of the same form."""

COUNTED: Mapping[type, Callable[[Any], int]] = {
    Recall: lambda answer: len(answer.hits),
    Listing: lambda answer: len(answer.memories),
    History: lambda answer: len(answer.chain),
    Published: lambda answer: len(answer.copies),
    Warmed: lambda answer: answer.memories,
    Forgotten: lambda answer: answer.receipt.counts.get("memories", 0) if answer.receipt else 0,
    Imported: lambda answer: answer.created + answer.equal,
    CatalogImported: lambda answer: answer.created + answer.kept,
}
"""How many memories an answer is about."""


class Spans:
    """A `pinyon.ports.watch.Watch` that opens a span for each call, and one below for each stage.

    The span is a child of whatever span is open where the client is called.
    """

    def __init__(
        self,
        provider: TracerProvider | None = None,
        *,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Take whose spans they are: by default those of the program's own set-up."""
        self._tracer: Tracer = trace.get_tracer(INSTRUMENT, tracer_provider=provider)
        self._now_ns = now_ns

    @contextmanager
    def around(self, call: Call) -> Iterator[None]:
        """See the port."""
        began_ns, began_s = self._now_ns(), time.perf_counter()
        name = CALLED[call.operation]
        span = self._tracer.start_span(
            name,
            kind=SpanKind.INTERNAL,
            attributes={OPERATION_NAME: name, OPERATION: call.operation},
            start_time=began_ns,
        )
        within = trace.set_span_in_context(span)
        # What a stream's reader does between two bits is no part of it, and runs elsewhere.
        token = None if call.streams else contexts.attach(within)
        try:
            yield
        except BaseException as error:
            self._failed(span, error)
            raise
        else:
            if span.is_recording():
                span.set_attributes(_said_of(call.answer))
                if isinstance(call.answer, Recall):
                    first_ns = int((call.answer.trace.began_s - began_s) * NS_PER_S)
                    self._staged(call.answer.trace.stages, within, began_ns + first_ns)
        finally:
            if token is not None:
                contexts.detach(token)
            took_ns = int((time.perf_counter() - began_s) * NS_PER_S)
            span.end(end_time=began_ns + took_ns)

    def _failed(self, span: Span, error: BaseException) -> None:
        """Say how it failed by a code: what an error says may quote what somebody wrote."""
        outcome = outcome_of(error)
        ours = isinstance(error, PinyonError)
        span.set_attributes(
            {OUTCOME: outcome, ERROR_TYPE: outcome if ours else type(error).__qualname__}
        )
        if isinstance(error, Exception):
            span.set_status(Status(StatusCode.ERROR))

    def _staged(
        self, stages: Sequence[StageTrace], within: contexts.Context, began_ns: int
    ) -> None:
        """Draw the stages of a recall where they were."""
        for stage in stages:
            start_ns = began_ns + int(stage.began_ms * NS_PER_MS)
            span = self._tracer.start_span(
                f"recall {stage.stage}",
                context=within,
                attributes={STAGE: stage.stage, CANDIDATES: stage.candidates},
                start_time=start_ns,
            )
            span.end(end_time=start_ns + int(stage.wall_ms * NS_PER_MS))


def _said_of(answer: object) -> Attributes:
    said: dict[str, str | bool | int | float | Sequence[str]] = {OUTCOME: "ok"}
    count, identifier = _records(answer)
    if count is not None:
        said[RECORD_COUNT] = count
    if identifier:
        said[RECORD_ID] = identifier
    if isinstance(answer, Recall):
        said[INTENT] = answer.trace.intent
        if answer.empty_because is not None:
            said[EMPTY_REASON] = answer.empty_because
    if isinstance(answer, Recall | Written | Warmed) and answer.degraded:
        said[DEGRADED] = answer.degraded
    return said


def _records(answer: object) -> tuple[int | None, str]:
    """Return how many memories an answer is about, and which where it is one by its nature."""
    if isinstance(answer, Memory | Written | WhyNot):
        return 1, answer.id
    if isinstance(answer, tuple):
        return len(answer), ""
    counted = COUNTED.get(type(answer))
    return (None if counted is None else counted(answer)), ""


@cache
def exported() -> TracerProvider:
    """Return what sends spans where the standard variables say (`OTEL_EXPORTER_OTLP_ENDPOINT`, …).

    A program that has set up OpenTelemetry itself keeps what it set up. Else one is made for this
    process, and what waits in it is sent when the process ends.

    Raises:
        ImportError: The extra is not installed.
    """
    current = trace.get_tracer_provider()
    if not isinstance(current, trace.ProxyTracerProvider):
        return current
    from opentelemetry.exporter.otlp.proto.http import trace_exporter  # noqa: PLC0415 - the extra
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider as Sending  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    resource = Resource.create()
    if str(resource.attributes[SERVICE]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE: INSTRUMENT}))
    provider = Sending(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(trace_exporter.OTLPSpanExporter()))
    return provider
