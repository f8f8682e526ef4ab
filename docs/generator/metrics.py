"""The page of metrics and spans."""

from generator.markdown import page, section, table
from pinyon.observing import spans
from pinyon.observing.known import CODES, METRICS, NAMES, STATUSES, Metric
from pinyon.ports.client import OPERATIONS

SAID = {
    NAMES: "every [operation](operations.md)",
    CODES: "every code of [an error](errors.md)",
    STATUSES: "an HTTP status, or `499`",
}
OF_OTHERS = {
    "route": "every path of `/openapi.json`, `/mcp`, `/mcp/{user_id:path}`, `none`",
    "task": "the tasks of the worker",
    "measure": "the [figures](evaluation.md) of `pinyon eval`, `leaks` and `starvation`",
    "version": "the version",
}


def metrics_page() -> str:
    """Return the page of metrics and spans."""
    rows = [(f"`{one.name}`", one.kind, _labels(one), one.about) for one in METRICS]
    called = [(f"`{one.name}`", f"`{spans.CALLED[one.name]}`") for one in OPERATIONS]
    return page(
        "Metrics and spans",
        """
        [Watch it](../howto/watch-it.md) says how to get them. A label has only the values that are
        listed here, known before anything happens: no text, question, tenant, user or id becomes
        one. `other` stands for a value that should not exist; seeing it is worth a report.
        """,
        section(
            "Metrics",
            table(("metric", "kind", "labels", "what it says"), rows),
            "Histograms end in `_bucket`, `_count` and `_sum`, as Prometheus has it. Beside them "
            "stand the usual `process_…` metrics where the platform tells them (Linux): processor "
            "time, memory, open files, start.",
            "Gauges of spaces and jobs count the spaces that the process has open: to count all "
            "would mean to open each. What is counted is counted by one process, from its start.",
        ),
        section(
            "Spans",
            "Each call is a span of kind `INTERNAL`, a child of the span that is open where the "
            "client is called; each stage of a recall is a span below it, `recall <stage>`.",
            table(("operation", "name of its span"), called),
            table(("attribute", "what it says"), _attributes()),
        ),
    )


def _labels(metric: Metric) -> str:
    return "; ".join(
        f"`{label}`: {OF_OTHERS[label] if values is None else _values(values)}"
        for label, values in metric.labels.items()
    )


def _values(values: tuple[str, ...]) -> str:
    for whole, said in SAID.items():
        if values == whole:
            return said
        if set(whole) < set(values):
            return ", ".join([*(f"`{one}`" for one in values if one not in whole), said])
    return ", ".join(f"`{one}`" for one in values)


def _attributes() -> list[tuple[str, str]]:
    said = {
        spans.OPERATION_NAME: "the name of the span",
        spans.RECORD_COUNT: "how many memories it was about: hits, what was kept, what is gone",
        spans.RECORD_ID: "the id of the one memory that it was about",
        spans.ERROR_TYPE: "the code of the error; of a bug, the class of what was raised",
        spans.OPERATION: "the operation, as a client calls it",
        spans.OUTCOME: "`ok`, the code of the error, or `cancelled`",
        spans.INTENT: "of a recall: what the question is after",
        spans.EMPTY_REASON: "of a recall that nothing came for: why",
        spans.DEGRADED: "parts that it went without",
        spans.STAGE: "of a stage: its name",
        spans.CANDIDATES: "of a stage: how many candidates it left",
    }
    return [(f"`{name}`", about) for name, about in said.items()]
