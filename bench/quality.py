"""How good recall is on data of your own: `python bench/quality.py FOLDER`. See `bench/README.md`.

Every row is kept as a memory of its tenant, in a temporary home, and every question is asked
through the library's front door.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from pinyon.client import MemoryClient
from pinyon.domain.memory import KINDS
from pinyon.domain.principal import Principal
from pinyon.domain.question import Narrowing
from pinyon.errors import PinyonError
from pinyon.evaluation.quality.asking import ask, keep_rows
from pinyon.evaluation.quality.datasets import Tenant, read_folder
from pinyon.evaluation.quality.marks import CUTOFFS, NDCG_HITS, Marks, marks_of, mean_marks
from pinyon.evaluation.timing import Figures, Run, figures
from pinyon.settings import read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.wiring import embedder_of, open_client


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one question."""

    tenant: int
    category: str
    marks: Marks
    is_empty: bool
    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What became of a number of questions: means, and the share that nothing came for."""

    questions: int
    recall: dict[int, float]
    mrr: float
    ndcg: float
    empty: float


async def outcomes_of(
    client: MemoryClient,
    clock: FrozenClock,
    tenants: Sequence[Tenant],
    *,
    k: int,
    narrowing: Narrowing,
) -> list[Outcome]:
    """Keep the rows of every tenant under a user of its own, and ask its questions."""
    outcomes: list[Outcome] = []
    for number, tenant in enumerate(tenants, start=1):
        own = client.acting_for(tenant.name)
        clock.at_us = tenant.asked_at_us
        _tell(f"{number} of {len(tenants)}: keeping {len(tenant.rows):,} rows")
        kept = await keep_rows(own, tenant)
        if tenant.shortened:
            _tell(f"  {tenant.shortened} of them are longer than a memory, and were cut")
        _tell(f"  asking {len(tenant.questions):,} questions")
        for asked in tenant.questions:
            answer, run = await ask(own, asked.text, k=k, **narrowing)
            outcomes.append(
                Outcome(
                    tenant=number,
                    category=asked.category,
                    marks=marks_of(kept.evidence(asked.evidence), kept.came(answer)),
                    is_empty=not answer.hits,
                    run=run,
                )
            )
    return outcomes


def summary_of(outcomes: Sequence[Outcome]) -> Summary:
    """Return the means of some outcomes, of which there is at least one."""
    marks = mean_marks([one.marks for one in outcomes])
    return Summary(
        questions=len(outcomes),
        recall=marks.recall,
        mrr=marks.reciprocal_rank,
        ndcg=marks.ndcg,
        empty=sum(one.is_empty for one in outcomes) / len(outcomes),
    )


def summaries_of(outcomes: Sequence[Outcome], *, halves: bool) -> dict[str, Summary]:
    """Return the summary of all outcomes, of halves of the tenants, and of each category."""
    parts: dict[str, list[Outcome]] = {"all": list(outcomes)}
    if halves:
        parts["odd tenants"] = [one for one in outcomes if one.tenant % 2 == 1]
        parts["even tenants"] = [one for one in outcomes if one.tenant % 2 == 0]
    for one in sorted(outcomes, key=lambda one: one.category):
        parts.setdefault(f"category {one.category}", []).append(one)
    return {name: summary_of(part) for name, part in parts.items() if part}


def shown(summaries: Mapping[str, Summary], took: Figures, *, k: int) -> str:
    """Return the table."""
    cutoffs = [cut for cut in CUTOFFS if cut <= k]
    head = "".join(f"{f'R@{cut}':>7}" for cut in cutoffs)
    lines = [f"{'per cent':<28}{'asked':>7}{head}{'MRR':>7}{f'nDCG@{NDCG_HITS}':>9}{'empty':>7}"]
    for name, one in summaries.items():
        recall = "".join(f"{100 * one.recall[cut]:>7.1f}" for cut in cutoffs)
        rest = f"{100 * one.mrr:>7.1f}{100 * one.ndcg:>9.1f}{100 * one.empty:>7.1f}"
        lines.append(f"{name:<28}{one.questions:>7,}{recall}{rest}")
    lines.append(
        f"a recall of {k} hits: CPU p50 {took.cpu_p50:.1f} ms, p95 {took.cpu_p95:.1f} ms; "
        f"wall p50 {took.wall_p50:.1f} ms, p95 {took.wall_p95:.1f} ms, p99 {took.wall_p99:.1f} ms"
    )
    return "\n".join(lines)


def run(arguments: argparse.Namespace, home: Path) -> str:
    """Measure what was asked for, in a home of its own; return what to print."""
    tenants = read_folder(arguments.folder, kind=arguments.kind)[: arguments.tenants]
    models = "off" if arguments.words else None
    settings = read_settings(home=home, durable=False, models=models)
    by = "words" if embedder_of(settings) is None else "meaning and words"
    _tell(f"recall by {by}, quality {arguments.quality}")
    narrowing = Narrowing(quality=arguments.quality)
    clock = FrozenClock()
    principal = Principal.of_home(tenant="bench", user="nobody")

    async def measured() -> list[Outcome]:
        async with open_client(settings, principal, clock=clock) as client:
            return await outcomes_of(client, clock, tenants, k=arguments.k, narrowing=narrowing)

    outcomes = anyio.run(measured)
    if not outcomes:
        return "there is no question that can be scored"
    summaries = summaries_of(outcomes, halves=arguments.halves)
    took = figures([one.run for one in outcomes])
    if not arguments.json:
        return shown(summaries, took, k=arguments.k)
    return json.dumps(
        {
            "by": by,
            "quality": arguments.quality,
            "k": arguments.k,
            "summaries": {name: asdict(one) for name, one in summaries.items()},
            "recall_ms": asdict(took),
        }
    )


def arguments_of(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="How good recall is on data of your own.")
    parser.add_argument("folder", type=Path, help="holds memories.jsonl and questions.jsonl")
    parser.add_argument("--tenants", type=int, help="only the first so many")
    parser.add_argument("--k", type=int, default=20, help="hits asked for (default 20)")
    parser.add_argument("--quality", choices=("default", "best"), default="default")
    parser.add_argument("--words", action="store_true", help="without a model, whatever is set")
    parser.add_argument("--kind", choices=KINDS, default="episodic", help="what rows are kept as")
    parser.add_argument("--halves", action="store_true", help="odd and even tenants apart as well")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    return parser.parse_args(given)


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    arguments = arguments_of(given)
    try:
        with TemporaryDirectory(prefix="pinyon-quality-") as home:
            print(run(arguments, Path(home)))
    except PinyonError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
