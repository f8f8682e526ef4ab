"""Plain BM25: bm25s as its README shows it, with its own tokeniser; an index for each user."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import bm25s
from stores import Hit, Store

PACKAGES = ("bm25s",)
NOTE = "an index a user, English stop words out, no stemmer; no store: kept in lists, saved at once"


@dataclass(slots=True)
class _Held:
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    index: bm25s.BM25 | None = None


class Bm25(Store):
    """Lists of texts, and an index over each."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._held: dict[str, _Held] = {}

    def add(self, user: str, text: str) -> str:
        held = self._held.setdefault(user, _Held())
        held.texts.append(text)
        held.ids.append(f"{user}/{len(held.ids)}")
        return held.ids[-1]

    def settle(self) -> None:
        for held in self._held.values():
            held.index = bm25s.BM25()
            held.index.index(bm25s.tokenize(held.texts, show_progress=False), show_progress=False)

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        held = self._held[user]
        tokens = bm25s.tokenize(question, show_progress=False)
        places, scores = held.index.retrieve(tokens, k=min(k, len(held.texts)), show_progress=False)
        # It fills up to k with what shares no word with the question: that is no hit.
        return [
            Hit(held.ids[place], held.texts[place], float(score))
            for place, score in zip(places[0], scores[0], strict=True)
            if score > 0
        ]

    def close(self) -> None:
        for number, held in enumerate(self._held.values()):
            if held.index is not None:
                held.index.save(self._home / str(number))
                (self._home / str(number) / "texts.json").write_text(json.dumps(held.texts))


def open_store(home: Path, *, weights: Path) -> Store:
    """Return an empty store."""
    return Bm25(home)
