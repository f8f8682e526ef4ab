"""The command that measures how good recall is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import anyio
import typer
from rich.markup import escape

from pinyon.errors import InvalidValue
from pinyon.evaluation.consolidation.bundled import BUNDLED
from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.comparing import Difference, differences_of
from pinyon.evaluation.quality.corpus import Corpus, some_tenants
from pinyon.evaluation.quality.gates import Gate, Verdict, figures_of, judged, read_gate
from pinyon.evaluation.quality.measuring import Asking, measure
from pinyon.evaluation.quality.named import NAMES, corpus_of
from pinyon.evaluation.quality.runs import (
    Made,
    made_of,
    metrics_by_question,
    read_run,
    summary_json,
    write_run,
)
from pinyon.evaluation.quality.summary import METRICS, Summary, summary_of
from pinyon.evaluation.report.page import page_of
from pinyon.observing.last_evaluation import LastEvaluation, write_last
from pinyon.ports.models import Models
from pinyon.ranking.weights import FACTORS, Weights
from pinyon.recall.recaller import TO_SPARE, left_out
from pinyon.settings import Settings, read_settings
from pinyon.surfaces.cli.making_questions import make_questions
from pinyon.surfaces.cli.measuring_consolidation import (
    Wanted,
    measure_consolidation,
    refuse_others,
)
from pinyon.surfaces.cli.options import AsJson, Home, QualityOption, User, Who, quality_of
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.show_evaluation import show_evaluation
from pinyon.surfaces.cli.terminal import err, progress_bar, say_degraded
from pinyon.wiring import SystemClock, models_of, open_to_evaluate

GATE_FAILED = 3
USUAL = asdict(Weights())
"""The weights as they are where nobody set any; a run names those that are others."""


def evaluate(
    corpus: Annotated[
        str,
        typer.Argument(
            help=f"A folder with memories.jsonl and questions.jsonl, or {', '.join(NAMES)}.",
            show_default=False,
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(help="Where the files of a published set lie.", show_default=False),
    ] = None,
    tenants: Annotated[
        str | None,
        typer.Option(
            help="Only the first so many, or these, by name with commas.", show_default=False
        ),
    ] = None,
    quality: QualityOption = "default",
    words: Annotated[
        bool, typer.Option("--words", help="Without a model, whatever is set.")
    ] = False,
    without: Annotated[
        str,
        typer.Option(
            help="Stages or factors to leave out, with commas: "
            f"{', '.join(TO_SPARE)}; {', '.join(FACTORS)}.",
            show_default=False,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Write what became of each question, as JSON lines.", show_default=False),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page to look at (HTML).", show_default=False)
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(help="An earlier run (--out) to compare with.", show_default=False),
    ] = None,
    gate: Annotated[
        list[str] | None,
        typer.Option(
            help="What must hold, as 'recall@10>=0.85'; may be repeated.", show_default=False
        ),
    ] = None,
    record: Annotated[
        bool,
        typer.Option(
            "--record", help="Keep the figures in the home, where a server's metrics show them."
        ),
    ] = False,
    make: Annotated[
        bool,
        typer.Option(
            "--make-questions",
            help="Write a folder to measure with instead: the user's memories, and questions that "
            "the chat model (PINYON_CHAT) asks of some.",
        ),
    ] = False,
    consolidation: Annotated[
        bool,
        typer.Option(
            "--consolidation",
            help="Measure what consolidation makes of conversations instead: CORPUS is a folder "
            f"with memories.jsonl and expected.jsonl, or {', '.join(BUNDLED)}.",
        ),
    ] = False,
    misses: Annotated[
        bool,
        typer.Option(
            "--misses", help="With --consolidation: say what was missed or wrong, by message."
        ),
    ] = False,
    sample: Annotated[
        int, typer.Option(min=1, max=10_000, help="Of how many memories to make questions.")
    ] = 50,
    seed: Annotated[int, typer.Option(help="Which ones; another seed takes others.")] = 0,
    user: User = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Measure how good recall is, on data of your own or on a known set.

    Everything happens in a temporary home; nothing that you measure with is kept. Exit code 3 says
    that a gate failed. With --consolidation, measure how good the facts are that are made of
    conversations. With --make-questions nothing is measured: CORPUS is the folder to write.
    """
    if make:
        make_questions(
            Who(home=home, user=user), Path(corpus), sample=sample, seed=seed, as_json=as_json
        )
        return
    _check_writable("out", out)
    if consolidation:
        refuse_others(
            data=data,
            without=without,
            report=report,
            record=record,
            quality=quality if quality != "default" else "",
        )
        measure_consolidation(
            Wanted(
                corpus=corpus,
                tenants=tenants,
                words=words,
                out=out,
                compare=compare,
                gates=gate or (),
                misses=misses,
                as_json=as_json,
            )
        )
        return
    home = _home_to_record_in(asked=record)
    gates = [read_gate(one) for one in gate or ()]
    _check_writable("report", report)
    earlier = None if compare is None else read_run(compare)
    chosen = some_tenants(corpus_of(corpus, data), tenants)
    if chosen.shortened:
        say_degraded(f"{chosen.shortened:,} texts are longer than a memory may be, and are cut")
    how = _how(Asking(quality=quality_of(quality)), without, words=words)
    outcomes = _measured(chosen, how)
    summary = summary_of(outcomes)
    made = made_of(chosen, how.config())
    differences: Mapping[str, Difference] = {}
    if earlier is not None:
        after = metrics_by_question(outcomes)
        differences = differences_of(earlier[1], after, METRICS, run=str(compare))
        if earlier[0].get("data") not in (None, made.data):
            say_degraded("the earlier run is of other data; compared is what both asked")
    verdicts = _verdicts(gates, summary, differences)
    if out is not None:
        write_run(out, made, summary, outcomes)
    if report is not None:
        report.write_text(
            page_of(chosen, made, summary, outcomes, differences, verdicts), encoding="utf-8"
        )
    _record(home, made, summary)
    if as_json:
        answer = summary_json(made, summary)
        answer["compared"] = {name: asdict(one) for name, one in differences.items()}
        answer["gates"] = [asdict(one) for one in verdicts]
        emit(answer)
        _say_failed(verdicts)
    else:
        show_evaluation(made, summary, differences, verdicts)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(GATE_FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a corpus is asked: the question's settings, and what is left out."""

    asking: Asking
    settings: Settings
    stages: tuple[str, ...]
    models: Models

    def config(self) -> dict[str, object]:
        """Return it as a run names it."""
        embedder, reranker = self.models.embedder, self.models.reranker
        reranks = self.asking.quality == "best" and reranker is not None
        return {
            "quality": self.asking.quality,
            "embedder": None if embedder is None else embedder.fingerprint,
            "reranker": reranker.fingerprint if reranker is not None and reranks else None,
            "without": [*self.stages, *self.settings.weights.off],
            "weights": {
                name: value
                for name, value in asdict(self.settings.weights).items()
                if name != "off" and value != USUAL[name]
            },
        }


def _check_writable(option: str, path: Path | None) -> None:
    """Refuse a file that could not be written, before measuring."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InvalidValue(option, str(path), "a file in a folder that is there")


def _home_to_record_in(*, asked: bool) -> Path | None:
    """Return the home whose figures these will be, where that is asked, before measuring.

    Raises:
        InvalidValue: It is not there.
    """
    if not asked:
        return None
    home = read_settings().home
    if not home.is_dir():
        raise InvalidValue("record", str(home), "a home that is there; PINYON_HOME names another")
    return home


def _record(home: Path | None, made: Made, summary: Summary) -> None:
    if home is None:
        return
    whole = {**summary.whole.metrics, "leaks": summary.leaks, "starvation": summary.starvation}
    figures = LastEvaluation(corpus=made.corpus, at_us=SystemClock().now_us(), measures=whole)
    path = write_last(home, figures)
    said = f"kept {len(whole)} figures in {path}; the metrics of a server of this home show them"
    err().print(escape(said), soft_wrap=True)


def _say_failed(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        if not verdict.passed:
            say_degraded(f"gate failed: {verdict.gate}: {verdict.name} {verdict.found:.4g}")


def _how(asking: Asking, without: str, *, words: bool) -> How:
    """Read what is left out: stages of the bus, and factors of weighing.

    Raises:
        InvalidValue: One is neither.
    """
    stages, factors = left_out(name.strip() for name in without.split(",") if name.strip())
    settings = read_settings(models="off" if words else None)
    off = {*settings.weights.off, *factors}
    weights = replace(settings.weights, off=tuple(sorted(off)))
    settings = settings.model_copy(update={"weights": weights})
    return How(
        asking=asking,
        settings=settings,
        stages=stages,
        models=models_of(settings),
    )


def _measured(corpus: Corpus, how: How) -> list[Outcome]:
    open_home = partial(open_to_evaluate, how.settings, without=how.stages)
    with (
        TemporaryDirectory(prefix="pinyon-eval-") as folder,
        progress_bar("remembering", None) as bar,
    ):
        return anyio.run(
            measure, open_home, Path(folder), corpus, how.models, how.asking, bar.doing
        )


def _verdicts(
    gates: Sequence[Gate], summary: Summary, differences: Mapping[str, Difference]
) -> list[Verdict]:
    figures = figures_of(summary, differences)
    return [verdict for gate in gates for verdict in judged(gate, figures)]
