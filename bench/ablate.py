"""Leave out one part of a recall at a time: `python bench/ablate.py --data FOLDER [CORPUS …]`.

What each part is worth on each corpus: the marks without it, beside those of the whole. A corpus is
encoded once for all of them. `python bench/results.py` keeps what comes of it for the docs.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from pinyon.evaluation.embedders import Remembering, model_of
from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.corpus import Corpus
from pinyon.evaluation.quality.measuring import Asking, measure
from pinyon.evaluation.quality.named import corpus_of
from pinyon.evaluation.quality.summary import summary_of
from pinyon.ports.models import Models
from pinyon.recall.recaller import left_out
from pinyon.settings import Settings, read_settings
from pinyon.wiring import models_of, open_to_evaluate

MARKS = ("recall@10", "ndcg@10")


@dataclass(frozen=True, slots=True)
class Left:
    """A corpus, which model it is asked with, and what is left out of it, one at a time."""

    folder: str
    setting: str
    parts: tuple[str, ...]


CORPORA: Mapping[str, Left] = {
    "locomo": Left(
        "locomo", "local", ("encode", "keyword", "turns", "dated", "spelling", "parts", "when")
    ),
    "beam": Left(
        "beam_100k", "local", ("encode", "keyword", "turns", "parts", "reply", "preference")
    ),
    "memdaily": Left("memdaily_zh", "local", ("parts", "intent")),
    "xquad": Left("xquad_zh", "mixed", ("encode", "keyword")),
    "sarah": Left(
        "",
        "mixed",
        (
            "encode", "keyword", "dated", "spelling", "parts", "outdate", "weigh", "when", "fact",
            "catalog", "intent",
        ),
    ),
}  # fmt: skip
"""Of each corpus what can make a difference there."""


def ablated(name: str, data: Path | None) -> dict[str, Any]:
    """Return the marks of a corpus, whole and without each part."""
    left = CORPORA[name]
    if left.folder and data is None:
        raise SystemExit(f"{name} needs --data: the folder that holds {left.folder}/")
    corpus = corpus_of(str((data or Path()) / left.folder) if left.folder else name)
    settings = read_settings({**os.environ, "PINYON_EMBEDDER": left.setting})
    models = models_of(settings)
    models = replace(models, embedder=Remembering(model_of(models)))
    whole = _outcomes(corpus, settings, models, "")
    return {
        "set": left.setting,
        "whole": _marks(whole),
        "stages_ms": {stage: took["p50"] for stage, took in summary_of(whole).stages_ms.items()},
        "without": {part: _marks(_outcomes(corpus, settings, models, part)) for part in left.parts},
    }


def _outcomes(corpus: Corpus, settings: Settings, models: Models, part: str) -> list[Outcome]:
    print(f"  without {part}" if part else "  whole", file=sys.stderr, flush=True)
    stages, factors = left_out([part] if part else [])
    weights = replace(settings.weights, off=factors)
    settings = settings.model_copy(update={"weights": weights})
    open_home = partial(open_to_evaluate, settings, without=stages)
    with TemporaryDirectory(prefix="pinyon-ablate-") as folder:
        return anyio.run(
            measure, open_home, Path(folder), corpus, models, Asking(), lambda *_: None
        )


def _marks(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    summary = summary_of(outcomes)
    halves = summary.by["half"]
    return {
        name: {mark: one.metrics[mark] for mark in MARKS}
        for name, one in {"all": summary.whole, **halves}.items()
    }


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    parser = argparse.ArgumentParser(description="Leave out one part of a recall at a time.")
    parser.add_argument("corpora", nargs="*", help=f"of {', '.join(CORPORA)}; all by default")
    parser.add_argument("--data", type=Path, help="holds locomo/, beam_100k/, … as eval reads them")
    arguments = parser.parse_args(given)
    for name in arguments.corpora or CORPORA:
        if name not in CORPORA:
            parser.error(f"there is no corpus {name!r}")
        print(json.dumps({"corpus": name, **ablated(name, arguments.data)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
