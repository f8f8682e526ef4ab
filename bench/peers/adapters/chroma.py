"""Chroma: a persistent client, a collection for each user, cosine; ids are the caller's."""

from pathlib import Path
from uuid import uuid4

import chromadb
from chromadb.api.types import Documents, EmbeddingFunction, Embeddings
from embedding import Embedding, embedding_in
from stores import Hit, Store

PACKAGES = ("chromadb",)
NOTE = (
    "persistent client, a collection a user (HNSW, cosine), its embedding function knows questions"
)


class _Function(EmbeddingFunction[Documents]):
    """Our embedding as Chroma takes one; it tells questions from documents."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def __call__(self, input: Documents) -> Embeddings:  # noqa: A002 - its name there
        return list(self._embedding.texts(input))

    def embed_query(self, input: Documents) -> Embeddings:  # noqa: A002
        return [self._embedding.question(question) for question in input]

    @staticmethod
    def name() -> str:
        return "bge-small-en-v1.5"

    def get_config(self) -> dict[str, object]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, object]) -> "_Function":
        raise NotImplementedError("it is given, not read from a file")


class Chroma(Store):
    """Collections named after users."""

    def __init__(self, home: Path, embedding: Embedding) -> None:
        self._client = chromadb.PersistentClient(path=str(home))
        self._function = _Function(embedding)
        self._collections: dict[str, chromadb.Collection] = {}

    def add(self, user: str, text: str) -> str:
        memory = str(uuid4())
        self._of(user).add(ids=[memory], documents=[text])
        return memory

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        came = self._of(user).query(
            query_texts=[question], n_results=k, include=["documents", "distances"]
        )
        columns = (came["ids"][0], came["documents"][0], came["distances"][0])
        return [Hit(one, text, 1 - distance) for one, text, distance in zip(*columns, strict=True)]

    def update(self, user: str, memory: str, text: str) -> None:
        self._of(user).update(ids=[memory], documents=[text])

    def get(self, user: str, memory: str) -> str | None:
        found = self._of(user).get(ids=[memory])["documents"]
        return found[0] if found else None

    def delete(self, user: str, memory: str) -> None:
        self._of(user).delete(ids=[memory])

    def close(self) -> None:
        self._client.close()

    def _of(self, user: str) -> chromadb.Collection:
        if user not in self._collections:
            # Its names are 3 to 512 of [a-zA-Z0-9._-]: a user's name may be anything.
            self._collections[user] = self._client.get_or_create_collection(
                f"user-{user.encode().hex()}",
                embedding_function=self._function,
                configuration={"hnsw": {"space": "cosine"}},
            )
        return self._collections[user]


def open_store(home: Path, *, weights: Path) -> Store:
    """Return an empty store."""
    return Chroma(home, embedding_in(weights))
