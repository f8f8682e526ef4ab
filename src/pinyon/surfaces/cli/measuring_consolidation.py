"""What `pinyon eval --consolidation` does: how good consolidation is, on labelled conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import typer

from pinyon.errors import InvalidValue
from pinyon.evaluation.consolidation.bundled import Suite, suite_of
from pinyon.evaluation.consolidation.figures import KNOWN, measured
from pinyon.evaluation.consolidation.judging import judge
from pinyon.evaluation.consolidation.misses import misses_of
from pinyon.evaluation.consolidation.playing import Played, play
from pinyon.evaluation.consolidation.runs import (
    COMPARED,
    ITEMS,
    made_of,
    metrics_by_item,
    run_json,
    write_run,
)
from pinyon.evaluation.quality.comparing import Difference, differences_of
from pinyon.evaluation.quality.gates import judged as verdicts_of
from pinyon.evaluation.quality.gates import read_gate
from pinyon.evaluation.quality.runs import read_run
from pinyon.settings import Settings, read_settings
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.show_consolidation_suite import show_misses, show_suite
from pinyon.surfaces.cli.terminal import progress_bar, say_degraded
from pinyon.wiring import models_of, open_to_evaluate

GATE_FAILED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be measured and shown; see the options of `pinyon eval`."""

    corpus: str
    tenants: str | None
    words: bool
    out: Path | None
    compare: Path | None
    gates: Sequence[str]
    misses: bool
    as_json: bool


def refuse_others(**options: object) -> None:
    """Refuse options that only mean something where recall is measured.

    Raises:
        InvalidValue: One is given.
    """
    for name, given in options.items():
        if given:
            raise InvalidValue(name, str(given), "left out with --consolidation")


def measure_consolidation(wanted: Wanted) -> None:
    """Play conversations into a temporary home, and say what was made of them.

    Raises:
        typer.Exit: A gate failed.
    """
    gates = [read_gate(one, KNOWN) for one in wanted.gates]
    earlier = None if wanted.compare is None else read_run(wanted.compare, ITEMS)
    suite = suite_of(wanted.corpus, wanted.tenants)
    settings = read_settings(models="off" if wanted.words else None)
    played = _played(suite, settings)
    judged = judge(suite.expected, played)
    found = measured(judged, played)
    made = made_of(suite, played, _config(settings))
    differences: Mapping[str, Difference] = {}
    if earlier is not None:
        after = metrics_by_item(judged)
        differences = differences_of(earlier[1], after, COMPARED, run=str(wanted.compare))
    figures = {
        **found.by_name,
        **{f"delta({name})": one.delta for name, one in differences.items()},
    }
    verdicts = [verdict for gate in gates for verdict in verdicts_of(gate, figures)]
    if wanted.out is not None:
        write_run(wanted.out, made, judged, played)
    misses = misses_of(judged, suite.expected, played) if wanted.misses else []
    if wanted.as_json:
        answer = run_json(made, found, played)
        answer["compared"] = {name: asdict(one) for name, one in differences.items()}
        answer["gates"] = [asdict(one) for one in verdicts]
        if wanted.misses:
            answer["misses"] = [asdict(one) for one in misses]
        emit(answer)
        for verdict in verdicts:
            if not verdict.passed:
                say_degraded(f"gate failed: {verdict.gate}: {verdict.name} {verdict.found:.4g}")
    else:
        show_suite(made, found, played, differences, verdicts)
        show_misses(misses)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(GATE_FAILED)


def _played(suite: Suite, settings: Settings) -> Played:
    open_home = partial(open_to_evaluate, settings)
    every = settings.consolidate_every
    with (
        TemporaryDirectory(prefix="pinyon-eval-") as folder,
        progress_bar("talking", None) as bar,
    ):
        return anyio.run(
            play, open_home, Path(folder), suite.corpus, models_of(settings), every, bar.doing
        )


def _config(settings: Settings) -> Mapping[str, object]:
    embedder = models_of(settings).embedder
    return {
        "chat": settings.chat,
        "embedder": None if embedder is None else embedder.fingerprint,
        "consolidate_every": settings.consolidate_every,
    }
