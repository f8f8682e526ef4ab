"""The alerts and the dashboard name only metrics, labels and values that the code exports."""

import json
import re
from pathlib import Path

import pytest
import yaml  # of schemathesis
from prometheus_client.parser import text_string_to_metric_families

from pinyon.client import MemoryClient
from pinyon.domain.ids import JobId
from pinyon.domain.job import Attempted, Job
from pinyon.domain.principal import Principal
from pinyon.errors import NotFound, errors_by_code
from pinyon.evaluation.quality.summary import AREAS
from pinyon.evaluation.quality.summary import METRICS as MEASURES
from pinyon.observing.known import METRICS
from pinyon.observing.last_evaluation import LastEvaluation, write_last
from pinyon.observing.metrics import Metrics
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
RULES = ROOT / "ops" / "alerts.yml"
DASHBOARD = ROOT / "ops" / "dashboard.json"

USED = re.compile(r"\b((?:pinyon|process)_[a-z_]+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|ignoring|on)\s*\(([^)]*)\)")
SCRAPED = {"job", "instance"}
"""Labels that Prometheus itself adds."""


def alerts():
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels():
    found = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def expressions():
    return [(rule["alert"], rule["expr"]) for rule in alerts()] + [
        (panel["title"], target["expr"]) for panel in panels() for target in panel["targets"]
    ]


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def exported(tmp_path_factory):
    """Return the labels of each series that a client in use exports, by its name."""
    home, clock, metrics = tmp_path_factory.mktemp("home"), FrozenClock(), Metrics()
    store = InMemoryStore(clock=clock)
    principal = Principal.of_home(tenant="acme", user="ann", agent=None, project=None)
    client = MemoryClient(store, principal, clock=clock, new_uuid=counting_ids(), watch=metrics)
    await client.write("Sarah's hub is a v2, her key is AKIAIOSFODNN7EXAMPLE")
    await client.recall("which hub has Sarah?", given=True)
    with pytest.raises(NotFound):
        await client.show("mem_" + "0" * 32)
    metrics.requested("/v1/memory/{memory_id}", 404)
    job = Job(id=JobId("job_" + "0" * 32), task="embed", run_at_us=1)
    metrics.worked(Attempted(space=principal.writes[0], job=job, outcome="failed"))
    measures = dict.fromkeys([*MEASURES, *AREAS, "leaks", "starvation"], 0.5)
    write_last(home, LastEvaluation(corpus="sarah", at_us=1, measures=measures))
    await metrics.sample(store, home=home, now_us=clock.now_us())

    page = metrics.render()[0].decode()
    return {
        sample.name: set(sample.labels)
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }, measures


@pytest.mark.parametrize(("where", "expression"), expressions())
async def test_every_metric_and_label_that_is_named_is_exported(exported, where, expression):
    series, measures = exported
    known = {
        (metric.name, label): values
        for metric in METRICS
        for label, values in metric.labels.items()
    }
    used = USED.findall(expression)

    assert used, f"{where} names no metric"
    labels = set().union(*(series[name] for name, _ in used)) | SCRAPED
    for name, matchers in used:
        for label, how, value in MATCHER.findall(matchers):
            assert label in series[name] | SCRAPED, (where, name, label)
            if label in SCRAPED or label == "le":
                continue
            values = known[re.sub(r"_(bucket|count|sum)$", "", name), label]
            values = measures if label == "measure" else values
            for one in value.split("|"):
                pattern = one if how in ("=~", "!~") else re.escape(one)
                assert any(re.fullmatch(pattern, v) for v in values), (where, label, one)
    for group in GROUPED.findall(expression):
        assert {one.strip() for one in group.split(",")} <= labels, (where, group)


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_an_alert_says_how_bad_it_is_what_happened_and_what_to_do(rule):
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert set(rule["annotations"]) == {"summary", "action"}
    assert all(rule["annotations"].values())


def test_whatever_is_no_fault_of_the_caller_counts_as_failing():
    (failing,) = (rule["expr"] for rule in alerts() if rule["alert"] == "PinyonFailing")
    named = re.search(r'outcome=~"([^"]+)"', failing)[1].split("|")
    ours = [code for code, error in errors_by_code().items() if error.http_status >= 500]

    # A client without a server is nothing that a server can tell, and without the issuer's keys
    # nothing is begun: that counts as an answer of the server.
    assert sorted([*named, "server_unreachable", "issuer_unavailable"]) == sorted(ours)


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_what_a_summary_fills_in_is_a_label_of_its_expression(rule):
    filled = re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values()))

    assert [label for label in filled if label not in rule["expr"]] == []


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_panels_that_an_alert_sends_to_are_there(rule):
    titles = {panel["title"].split(" (")[0] for panel in panels()}
    named = re.findall(r'"([A-Z][^"]+)"', rule["annotations"]["action"])

    assert [title for title in named if title not in titles] == []


def test_the_dashboard_can_be_imported_anywhere():
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    ids = [panel["id"] for panel in dashboard["panels"]]

    assert len(ids) == len(set(ids))
    assert {panel["datasource"]["uid"] for panel in panels()} == {"${datasource}"}
    assert [one["name"] for one in dashboard["templating"]["list"]] == ["datasource", "job"]
    assert [one["title"] for one in dashboard["panels"] if one["type"] == "row"] == [
        "Traffic",
        "Latency",
        "Recall quality",
        "Writes and the gate",
        "Background",
        "Process",
    ]


def test_every_metric_of_ours_is_looked_at_by_somebody():
    said = " ".join(expression for _, expression in expressions())

    assert [metric.name for metric in METRICS if metric.name not in said] == []
