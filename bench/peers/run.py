"""Run others on the same files: `python bench/peers/run.py CORPUS`. See the README beside it."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import own
import weights
from cases import RESIDUE, Verdict, folder_of, residue, verdicts_of
from environments import NotRun, prepared, run_peer
from exchange import Sent, read_answers, write_files
from table import Standing, figures_of, shown, size_of

from pinyon.errors import PinyonError
from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.corpus import Corpus, some_tenants
from pinyon.evaluation.quality.named import corpus_of
from pinyon.evaluation.quality.runs import made_of, write_run
from pinyon.evaluation.quality.summary import summary_of

PEERS = ("bm25", "dense", "chroma", "langgraph", "langgraph-sqlite", "mem0")
ALL = (*own.NAMES, *PEERS)


def own_standing(name: str, corpus: Corpus, home: Path, out: Path) -> Standing:
    """Measure Pinyon, write its run, and return how it did."""
    settings = own.settings_of(name)
    outcomes, writing_s = own.measured(corpus, settings, home)
    verdicts = verdicts_of(own.opener_of(settings), home / "cases")
    count = sum(1 for _ in corpus.rows)
    standing = Standing(
        peer=name,
        note="words only" if settings.models == "off" else "with the model",
        bytes_a_memory=size_of(home / "durable") / count,
        writing_ms=1000 * writing_s / count,
        verdicts=_with_residue(verdicts, home / "cases"),
    )
    return _written(standing, corpus, outcomes, out)


def peer_standing(
    name: str, corpus: Corpus, sent: Sent, files: Path, home: Path, given: argparse.Namespace
) -> Standing:
    """Run a peer, write its run, and return how it did.

    Raises:
        NotRun: It cannot be installed, or failed.
    """
    python = prepared(name, given.environments, given.python)
    run_peer(name, python, files, home, weights.fetched(given.environments))
    made = json.loads((files / "made.json").read_text("utf-8"))
    verdicts = {case: Verdict(**one) for case, one in made["verdicts"].items()}
    outcomes = read_answers(files / "answers.jsonl", corpus, sent)
    # Each tenant keeps a copy of what everybody shares: a peer has nothing that is everybody's.
    memories = sum(len(kept.said_by) for kept in sent.kept.values())
    standing = Standing(
        peer=name,
        version=next(iter(made["versions"].values())),
        note=made["note"],
        bytes_a_memory=size_of(home / "corpus") / memories if made["on_disk"] else None,
        writing_ms=1000 * made["writing_s"] / memories,
        verdicts=_with_residue(verdicts, home / "cases"),
        tried=made["tried"],
    )
    return _written(standing, corpus, outcomes, given.out)


def run(given: argparse.Namespace) -> list[Standing]:
    """Run every peer that is asked for, one after the other."""
    corpus = some_tenants(corpus_of(given.corpus, given.data), given.tenants)
    given.out.mkdir(parents=True, exist_ok=True)
    standings = []
    for name in given.peers:
        print(f"{name} …", file=sys.stderr, flush=True)
        with TemporaryDirectory(prefix="pinyon-peers-") as folder:
            files, home = Path(folder) / "files", Path(folder) / "home"
            files.mkdir()
            home.mkdir()
            try:
                if name in own.NAMES:
                    standings.append(own_standing(name, corpus, home, given.out))
                else:
                    sent = write_files(corpus, files)
                    standings.append(peer_standing(name, corpus, sent, files, home, given))
            except (NotRun, weights.NoWeights) as error:
                standings.append(Standing(peer=name, skipped=str(error)))
    return standings


def _with_residue(verdicts: dict[str, Verdict], homes: Path) -> dict[str, Verdict]:
    """Look for what was deleted: now, when nothing has the files open any more."""
    if verdicts[RESIDUE].passed:
        verdicts[RESIDUE] = residue(folder_of(homes, RESIDUE))
    return verdicts


def _written(
    standing: Standing, corpus: Corpus, outcomes: Sequence[Outcome], out: Path
) -> Standing:
    summary = summary_of(outcomes)
    config = {"peer": standing.peer, "version": standing.version, "note": standing.note}
    made = made_of(corpus, config)
    write_run(out / f"{standing.peer}.jsonl", made, summary, outcomes)
    version = standing.version or made.pinyon
    return replace(standing, version=version, **figures_of(summary))


def arguments_of(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Others beside Pinyon, on the same files.")
    parser.add_argument("corpus", help="as `pinyon eval` takes it: sarah, a known set, or a folder")
    parser.add_argument("--data", type=Path, help="where the files of a known set lie")
    parser.add_argument("--peers", type=_names, default=ALL, help=f"of {', '.join(ALL)}")
    parser.add_argument("--tenants", help="how many, or which, as `pinyon eval` takes it")
    parser.add_argument("--out", type=Path, default=Path("peers"), help="where runs are written")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument("--python", default=sys.executable, help="what environments are made with")
    cache = Path.home() / ".cache" / "pinyon-peers"
    parser.add_argument("--environments", type=Path, default=cache, help="kept from run to run")
    return parser.parse_args(given)


def _names(told: str) -> list[str]:
    names = [name.strip() for name in told.split(",")]
    unknown = [name for name in names if name not in ALL]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(ALL)}")
    return names


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    arguments = arguments_of(given)
    try:
        standings = run(arguments)
    except PinyonError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return error.exit_code
    told = json.dumps([one.json() for one in standings], ensure_ascii=False)
    (arguments.out / "peers.json").write_text(told + "\n", "utf-8")
    print(told if arguments.json else shown(standings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
