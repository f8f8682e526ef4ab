"""Probe isolation for as long as you like: `python bench/isolation.py --probes 1000000`.

It asks what `tests/isolation` asks, with another seed each round: more than forty principals call
every operation with each other's ids, names, words, cursors and keys, several users at once. What
came of it is printed, and kept in `bench/results/isolation.json`; the page on isolation shows it.
A leak is printed whole, and ends with status 1.
"""
# ruff: noqa: E402 - what is asked stands in `tests/isolation`, and this file has its name

import argparse
import json
import multiprocessing
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

sys.path[:] = [
    str(Path(__file__).parents[1] / "tests"),
    *(one for one in sys.path if Path(one).resolve() != Path(__file__).parent),
]

from isolation.canaries import World, fill
from isolation.checking import Opening, Report, embedded, everything_in, grouped, probe_together
from isolation.over_http import over_http
from isolation.principals import PRINCIPALS
from pinyon.domain.space import Space
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder

RESULTS = Path(__file__).parent / "results" / "isolation.json"
WAYS: dict[str, Opening] = {"client": embedded, "rest": over_http}
PARTS = 8
"""In so many the principals are told; for each the home is as it was filled."""
LEAKS_KEPT = 20


@dataclass
class Filled:
    """A home that was filled in this process, and all that its spaces hold."""

    folder: TemporaryDirectory[str]
    world: World
    models: Models
    before: dict[Space, object] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return Path(self.folder.name) / "home"


@dataclass(frozen=True)
class Part:
    """What came of some principals and one seed."""

    report: Report
    spaces: int
    cpu_s: float


_filled: list[Filled] = []


async def filled() -> Filled:
    if not _filled:
        folder = TemporaryDirectory(prefix="pinyon-isolation-")
        models = Models(embedder=HashEmbedder())
        world = await fill(Path(folder.name) / "home", models)
        one = Filled(folder, world, models)
        one.before = await everything_in(one.home, list(world.spaces))
        _filled.append(one)
    return _filled[0]


async def probed(seed: int, number: int, over: Opening) -> Report:
    """Let some principals probe at once, and see that the spaces of all others are as before."""
    of = await filled()
    users = grouped(PRINCIPALS)[number::PARTS]
    principals = [principal for user in users for principal in user]
    writable = {space for principal in principals for space in principal.writes}
    bystanders = [space for space in of.world.spaces if space not in writable]
    home = Path(shutil.copytree(of.home, of.home.with_name("probed")))
    try:
        report = await probe_together(
            home, of.world, principals, [seed], models=of.models, over=over
        )
        after = await everything_in(home, bystanders)
    finally:
        shutil.rmtree(home)
    changed = [space for space in bystanders if after[space] != of.before[space]]
    report.leaks += [f"{space} was changed by nobody who may" for space in changed]
    return report


def part_of(seed: int, number: int, way: str) -> Part:
    """Probe in this process."""
    began_s = time.process_time()
    report = anyio.run(probed, seed, number, WAYS[way])
    return Part(report, len(_filled[0].world.spaces), time.process_time() - began_s)


def parts(first_seed: int, way: str, processes: int) -> Iterator[Part]:
    """Yield parts as they end, one seed after the other, for ever."""
    coming = ((seed, number) for seed in count(first_seed) for number in range(PARTS))
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        running: set[Future[Part]] = set()
        try:
            while True:
                while len(running) < processes:
                    running.add(pool.submit(part_of, *next(coming), way))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def run(probes: int, way: str, *, seed: int, processes: int, minutes: float) -> dict[str, object]:
    """Probe until there are enough, or for so long; return what is kept of it."""
    total, cpu_s, spaces = Report(), 0.0, 0
    began_s = time.perf_counter()
    for one in parts(seed, way, processes):
        total.add(one.report)
        cpu_s, spaces = cpu_s + one.cpu_s, one.spaces
        took_s = time.perf_counter() - began_s
        rest_s = took_s * max(0, probes - total.probes) / total.probes
        sys.stderr.write(
            f"\r{total.probes:,} of {probes:,} probes, {len(total.leaks)} leaks, "
            f"{took_s:,.0f} s, {rest_s:,.0f} s to go "
        )
        sys.stderr.flush()
        if total.probes >= probes or took_s >= minutes * 60:
            break
    sys.stderr.write("\n")
    for leak in total.leaks[:LEAKS_KEPT]:
        sys.stderr.write(f"{leak}\n")
    return {
        "probes": total.probes,
        "answers": total.answers,
        "refusals": total.refusals,
        "operations": len(total.operations),
        "principals": len(PRINCIPALS),
        "spaces": spaces,
        "seed": seed,
        "leaks": len(total.leaks),
        "cpu_s": round(cpu_s),
    }


def keep(way: str, result: dict[str, object]) -> None:
    """Put a result beside that of the other way."""
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    kept[way] = result
    text = json.dumps(dict(sorted(kept.items())), indent=2) + "\n"
    RESULTS.write_text(text, "utf-8", newline="\n")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--probes", type=int, default=1_000_000, help="at least so many")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="at most about so long")
    parser.add_argument("--over", choices=sorted(WAYS), default="rest", help="by which client")
    parser.add_argument("--seed", type=int, default=1_000, help="of the first ones")
    parser.add_argument("--processes", type=int, default=1, help="that probe at once")
    given = parser.parse_args(arguments)
    result = run(
        given.probes,
        given.over,
        seed=given.seed,
        processes=given.processes,
        minutes=given.minutes,
    )
    for name, value in result.items():
        print(f"{name:<12}{value:>12,}")
    keep(given.over, result)
    return 1 if result["leaks"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
