"""The page: headline, charts, what changed, and the questions that went worst."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from statistics import median

from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.comparing import Difference
from pinyon.evaluation.quality.corpus import Corpus
from pinyon.evaluation.quality.gates import Verdict
from pinyon.evaluation.quality.marks import BUDGETS, CUTOFFS
from pinyon.evaluation.quality.runs import Made
from pinyon.evaluation.quality.summary import Slice, Summary
from pinyon.evaluation.report.charts import Bar, bars, histogram, line

WORST = 25
CAME = 3
"""Hits of a question that went wrong that are shown."""
TEXT_CHARS = 220

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)


def page_of(
    corpus: Corpus,
    made: Made,
    summary: Summary,
    outcomes: Sequence[Outcome],
    differences: Mapping[str, Difference],
    verdicts: Sequence[Verdict],
) -> str:
    """Return the page as HTML. It shows texts of the corpus: it is as confidential as that is."""
    title = escape(f"{made.corpus}: how good recall is")
    style = (files(__package__) / "style.css").read_text("utf-8")
    parts = [
        f"{_HEAD}<title>{title}</title><style>{style}</style></head><body>",
        f"<h1>{title}</h1>",
        f'<p class="dim">{made.questions:,} questions to {made.memories:,} memories of '
        f"{made.tenants:,} {'person' if made.tenants == 1 else 'people'}, Pinyon {made.pinyon}</p>",
        _tiles(summary),
        '<div class="cards">',
        *_cards(summary, outcomes),
        *([_card("Gates", _gates(verdicts))] if verdicts else []),
        *([_card("Compared with an earlier run", _compared(differences))] if differences else []),
        _card("What went worst, and what came instead", _worst(corpus, outcomes), wide=True),
        "</div>",
        _footer(made),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _tiles(summary: Summary) -> str:
    metrics = summary.whole.metrics
    shares = [
        ("recall@10", "recall@10"),
        ("nDCG@10", "ndcg@10"),
        ("evidence in 1,000 tokens", "evidence@1000"),
        ("foreign questions refused", "abstention(foreign)"),
    ]
    tiles = [
        _tile(f"{100 * metrics[name]:.1f}", shown) for shown, name in shares if name in metrics
    ]
    for count, shown in (
        (summary.leaks, "hits of other people"),
        (summary.starvation, "questions starved"),
    ):
        tiles.append(_tile(f"{count:,}", shown, "bad" if count else "good"))
    tiles.append(_tile(f"{summary.recall_ms['wall']['p95']:.0f} ms", "a recall, p95"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _tile(value: str, shown: str, style: str = "") -> str:
    return f'<div class="tile {style}"><b>{escape(value)}</b><span class="dim">{shown}</span></div>'


def _cards(summary: Summary, outcomes: Sequence[Outcome]) -> Iterator[str]:
    metrics = summary.whole.metrics
    for name in ("category", "kind"):
        rows = _bars_of(summary.by[name])
        if len(rows) > 1:
            yield _card(f"Recall@10 by {name}", bars(rows, most=1, label=f"recall@10 by {name}"))
    if "recall@10" in metrics:
        depth = {f"first {cut}": metrics[f"recall@{cut}"] for cut in CUTOFFS}
        yield _card("How deep one must look", line(depth, label="recall by number of hits"))
        within = {f"{budget:,} tokens": metrics[f"evidence@{budget}"] for budget in BUDGETS}
        yield _card("What fits into a prompt", line(within, label="evidence by token budget"))
    yield _card(
        "How well the best hit tells what is answered",
        histogram(_bests(outcomes), floor=_floor(outcomes), label="relevance of the best hit"),
    )
    yield _card(
        "Where the time goes (median, and up to the 95th percentile)", _latency(summary.stages_ms)
    )


def _bars_of(parts: Mapping[str, Slice]) -> list[Bar]:
    rows = []
    for name, of in parts.items():
        metric = next((m for m in of.metrics if m == "recall@10" or m.startswith("absten")), None)
        if metric is not None:
            interval = of.intervals[metric]
            shown = name if metric == "recall@10" else f"{name} (refused)"
            rows.append(
                Bar(
                    name=shown,
                    value=of.metrics[metric],
                    low=interval.low,
                    high=interval.high,
                    shown=f"{100 * of.metrics[metric]:.1f} of {of.questions:,}",
                )
            )
    return rows


def _bests(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {"answered": [], "near": [], "foreign": []}
    for one in outcomes:
        groups[one.abstain or "answered"].append(one.best)
    return {name: values for name, values in groups.items() if values}


def _floor(outcomes: Sequence[Outcome]) -> float | None:
    return median(one.floor for one in outcomes) if outcomes else None


def _latency(stages: Mapping[str, Mapping[str, float]]) -> str:
    rows = [
        Bar(
            name=stage,
            value=took["p50"],
            low=took["p50"],
            high=took["p95"],
            shown=f"{took['p50']:.2f} – {took['p95']:.2f} ms",
        )
        for stage, took in stages.items()
    ]
    longest = max((row.high or 0 for row in rows), default=1)
    return bars(rows, most=longest * 1.25, label="milliseconds by stage")


def _gates(verdicts: Sequence[Verdict]) -> str:
    rows = [
        f'<tr><td class="{"passed" if one.passed else "failed"}">'
        f"{'passed' if one.passed else 'failed'}</td><td><code>{escape(one.gate)}</code></td>"
        f'<td>{escape(one.name)}</td><td class="number">{one.found:.4g}</td></tr>'
        for one in verdicts
    ]
    return f"<table>{''.join(rows)}</table>"


def _compared(differences: Mapping[str, Difference]) -> str:
    rows = [
        f'<tr><td>{escape(name)}</td><td class="number">{_shown(name, one.before)}</td>'
        f'<td class="number">{_shown(name, one.after)}</td>'
        f'<td class="number">{_shown(name, one.delta, signed=True)}</td>'
        f'<td class="number">{_shown(name, one.interval.low, signed=True)} – '
        f"{_shown(name, one.interval.high, signed=True)}</td>"
        f'<td class="number">{one.better:,}</td><td class="number">{one.worse:,}</td></tr>'
        for name, one in differences.items()
    ]
    names = ("before", "now", "change", "95 % between", "better", "worse")
    head = "<th></th>" + "".join(f'<th class="number">{name}</th>' for name in names)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _worst(corpus: Corpus, outcomes: Sequence[Outcome]) -> str:
    texts = {row.id: row.draft.text for row in corpus.shared}
    by_tenant = {
        tenant.name: {**texts, **{row.id: row.draft.text for row in tenant.rows}}
        for tenant in corpus.tenants
    }
    worst = sorted((one for one in outcomes if one.marks), key=lambda one: one.marks["ndcg@10"])
    wrong = [one for one in worst if one.marks["recall@10"] < 1][:WORST]
    if not wrong:
        return '<p class="dim">Every answer was among the first ten hits.</p>'
    head = "<tr><th>question</th><th>what answers it</th><th>what came</th></tr>"
    rows = [_wrong(one, by_tenant[one.tenant]) for one in wrong]
    return f"<table>{head}{''.join(rows)}</table>"


def _wrong(one: Outcome, texts: Mapping[str, str]) -> str:
    came = [hit.row for hit in one.hits]
    answers = [
        f"<li>{_cut(texts[row])} <span class=dim>"
        f"{f'place {came.index(row) + 1}' if row in came else 'did not come'}</span></li>"
        for row in one.evidence
    ]
    hits = [
        f"<li>{_cut(texts.get(hit.row, hit.row))} <span class=dim>{hit.score:.2f}</span></li>"
        for hit in one.hits[:CAME]
    ]
    if not hits:
        nothing = f"nothing: best {one.best:.2f}, floor {one.floor:.2f}"
        hits = [f"<li class=dim>{nothing} ({escape(str(one.empty_because))})</li>"]
    named = " · ".join(part for part in (one.tenant, one.category) if part)
    return (
        f"<tr><td>{_cut(one.question)}<br><span class=dim>{escape(named)}</span></td>"
        f"<td><ul>{''.join(answers)}</ul></td><td><ol>{''.join(hits)}</ol></td></tr>"
    )


def _cut(text: str) -> str:
    return escape(text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]} …")


def _shown(name: str, value: float, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return f"{value:{sign},.0f}" if name == "tokens" else f"{100 * value:{sign}.1f}"


def _card(title: str, body: str, *, wide: bool = False) -> str:
    style = "card wide" if wide else "card"
    return f'<section class="{style}"><h2>{escape(title)}</h2>{body}</section>'


def _footer(made: Made) -> str:
    config = escape(json.dumps(dict(made.config), ensure_ascii=False))
    return (
        f"<footer>config <code>{config}</code><br>data <code>{made.data}</code><br>"
        f"code <code>{made.code}</code></footer>"
    )
