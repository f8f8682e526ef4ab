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
from typing import TypeAlias

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
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.memory import Memory
from pinyon.errors import InvalidSetting, PinyonError
from pinyon.ports.watch import Call, outcome_of

Attributes: TypeAlias = Mapping[str, str | bool | int | float | Sequence[str]]

INSTRUMENT = "pinyon"
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

OPERATION_NAME = "gen_ai.operation.name"
RECORD_COUNT = "gen_ai.memory.record.count"
RECORD_ID = "gen_ai.memory.record.id"
ERROR_TYPE = "error.type"

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
}
"""What OpenTelemetry calls each operation; where it has no name, one of the same form."""


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
        version = None
        self._tracer: Tracer = trace.get_tracer(INSTRUMENT, version, provider)
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
                if isinstance(call.answer, Recall | Warmed):
                    self._staged(call.answer, within, began_ns, began_s)
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
        self, answer: Recall | Warmed, within: contexts.Context, began_ns: int, began_s: float
    ) -> None:
        """Draw the stages where they were, by the same clock."""
        if isinstance(answer, Recall):
            began_ns += int((answer.trace.began_s - began_s) * NS_PER_S)
            stages = answer.trace.stages
        else:
            stages = answer.stages
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
    match answer:
        case Memory() | Written():
            return 1, answer.id
        case WhyNot():
            return 1, answer.id
        case Recall():
            return len(answer.hits), ""
        case Listing():
            return len(answer.memories), ""
        case History():
            return len(answer.chain), ""
        case Published():
            return len(answer.copies), ""
        case Warmed():
            return answer.memories, ""
        case Forgotten():
            return 0 if answer.receipt is None else answer.receipt.counts.get("memories", 0), ""
        case Imported():
            return answer.created + answer.equal, ""
        case CatalogImported():
            return answer.created + answer.kept, ""
        case tuple():
            return len(answer), ""
        case _:
            return None, ""


@cache
def exported() -> TracerProvider:
    """Return what sends spans where the standard variables say (`OTEL_EXPORTER_OTLP_ENDPOINT`, …).

    A program that has set up OpenTelemetry itself keeps what it set up. Else one is made for this
    process, and what waits in it is sent when the process ends.

    Raises:
        InvalidSetting: The extra is not installed.
    """
    current = trace.get_tracer_provider()
    if not isinstance(current, trace.ProxyTracerProvider):
        return current
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - only where it is used
        from opentelemetry.sdk.trace import TracerProvider as Sending  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise missing() from error
    usual = Resource({"service.name": INSTRUMENT})
    provider = Sending(resource=usual.merge(Resource.create()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def missing() -> InvalidSetting:
    """Return the error that says what to install."""
    return InvalidSetting("PINYON_OTEL", "`on` needs the extra `otel`: pip install 'pinyon[otel]'")
