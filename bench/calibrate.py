"""How a model's score reads: `python bench/calibrate.py FOLDER`. See `bench/README.md`.

Every question is asked of the memories that answer it, and of those of another tenant, which do
not: through the library's front door, first with the model's bare score, then with that score read
as the first pass suggests.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from pinyon.domain.answers import Recall
from pinyon.domain.calibration import Calibration
from pinyon.errors import InvalidFile, ModelUnavailable, PinyonError
from pinyon.evaluation.quality.asking import Kept, ask, keep_rows
from pinyon.evaluation.quality.datasets import Tenant, halved, read_folder
from pinyon.evaluation.embedders import Calibrated
from pinyon.evaluation.timing import quantile
from pinyon.ports.embedder import Embedder
from pinyon.ports.models import Models
from pinyon.settings import read_settings
from pinyon.wiring import embedder_of, open_parts

K = 10
NO_FLOOR = 1e-6
"""A floor that refuses nothing: where an answer would be refused is what we look for."""
BARE = Calibration(nothing=0.0, everything=1.0, floor=NO_FLOOR)
NOTHING_SHARE = 0.05
EVERYTHING_SHARE = 0.99
LOST_MAX = 0.02
FLOORS = [place / 100 for place in range(100)]
SHOWN_EVERY = 0.02
SHOWN_LOST_MAX = 0.3

RAW = ("late", "cosine")
"""What the score of a model is called, by tokens and by whole texts."""


@dataclass(frozen=True, slots=True)
class Best:
    """What the best hits of many answers have, own and foreign.

    Attributes:
        own: Of questions whose answer was among the hits.
        foreign: Of questions that nothing there answers.
    """

    own: list[float]
    foreign: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtFloor:
    """What a floor does: the share of answers lost, and of foreign questions refused."""

    floor: float
    lost: float
    refused: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found out about a model."""

    calibration: Calibration
    own: int
    foreign: int
    bare: Mapping[str, Mapping[str, float]]
    floors: list[AtFloor]


async def calibrate(home: Path, tenants: Sequence[Tenant], model: Embedder, lost: float) -> Found:
    """Keep every tenant, ask twice, and return what the answers suggest.

    Args:
        home: A folder that does not exist yet.
        tenants: At least two.
        model: Whose score is looked at.
        lost: The share of answers, 0-1, that the floor may cost.
    """
    _, client = open_parts(home, durable=False, models=Models(embedder=model))
    async with client:
        kept = []
        for number, tenant in enumerate(tenants, start=1):
            _tell(f"{number} of {len(tenants)}: keeping {len(tenant.rows):,} rows")
            kept.append(await keep_rows(client.acting_for(tenant.name), tenant))
    bare = await _asked(home, tenants, kept, Calibrated(model, BARE))
    nothing = round(quantile(bare.foreign, NOTHING_SHARE), 2)
    everything = round(quantile(bare.own, EVERYTHING_SHARE), 2)
    read = Calibration(nothing=nothing, everything=everything, floor=NO_FLOOR)
    weighed = await _asked(home, tenants, kept, Calibrated(model, read))
    floors = floors_of(weighed)
    suggested = floor_within(floors, lost)
    return Found(
        calibration=Calibration(nothing=nothing, everything=everything, floor=suggested),
        own=len(weighed.own),
        foreign=len(weighed.foreign),
        bare={"own": _spread(bare.own), "foreign": _spread(bare.foreign)},
        floors=floors,
    )


def floors_of(best: Best) -> list[AtFloor]:
    """Return what each floor would do."""
    return [
        AtFloor(
            floor=floor,
            lost=sum(one < floor for one in best.own) / len(best.own),
            refused=sum(one < floor for one in best.foreign) / len(best.foreign),
        )
        for floor in FLOORS
    ]


def floor_within(floors: Sequence[AtFloor], lost: float) -> float:
    """Return the highest floor that loses no more than this share of answers."""
    return max(one.floor for one in floors if one.lost <= lost)


