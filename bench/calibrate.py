"""How a model's score reads: `python bench/calibrate.py CORPUS …`. See `bench/README.md`.

Everything is asked through the library's front door: what the memories answer, and what has nothing
to do with them. The first pass looks at the model's bare score, the second at relevance as it comes
out when that score is read as the first pass suggests.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from pinyon.client import MemoryClient
from pinyon.domain.answers import Recall
from pinyon.domain.calibration import Calibration
from pinyon.errors import InvalidFile, ModelUnavailable, PinyonError
from pinyon.evaluation.embedders import Calibrated, Remembering
from pinyon.evaluation.quality.asking import ask
from pinyon.evaluation.quality.corpus import Corpus, some_tenants
from pinyon.evaluation.quality.keeping import Kept, keep_corpus
from pinyon.evaluation.quality.measuring import counted_uuids
from pinyon.evaluation.quality.named import corpus_of
from pinyon.evaluation.timing import quantile
from pinyon.ports.embedder import Embedder
from pinyon.ports.models import Models
from pinyon.settings import Settings, read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.wiring import embedder_of, open_to_evaluate

NO_FLOOR = 1e-6
"""A floor that refuses nothing: where an answer would be refused is what we look for."""
NOTHING_SHARE = 0.05
EVERYTHING_SHARE = 0.99
LOST_MAX = 0.01
REFUSED_MIN = 0.95
FLOORS = [place / 100 for place in range(100)]
SHOWN_LOST_MAX = 0.3

RAW = ("late", "cosine")
"""What the score of a model is called, by tokens and by whole texts."""


@dataclass(frozen=True, slots=True)
class Best:
    """What the best hits of many answers have.

    Attributes:
        own: Of questions that the memories answer, each with its recall@10.
        near: Of questions near a topic that is there, which nothing answers.
        foreign: Of questions that have nothing to do with anything there.
    """

    own: list[tuple[float, float]] = field(default_factory=list)
    near: list[float] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtFloor:
    """What a floor does: the recall@10 that it costs, and the shares of questions it refuses."""

    floor: float
    lost: float
    near: float
    foreign: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found out about a model."""

    calibration: Calibration
    own: int
    foreign: int
    bare: Mapping[str, Mapping[str, float]]
    floors: list[AtFloor]


async def calibrate(
    settings: Settings,
    folder: Path,
    corpora: Sequence[Corpus],
    model: Embedder,
    given: Calibration,
) -> Found:
    """Keep every corpus, ask twice, and return what the answers suggest.

    Args:
        settings: What else memory goes by.
        folder: Where to.
        corpora: At least one.
        model: Whose score is looked at.
        given: What is decided already: what words count, what the floor is raised by for unknown
            ones, and, where it is above 0, the score that reads as nothing.
    """
    model = Remembering(model)
    bare_read = replace(given, nothing=0.0, everything=1.0, floor=NO_FLOOR)
    bare = Best()
    for number, corpus in enumerate(corpora):
        place = folder / f"bare-{number}"
        await _asked(settings, place, corpus, Calibrated(model, bare_read), bare, is_bare=True)
    own = [score for score, _ in bare.own]
    everything = round(quantile(own, EVERYTHING_SHARE), 2)
    nothing = given.nothing or round(quantile(bare.foreign, NOTHING_SHARE), 2)
    read = replace(given, nothing=nothing, everything=everything, floor=NO_FLOOR)
    weighed = Best()
    for number, corpus in enumerate(corpora):
        place = folder / f"read-{number}"
        await _asked(settings, place, corpus, Calibrated(model, read), weighed, is_bare=False)
    floors = floors_of(weighed)
    return Found(
        calibration=replace(read, floor=floor_of(floors)),
        own=len(weighed.own),
        foreign=len(weighed.foreign),
        bare={"own": _spread(own), "near": _spread(bare.near), "foreign": _spread(bare.foreign)},
        floors=floors,
    )


def floors_of(best: Best) -> list[AtFloor]:
    """Return what each floor would do."""
    return [
        AtFloor(
            floor=floor,
            lost=sum(recall for one, recall in best.own if one < floor) / len(best.own),
            near=_share_below(best.near, floor),
            foreign=_share_below(best.foreign, floor),
        )
        for floor in FLOORS
    ]


def floor_of(floors: Sequence[AtFloor]) -> float:
    """Return the lowest floor that refuses what is foreign, or the highest that costs too little.

    The first is what one wants, the second what one gets where a model cannot tell the two apart.
    """
    affordable = [one for one in floors if one.lost <= LOST_MAX]
    enough = [one.floor for one in affordable if one.foreign >= REFUSED_MIN]
    return min(enough, default=max(one.floor for one in affordable))


def raw_of(answer: Recall) -> float:
    """Return the best bare score among the hits of an answer; 0 where no hit has one.

    It need not be that of the first hit, which words may have brought there.
    """
    scores = [hit.why.scores[name] for hit in answer.hits for name in RAW if name in hit.why.scores]
    return max(scores, default=0.0)


