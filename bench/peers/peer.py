"""One peer, in its own environment: keeps the rows, answers the questions, runs the cases.

`run.py` starts it. Standard library only, but for what the adapter of the peer imports.
"""

import argparse
import importlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cases import verdicts_of
from stores import Hit, Store

K_TIMED, K_MARKED = 10, 100
"""Hits asked for as users do, which is timed; and as deep as ranks are looked at."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")

Fields = Mapping[str, Any]


def keep_rows(store: Store, rows: Iterator[Fields]) -> dict[str, str]:
    """Keep rows one after the other, as they would come; return the key of each memory by id."""
    key_of = {}
    for row in rows:
        key_of[store.add(row["tenant"], row["text"])] = row["key"]
    store.settle()
    return key_of


def answer_of(store: Store, key_of: Mapping[str, str], asked: Fields) -> dict[str, object]:
    """Ask a question twice, and return both answers; the first is timed."""
    cpu_s, wall_s = time.process_time(), time.perf_counter()
    shallow = store.search(asked["tenant"], asked["text"], K_TIMED)
    took = (time.process_time() - cpu_s, time.perf_counter() - wall_s)
    deep = store.search(asked["tenant"], asked["text"], K_MARKED)

    def keys(hits: list[Hit]) -> list[tuple[str | None, float]]:
        return [(key_of.get(hit.id), float(hit.score)) for hit in hits]

    return {
        "id": asked["id"],
        "cpu_ms": took[0] * 1000,
        "wall_ms": took[1] * 1000,
        "shallow": keys(shallow),
        "deep": keys(deep),
    }


def stay_at_home() -> set[str]:
    """Refuse every connection from Python that leaves this machine; return where to it was tried.

    Sockets that a native library opens are not seen.
    """
    tried: set[str] = set()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        host = None
        if event == "socket.getaddrinfo":
            host = args[0]
        elif event == "socket.connect" and isinstance(args[1], tuple):
            host = args[1][0]
        if host is not None and host not in LOOPBACK:
            tried.add(str(host))
            raise OSError(f"no way out: {host}")

    sys.addaudithook(hook)
    return tried


def lines_of(path: Path) -> Iterator[Fields]:
    """Return the objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> None:
    """Run the peer; write `answers.jsonl` and `made.json` into the folder."""
    parser = argparse.ArgumentParser(description="One peer, in its own environment.")
    parser.add_argument("adapter")
    parser.add_argument("folder", type=Path, help="rows and questions are there, answers go there")
    parser.add_argument("home", type=Path, help="where the store keeps its files")
    parser.add_argument("--weights", type=Path, required=True)
    given = parser.parse_args()
    tried = stay_at_home()
    adapter = importlib.import_module(f"adapters.{given.adapter}")
    open_store = partial(adapter.open_store, weights=given.weights)
    (given.home / "corpus").mkdir(parents=True)
    with closing(open_store(given.home / "corpus")) as store:
        started_s = time.perf_counter()
        key_of = keep_rows(store, lines_of(given.folder / "rows.jsonl"))
        writing_s = time.perf_counter() - started_s
        with (given.folder / "answers.jsonl").open("w", encoding="utf-8") as answers:
            for asked in lines_of(given.folder / "questions.jsonl"):
                answers.write(json.dumps(answer_of(store, key_of, asked)) + "\n")
    verdicts = verdicts_of(open_store, given.home / "cases")
    made = {
        "versions": {name: version(name) for name in adapter.PACKAGES},
        "note": adapter.NOTE,
        "on_disk": store.on_disk,
        "writing_s": writing_s,
        "verdicts": {name: asdict(one) for name, one in verdicts.items()},
        "tried": sorted(tried),
    }
    (given.folder / "made.json").write_text(json.dumps(made), "utf-8")


if __name__ == "__main__":
    main()