def raw_of(answer: Recall) -> float:
    """Return the best bare score among the hits of an answer; 0 where no hit has one.

    It need not be that of the first hit, which words may have brought there.
    """
    scores = [hit.why.scores[name] for hit in answer.hits for name in RAW if name in hit.why.scores]
    return max(scores, default=0.0)


async def _asked(
    home: Path, tenants: Sequence[Tenant], kept: Sequence[Kept], model: Calibrated
) -> Best:
    """Ask every question of its own tenant and of the next one.

    What is looked at is the bare score where that is how the model's score reads, and relevance
    otherwise, which is what a floor is held against.
    """
    best = Best([], [])
    is_bare = model.calibration == BARE
    _, client = open_parts(home, durable=False, models=Models(embedder=model))
    async with client:
        for place, (tenant, rows) in enumerate(zip(tenants, kept, strict=True)):
            _tell(f"{place + 1} of {len(tenants)}: asking {len(tenant.questions):,} questions")
            own = client.acting_for(tenant.name)
            other = client.acting_for(tenants[(place + 1) % len(tenants)].name)
            for asked in tenant.questions:
                answer, _ = await ask(own, asked.text, k=K)
                if set(rows.came(answer)).intersection(rows.evidence(asked.evidence)):
                    best.own.append(raw_of(answer) if is_bare else answer.trace.best)
                foreign, _ = await ask(other, asked.text, k=K)
                best.foreign.append(raw_of(foreign) if is_bare else foreign.trace.best)
    if not best.own:
        raise InvalidFile("questions.jsonl", "none of its questions was answered")
    return best


def _spread(values: Sequence[float]) -> dict[str, float]:
    shares = (0.01, 0.05, 0.5, 0.95, 0.99)
    return {f"{share:.0%}": round(quantile(values, share), 4) for share in shares}


def shown(found: Found) -> str:
    """Return the tables."""
    lines = ["best bare score     " + "".join(f"{name:>9}" for name in found.bare["own"])]
    for name, spread in found.bare.items():
        lines.append(f"{name:<20}" + "".join(f"{value:>9.3f}" for value in spread.values()))
    lines.append("")
    lines.append(f"{'floor':>7}{'own answers lost':>20}{'foreign refused':>20}")
    every = round(SHOWN_EVERY * 100)
    for one in found.floors:
        if round(one.floor * 100) % every == 0 and one.lost <= SHOWN_LOST_MAX:
            lines.append(f"{one.floor:>7.2f}{100 * one.lost:>18.1f} %{100 * one.refused:>18.1f} %")
    lines.append("")
    lines.append(f"of {found.own:,} own answers and {found.foreign:,} foreign questions:")
    lines.append(repr(found.calibration))
    return "\n".join(lines)


def run(arguments: argparse.Namespace, home: Path) -> str:
    """Calibrate the model that was asked for; return what to print."""
    tenants = read_folder(arguments.folder)[: arguments.tenants]
    if len(tenants) == 1:
        tenants = halved(tenants[0])
    settings = read_settings({}, home=home, models=arguments.models, embedder=arguments.embedder)
    model = embedder_of(settings)
    if model is None:
        raise ModelUnavailable(arguments.embedder, "it is not installed")
    found = anyio.run(calibrate, home / "home", tenants, model, arguments.lost)
    return json.dumps(asdict(found)) if arguments.json else shown(found)


def arguments_of(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="How a model's score reads.")
    parser.add_argument("folder", type=Path, help="holds memories.jsonl and questions.jsonl")
    parser.add_argument("--embedder", choices=("local", "multilingual"), default="local")
    parser.add_argument("--models", default="auto", help="a folder with models, as in the settings")
    parser.add_argument("--tenants", type=int, help="only the first so many")
    parser.add_argument(
        "--lost",
        type=float,
        default=LOST_MAX,
        help=f"share of answers that the floor may cost (default {LOST_MAX})",
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    return parser.parse_args(given)


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    arguments = arguments_of(given)
    try:
        with TemporaryDirectory(prefix="pinyon-calibrate-") as home:
            print(run(arguments, Path(home)))
    except PinyonError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
