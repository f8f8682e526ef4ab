"""mem0 without its language model (`infer=False`): Qdrant on disk, a `user_id` for each user.

It speaks to a provider of embeddings, so ours is one, on loopback. It sends the same request for a
text and for a question, so the question goes without its prefix.
"""

from contextlib import ExitStack
from pathlib import Path

from embedding import DIMENSIONS, embedding_in
from endpoint import MODEL, served
from mem0 import Memory
from stores import Hit, Store

PACKAGES = ("mem0ai", "qdrant-client")
NOTE = (
    "infer=False, Qdrant in a folder, as a plain install has it (no BM25, no entities: those take "
    "extras that download); a question is embedded as if it were a text"
)
NO_KEY = "none-is-needed"


class Mem0(Store):
    """One collection; a memory names its user."""

    def __init__(self, home: Path, weights: Path) -> None:
        self._exit = ExitStack()
        base_url = self._exit.enter_context(served(embedding_in(weights)))
        provider = {"api_key": NO_KEY, "openai_base_url": base_url}
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(home / "qdrant"),
                        "on_disk": True,
                        "embedding_model_dims": DIMENSIONS,
                    },
                },
                "embedder": {
                    "provider": "openai",
                    "config": {"model": MODEL, "embedding_dims": DIMENSIONS, **provider},
                },
                # It wants one made; nothing here calls it, and there is nobody at this address.
                "llm": {"provider": "openai", "config": provider},
                "history_db_path": str(home / "history.db"),
            }
        )

    def add(self, user: str, text: str) -> str:
        added = self._memory.add(text, user_id=user, infer=False)
        return str(added["results"][0]["id"])

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        came = self._memory.search(question, top_k=k, filters={"user_id": user})["results"]
        return [Hit(one["id"], one["memory"], one["score"]) for one in came]

    def update(self, user: str, memory: str, text: str) -> None:
        self._memory.update(memory, text=text)

    def get(self, user: str, memory: str) -> str | None:
        found = self._memory.get(memory)
        return None if found is None else found["memory"]

    def delete(self, user: str, memory: str) -> None:
        self._memory.delete(memory)

    def close(self) -> None:
        self._memory.close()
        self._exit.close()


def open_store(home: Path, *, weights: Path) -> Store:
    """Return an empty store."""
    return Mem0(home, weights)
