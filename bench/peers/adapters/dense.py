"""Dense only: the cosine of every text of a user with the question, computed in numpy."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from embedding import DIMENSIONS, Embedding, Vectors, embedding_in
from stores import Hit, Store

PACKAGES = ("numpy", "onnxruntime")
NOTE = "exact, over the user's own rows; no store: kept in lists, saved at once"


@dataclass(slots=True)
class _Held:
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    encoded: list[Vectors] = field(default_factory=list)
    vectors: Vectors = field(default_factory=lambda: np.empty((0, DIMENSIONS), np.float32))


class Dense(Store):
    """Lists of texts, and a matrix for each: float32 (texts, 384), L2-normalised."""

    def __init__(self, home: Path, embedding: Embedding) -> None:
        self._home = home
        self._embedding = embedding
        self._held: dict[str, _Held] = {}

    def add(self, user: str, text: str) -> str:
        held = self._held.setdefault(user, _Held())
        held.texts.append(text)
        held.ids.append(f"{user}/{len(held.ids)}")
        # One by one, as the stores do: in int8 a text's vector depends on its batch a little.
        held.encoded.append(self._embedding.texts([text])[0])
        return held.ids[-1]

    def settle(self) -> None:
        for held in self._held.values():
            held.vectors = np.stack(held.encoded)

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        held = self._held[user]
        scores = held.vectors @ self._embedding.question(question)
        best = np.argsort(-scores, kind="stable")[:k]
        return [Hit(held.ids[place], held.texts[place], float(scores[place])) for place in best]

    def close(self) -> None:
        for number, held in enumerate(self._held.values()):
            np.save(self._home / f"{number}.npy", held.vectors)
            (self._home / f"{number}.json").write_text(json.dumps(held.texts))


def open_store(home: Path, *, weights: Path) -> Store:
    """Return an empty store."""
    return Dense(home, embedding_in(weights))
