"""How good recall is, for a person."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pinyon.evaluation.quality.comparing import Difference
from pinyon.evaluation.quality.corpus import ABSTAIN
from pinyon.evaluation.quality.gates import Verdict
from pinyon.evaluation.quality.runs import Made
from pinyon.evaluation.quality.summary import AREAS, METRICS, Slice, Summary, abstention
from pinyon.surfaces.cli.terminal import out

SHORT = {
    "recall@1": "R@1",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "ndcg@10": "nDCG@10",
    "evidence@1000": "in 1000",
    "empty": "empty",
}
"""Figures of slices that fit beside each other on eighty characters; `--json` has them all."""
MEANINGS = {
    "recall@10": "share of the evidence in ten hits",
    "all-hit@10": "all of it is in ten hits",
    "mrr": "one over the place of the first",
    "ndcg@10": "how near the order is to the best",
    "evidence@1000": "share of it in so many tokens",
    "empty": "answerable, and nothing came",
    "abstention(foreign)": "another domain, and nothing came",
    "abstention(near)": "near, unsaid, and nothing came",
    "auroc(foreign)": "told from what is answered by score",
    "auroc(near)": "the same, of what is near",
}


def show_evaluation(
    made: Made,
    summary: Summary,
    differences: Mapping[str, Difference],
    verdicts: Sequence[Verdict],
) -> None:
    """Print a run: what was asked, the figures, what changed, and the gates."""
    console = out()
    console.print(
        f"[bold]{escape(made.corpus)}[/]: {made.questions:,} questions to {made.memories:,} "
        f"memories of {made.tenants:,} {'person' if made.tenants == 1 else 'people'} "
        f"[dim]· {_how(made)}[/]\n"
    )
    console.print(_figures(summary.whole))
    for name, parts in summary.by.items():
        if name != "half" and len(parts) > 1:
            console.print()
            console.print(_slices(name, parts))
    console.print()
    _show_latency(console, summary)
    if differences:
        console.print()
        show_differences(console, differences)
    _show_isolation(console, summary)
    show_verdicts(console, verdicts)


def show_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    """Print what became of each gate."""
    for verdict in verdicts:
        sign = "[green]✓ passed[/]" if verdict.passed else "[bold red]✗ failed[/]"
        name = "" if verdict.name in verdict.gate else f" {escape(verdict.name)}"
        console.print(f"{sign} {escape(verdict.gate)}:{name} [bold]{verdict.found:.4g}[/]")


def _how(made: Made) -> str:
    config = made.config
    by = "by words" if config["embedder"] is None else "by meaning and words"
    without = config["without"]
    left_out = f", without {', '.join(without)}" if isinstance(without, list) and without else ""
    return f"{by}, quality {config['quality']}{left_out}"


def _figures(whole: Slice) -> Table:
    table = table_of("all questions", "", "95 % between", left=("meaning",))
    for name in (*METRICS, *AREAS):
        if name in whole.metrics:
            interval = whole.intervals[name]
            shown = [_shown(name, one) for one in (whole.metrics[name], interval.low)]
            high = _shown(name, interval.high)
            table.add_row(name, f"[bold]{shown[0]}[/]", f"{shown[1]} – {high}", MEANINGS.get(name))
    return table


def _slices(name: str, parts: Mapping[str, Slice]) -> Table:
    columns = [metric for metric in SHORT if any(metric in of.metrics for of in parts.values())]
    refused = {part: _refused(of) for part, of in parts.items()}
    last = ["refused"] if any(refused.values()) else []
    table = table_of(f"by {name}", "asked", *(SHORT[column] for column in columns), *last)
    for part, of in parts.items():
        cells = [
            _shown(column, of.metrics[column]) if column in of.metrics else "[dim]–[/]"
            for column in columns
        ]
        cells += [refused[part] or "[dim]–[/]"] if last else []
        table.add_row(escape(part), f"{of.questions:,}", *cells)
    return table


def _refused(of: Slice) -> str:
    """Return the share of what nothing answers that rightly got nothing, in per cent."""
    shares = [of.metrics[name] for name in map(abstention, ABSTAIN) if name in of.metrics]
    return " / ".join(_shown("empty", share) for share in shares)


def _show_latency(console: Console, summary: Summary) -> None:
    wall, cpu = summary.recall_ms["wall"], summary.recall_ms["cpu"]
    stages = sorted(summary.stages_ms.items(), key=lambda one: -one[1]["p50"])
    named = ", ".join(f"{stage} {took['p50']:.1f}" for stage, took in stages[:6])
    console.print(
        f"a recall of ten hits: p50 {wall['p50']:.1f} ms, p95 {wall['p95']:.1f}, "
        f"p99 {wall['p99']:.1f}; CPU p50 {cpu['p50']:.1f}, p95 {cpu['p95']:.1f} "
        f"[dim]· medians of stages: {named}[/]"
    )


def _show_isolation(console: Console, summary: Summary) -> None:
    for what, count, of in (
        ("hits that were another person's", summary.leaks, ""),
        (
            "questions with fewer hits than alone",
            summary.starvation,
            f" of {summary.starvation_of:,} looked at" if summary.starvation_of else "",
        ),
    ):
        style = "bold red" if count else "green"
        console.print(f"[{style}]{count:,}[/] {what}{of}")


def show_differences(console: Console, differences: Mapping[str, Difference]) -> None:
    """Print what is other than in an earlier run."""
    table = table_of("compared", "before", "now", "change", "95 % between", "better", "worse")
    for name, one in differences.items():
        is_clear = one.interval.low > 0 or one.interval.high < 0
        change = _signed(name, one.delta)
        table.add_row(
            name,
            _shown(name, one.before),
            _shown(name, one.after),
            f"[bold]{change}[/]" if is_clear else change,
            f"{_signed(name, one.interval.low)} – {_signed(name, one.interval.high)}",
            f"{one.better:,}",
            f"{one.worse:,}",
        )
    console.print(table)


def _shown(name: str, value: float) -> str:
    """Return a share in per cent, and what is none as it is."""
    return f"{value:,.0f}" if name == "tokens" else f"{100 * value:.1f}"


def _signed(name: str, value: float) -> str:
    return f"{value:+,.0f}" if name == "tokens" else f"{100 * value:+.1f}"


def table_of(first: str, *names: str, left: Sequence[str] = ()) -> Table:
    """Return a table of figures: names, figures to the right, and words to the left of the rest."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(first, no_wrap=True)
    for name in names:
        table.add_column(name, justify="right")
    for name in left:
        table.add_column(name, style="dim")
    return table
