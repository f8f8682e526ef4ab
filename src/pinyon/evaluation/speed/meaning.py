"""How fast recall by meaning is on this machine, with the real model, and what it takes on disk.

Of everything that a person waits for the real time is measured: a question is encoded for real, and
so are a text that is written and a file that is imported. Only what fills a space is encoded once
and handed out again, see `pinyon.evaluation.embedders.Recycling`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np

from pinyon.domain.draft import Draft
from pinyon.evaluation.embedders import (
    SAMPLES,
    Recycling,
    WithoutTokens,
    model_of,
    recycled,
)
from pinyon.evaluation.speed.babble import WORDS_OF_A_TURN, Babble
from pinyon.evaluation.speed.homes import Open, Opened, Tell, bytes_in, filled, opened
from pinyon.evaluation.speed.spaces import questions_of, recalls, standing_now, writes
from pinyon.evaluation.speed.starting import Starting, starting
from pinyon.evaluation.timing import Figures, Run, Stopwatch, figures, timed
from pinyon.ports.embedder import Embedder
from pinyon.ports.models import Models
from pinyon.recall.planning import CANDIDATES_PER_LEG

BEST_QUESTIONS = 30
"""With quality `best`; each takes some tenths of a second."""
IMPORTED = 500
WEIGHED = 3_000
"""Memories of a home that is weighed, so many that the empty one counts for next to nothing."""
WEIGHED_TOKENS = (20, 40, 60, 80)
MARKERS = 2
"""Tokens that the model puts around every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningSpeed:
    """One space of a given size, its memories turns of conversations.

    Attributes:
        vector: The vector leg of the store.
        bandwidth: Reading as many numbers once and multiplying them, and nothing else.
        over_bandwidth: How many times as long the vector leg takes, by the median.
        first_ms: Wall time of the first recall after opening, which reads the vectors in.
        recall: A whole recall, with the question's encoding.
        stages_ms: Median wall time of each of its stages.
        best: A whole recall of quality `best`.
        best_stages_ms: Median wall time of each of its stages.
        write: A whole durable write, with the text's encoding.
    """

    memories: int
    vector: Figures
    bandwidth: Figures
    over_bandwidth: float
    first_ms: float
    recall: Figures
    stages_ms: dict[str, float]
    best: Figures
    best_stages_ms: dict[str, float]
    write: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What a memory takes on disk, all indexes included.

    Attributes:
        texts: What sort of texts.
        tokens: Mean tokens of a text, as the model counts.
        whole_bytes: With a vector for each token.
        dense_bytes: With one vector for each text.
    """

    texts: str
    tokens: float
    whole_bytes: float
    dense_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What recall by meaning takes on this machine.

    Attributes:
        model: Fingerprint of the model that gives vectors.
        import_per_s: Short texts a second that become memories, by the clock on the wall.
    """

    model: str
    spaces: tuple[MeaningSpeed, ...]
    import_per_s: float
    weights: tuple[Weight, ...]
    starting: Starting


async def meaning_of(
    open_home: Open,
    folder: Path,
    models: Models,
    *,
    sizes: Sequence[int],
    vocabulary: Sequence[str],
    command: Sequence[str],
    tell: Tell,
) -> Meaning:
    """Measure everything that takes a model.

    Args:
        open_home: Opens a home.
        folder: Where to; it may not exist yet.
        models: The models.
        sizes: Memories of a space.
        vocabulary: Words that the model knows.
        command: Starts a process that measures itself, see `pinyon.evaluation.speed.starting`.
        tell: Says what is going on.
    """

    def babble() -> Babble:
        # A new one each time: what is measured does not depend on what was measured before.
        return Babble(vocabulary=vocabulary, words=WORDS_OF_A_TURN)

    begun = await starting(
        open_home, folder / "starting", models, babble=babble(), command=command, tell=tell
    )
    spaces = [
        await _space(open_home, folder / f"space-{size}", size, models, babble(), tell)
        for size in sizes
    ]
    tell(f"importing {IMPORTED} texts")
    return Meaning(
        model=model_of(models).fingerprint,
        spaces=tuple(spaces),
        import_per_s=await _import_per_s(open_home, folder / "import", models, babble()),
        weights=tuple(await _weighed(open_home, folder / "weighed", models, babble(), tell)),
        starting=begun,
    )