def over_floor(answer: Recall) -> float:
    """Return by how much the best hit lies over what is added to the floor for unknown words."""
    return answer.trace.best - (answer.trace.floor - NO_FLOOR)


async def _asked(
    settings: Settings,
    folder: Path,
    corpus: Corpus,
    model: Embedder,
    best: Best,
    *,
    is_bare: bool,
) -> None:
    """Keep a corpus, ask its questions, and note what the best hits have."""
    clock = FrozenClock()
    clock.at_us = corpus.asked_at_us
    models = Models(embedder=model)
    client = open_to_evaluate(
        settings, folder, clock=clock, new_uuid=counted_uuids(), models=models
    )
    async with client:
        _tell(f"{corpus.name}: keeping")
        clients, kept = await keep_corpus(client, corpus)
        _tell(f"{corpus.name}: asking")
        for tenant in corpus.tenants:
            for asked in tenant.questions:
                if not model.knows(asked.text):
                    continue
                answer = await _answer(clients[tenant.name], asked.text)
                score = raw_of(answer) if is_bare else over_floor(answer)
                if asked.abstain is not None:
                    getattr(best, asked.abstain).append(score)
                else:
                    found = _recall_of(kept[tenant.name], asked.evidence, answer)
                    best.own.append((score, found))


async def _answer(client: MemoryClient, question: str) -> Recall:
    answer, _ = await ask(client, question)
    return answer


def _recall_of(kept: Kept, evidence: Sequence[str], answer: Recall) -> float:
    came = {kept.said_by.get(hit.memory.id) for hit in answer.hits}
    return sum(said in came for said in kept.evidence(evidence)) / len(evidence)


def _share_below(values: Sequence[float], floor: float) -> float:
    return sum(one < floor for one in values) / len(values) if values else 0.0


def _spread(values: Sequence[float]) -> dict[str, float]:
    shares = (0.01, 0.05, 0.5, 0.95, 0.99)
    return {f"{share:.0%}": round(quantile(values, share), 4) for share in shares if values}


def shown(found: Found) -> str:
    """Return the tables."""
    lines = ["best bare score     " + "".join(f"{name:>9}" for name in found.bare["own"])]
    for name, spread in found.bare.items():
        lines.append(f"{name:<20}" + "".join(f"{value:>9.3f}" for value in spread.values()))
    lines.append("")
    lines.append(f"{'floor':>7}{'recall@10 lost':>18}{'near refused':>16}{'foreign refused':>18}")
    for one in found.floors:
        if one.lost <= SHOWN_LOST_MAX and round(one.floor * 100) % 2 == 0:
            shares = (
                f"{100 * one.lost:>16.1f} %{100 * one.near:>14.1f} %{100 * one.foreign:>16.1f} %"
            )
            lines.append(f"{one.floor:>7.2f}{shares}")
    lines.append("")
    lines.append(f"of {found.own:,} answered and {found.foreign:,} foreign questions:")
    lines.append(repr(found.calibration))
    return "\n".join(lines)


def run(arguments: argparse.Namespace, folder: Path) -> str:
    """Calibrate the model that was asked for; return what to print."""
    corpora = [some_tenants(corpus_of(named), arguments.tenants) for named in arguments.corpora]
    settings = read_settings({}, models=arguments.models, embedder=arguments.embedder)
    model = embedder_of(settings)
    if model is None:
        raise ModelUnavailable(arguments.embedder, "it is not installed")
    if not any(model.knows(one.text) for c in corpora for t in c.tenants for one in t.questions):
        raise InvalidFile(arguments.corpora[0], "the model knows none of its questions")
    given = Calibration(
        content=tuple(arguments.content),
        nothing=arguments.nothing,
        everything=1.0,
        floor=NO_FLOOR,
        words=arguments.words,
        unknown=arguments.unknown,
    )
    act = partial(calibrate, settings, folder, corpora, model, given)
    found = anyio.run(act)
    return json.dumps(asdict(found)) if arguments.json else shown(found)


def arguments_of(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="How a model's score reads.")
    parser.add_argument("corpora", nargs="+", help="folders, or sarah, as for `pinyon eval`")
    parser.add_argument("--embedder", choices=("local", "mixed", "multilingual"), default="local")
    parser.add_argument("--models", default="auto", help="a folder with models, as in the settings")
    parser.add_argument("--tenants", help="only the first so many, or these, with commas")
    parser.add_argument("--nothing", type=float, default=0.0, help="the score that reads as 0")
    parser.add_argument("--words", type=float, default=0.14, help="what matched words count")
    parser.add_argument(
        "--unknown", type=float, default=0.15, help="what the floor is raised by for unknown words"
    )
    parser.add_argument(
        "--content",
        type=float,
        nargs=2,
        default=(0.6, 0.95),
        help="between which scores of content words a question is answered not at all and wholly",
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    return parser.parse_args(given)


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    arguments = arguments_of(given)
    try:
        with TemporaryDirectory(prefix="pinyon-calibrate-") as folder:
            print(run(arguments, Path(folder)))
    except PinyonError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
