"""Run the evaluations that the docs show: `python bench/results.py --data FOLDER [NAME …]`.

Each is a `pinyon eval` in a process of its own; its JSON is kept in `bench/results/`, without a
word of the data. `python docs/generate.py` makes the page "How good is it" of them.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ablate import CORPORA, ablated

RESULTS = Path(__file__).parent / "results"
FEWER_DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One evaluation.

    Attributes:
        corpus: As `pinyon eval` takes it.
        folder: Where its data lies below `--data`; "" where it needs none.
        options: What else it is given.
        setting: Which model, as `PINYON_EMBEDDER` calls it.
    """

    corpus: str
    folder: str = ""
    options: tuple[str, ...] = ()
    setting: str = ""


def runs() -> dict[str, Run]:
    """Return every run by its name."""
    named = {"sarah": "", "locomo": "locomo", "beam": "beam_100k"}
    chinese = {"memdaily": "memdaily_zh", "xquad": "xquad_zh"}
    found: dict[str, Run] = {}
    for name, folder in named.items():
        found[name] = Run(corpus=name, folder=folder)
        found[f"{name}-words"] = Run(corpus=name, folder=folder, options=("--words",))
        if name != "beam":  # its replies are so long that it would take an hour
            found[f"{name}-best"] = Run(corpus=name, folder=folder, options=("--quality", "best"))
    for name, folder in chinese.items():
        found[name] = Run(corpus=name, folder=folder)
    for name, folder in {"sarah": "", **chinese}.items():
        found[f"{name}-mixed"] = Run(corpus=name, folder=folder, setting="mixed")
    return found


def peers() -> dict[str, Run]:
    """Return the runs in which others take part, by name."""
    english = ("--tenants", "sarah,tom")
    return {
        "peers-locomo": Run(corpus="locomo", folder="locomo"),
        "peers-sarah": Run(corpus="sarah", options=english),
    }


def today() -> str:
    """Return the date of a run."""
    return datetime.now(UTC).date().isoformat()


def run_peers(name: str, one: Run, data: Path | None, environments: str | None) -> dict[str, Any]:
    """Run others on a corpus, and return what is kept of it."""
    corpus = str(data / one.folder) if one.folder and data is not None else one.corpus
    script = Path(__file__).parent / "peers" / "run.py"
    with TemporaryDirectory() as out:
        command = [sys.executable, str(script), corpus, *one.options, "--json", "--out", out]
        command += ["--environments", environments] if environments else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return {
        "date": today(),
        "command": " ".join(["python bench/peers/run.py", one.corpus, *one.options]),
        "result": _rounded(json.loads(done.stdout)),
    }


def run(name: str, one: Run, data: Path | None) -> dict[str, Any]:
    """Run one, and return what is kept of it."""
    corpus = one.corpus
    if one.folder:
        if data is None:
            raise SystemExit(f"{name} needs --data: the folder that holds {one.folder}/")
        corpus = str(data / one.folder)
    command = [sys.executable, "-m", "pinyon", "eval", corpus, *one.options, "--json"]
    environment = dict(os.environ)
    if one.setting:
        environment["PINYON_EMBEDDER"] = one.setting
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    for left_out in ("by_half", "gates", "compared"):
        answer.pop(left_out, None)
    return {
        "date": today(),
        "run": name,
        "set": one.setting,
        "options": list(one.options),
        "result": _rounded(answer),
    }


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, FEWER_DIGITS)
        case dict():
            return {name: _rounded(one) for name, one in value.items()}
        case list():
            return [_rounded(one) for one in value]
    return value


def main(given: Sequence[str] | None = None) -> int:
    """Run the script; return its exit code."""
    left = {f"without-{name}": name for name in CORPORA}
    known = {**runs(), **left, **peers()}
    parser = argparse.ArgumentParser(description="Run the evaluations that the docs show.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(known)}; all by default")
    parser.add_argument("--data", type=Path, help="holds locomo/, beam_100k/, … as eval reads them")
    parser.add_argument("--environments", help="where those of the peers are kept")
    arguments = parser.parse_args(given)
    for name in arguments.names or known:
        if name not in known:
            parser.error(f"there is no run {name!r}")
        print(f"{name} …", file=sys.stderr, flush=True)
        if name in left:
            kept = {"date": today(), "result": _rounded(ablated(left[name], arguments.data))}
        elif name in peers():
            kept = run_peers(name, peers()[name], arguments.data, arguments.environments)
        else:
            kept = run(name, runs()[name], arguments.data)
        text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True)
        (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