async def _space(
    open_home: Open, folder: Path, size: int, models: Models, babble: Babble, tell: Tell
) -> MeaningSpeed:
    """Fill one space with turns that have vectors, then ask it and write to it."""
    embedder = model_of(models)
    tell(f"writing {size:,} memories with vectors")
    async with opened(open_home, folder, durable=False, models=recycled(models)) as (_, client):
        texts, _ = await filled(client, list(babble.turns(size)))
    tell(f"asking {size:,} memories by meaning")
    async with opened(open_home, folder, models=models) as (store, client):
        questions = questions_of(babble, texts)
        first = await timed(partial(client.recall, questions[0]))
        vector, bandwidth = await _vector_leg((store, client), embedder, questions, size)
        recall, stages = await recalls(client, questions)
        # The cross-encoder is loaded by the first question that asks for it.
        await client.recall(questions[-1], quality="best")
        best, best_stages = await recalls(client, questions[:BEST_QUESTIONS], quality="best")
        tell(f"writing to {size:,} memories with vectors")
        return MeaningSpeed(
            memories=size,
            vector=vector,
            bandwidth=bandwidth,
            over_bandwidth=vector.wall_p50 / bandwidth.wall_p50,
            first_ms=first.wall_ms,
            recall=recall,
            stages_ms=stages,
            best=best,
            best_stages_ms=best_stages,
            write=await writes(client, babble, size),
        )


async def _import_per_s(open_home: Open, folder: Path, models: Models, babble: Babble) -> float:
    async with opened(open_home, folder, models=models) as (_, client):
        run = await timed(partial(client.write_many, list(babble.turns(IMPORTED))))
    return IMPORTED * 1000 / run.wall_ms


async def _weighed(
    open_home: Open, folder: Path, models: Models, babble: Babble, tell: Tell
) -> list[Weight]:
    """Return what memories of several lengths take on disk."""
    embedder = model_of(models)
    weighed = []
    for name, drafts in _texts_weighed(babble):
        tell(f"weighing {name}")
        samples = await embedder.embed([draft.text for draft in drafts[:SAMPLES]])
        whole = Recycling(embedder)
        dense = WithoutTokens(whole)
        weighed.append(
            Weight(
                texts=name,
                tokens=fmean(len(one.tokens) / embedder.token_dim for one in samples),
                whole_bytes=await _bytes_each(open_home, folder / name / "whole", drafts, whole),
                dense_bytes=await _bytes_each(open_home, folder / name / "dense", drafts, dense),
            )
        )
    return weighed


def _texts_weighed(babble: Babble) -> Iterator[tuple[str, list[Draft]]]:
    for tokens in WEIGHED_TOKENS:
        texts = (babble.plain(tokens - MARKERS) for _ in range(WEIGHED))
        yield f"facts of {tokens} tokens", [Draft(text=text) for text in texts]
    yield "turns of a chat", list(babble.turns(WEIGHED))


async def _bytes_each(
    open_home: Open, folder: Path, drafts: Sequence[Draft], embedder: Embedder
) -> float:
    models = Models(embedder=embedder)
    async with opened(open_home, folder, durable=False, models=models) as (_, client):
        await filled(client, drafts)
    return bytes_in(folder) / len(drafts)


async def _vector_leg(
    home: Opened, embedder: Embedder, questions: Sequence[str], size: int
) -> tuple[Figures, Figures]:
    """Return what the vector leg takes, and reading as many numbers: by turns, for fairness."""
    store, client = home
    space, where = client.principal.space("own"), standing_now()
    numbers = np.ones((size, embedder.dim), np.float32)
    legs: list[Run] = []
    reads: list[Run] = []
    for question in questions:
        vector = (await embedder.embed_question(question)).dense
        leg = partial(
            store.search.dense,
            space,
            vector,
            embedder.fingerprint,
            where,
            limit=CANDIDATES_PER_LEG,
        )
        legs.append(await timed(leg))
        with Stopwatch() as watch:
            np.vecdot(numbers, np.frombuffer(vector, np.float32))
        reads.append(watch.run)
    return figures(legs), figures(reads)
