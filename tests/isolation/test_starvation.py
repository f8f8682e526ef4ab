"""Others' memories take nobody's place: hits, order and scores are as if one were alone."""

import pytest

from isolation.canaries import client_of, open_home
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Principal
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder

pytestmark = pytest.mark.anyio

ANN = Principal.of_home(tenant="acme", user="ann")
CROWD = [Principal.of_home(tenant="acme", user=name) for name in ("Ann", "ann ", "an", "ann_")]
QUESTIONS = ["which lamp is in the hall?", "blue lamp", "hub of the lamp, hall"]
OWN = [
    "The blue lamp hangs in the hall",
    "The hub of the lamp is in the hall",
    "A lamp in the hall needs a new bulb",
    "The hall has a blue lamp and a hub",
    "Which lamp is in the hall? The blue one",
]
LEGS = {
    "words": Models(),
    "vectors": Models(embedder=HashEmbedder()),
    "dense vectors": Models(embedder=HashEmbedder(name="dense@1", has_tokens=False)),
}


def found(answer):
    return [
        (hit.memory.text, hit.score, hit.why.scores, hit.why.legs, hit.why.relevance)
        for hit in answer.hits
    ]


def counted(answer):
    trace = answer.trace
    stages = [(stage.stage, stage.candidates) for stage in trace.stages]
    return stages, trace.terms, trace.unknown_terms, trace.dropped_terms, trace.best, trace.tokens


@pytest.mark.promise(
    "isolation",
    "Others' memories change neither hits nor order nor scores.",
)
@pytest.mark.parametrize("models", LEGS.values(), ids=LEGS)
async def test_a_few_memories_are_found_beside_many_of_others(tmp_path, models):
    answers = []
    for crowd in ((), CROWD):
        store = open_home(tmp_path / f"home of {len(crowd)}")
        for other in crowd:
            many = [Draft(text=f"{OWN[n % 5]}, says note {n}") for n in range(500)]
            await client_of(store, other, models).write_many(many)
        client = client_of(store, ANN, models)
        await client.write_many(
            [Draft(text=text, valid_from="2026-01-01T00:00:00Z") for text in OWN]
        )
        answers.append([await client.recall(question, k=5) for question in QUESTIONS])
        await store.close()
    alone, beside = answers

    assert [len(answer.hits) for answer in beside] == [5] * len(QUESTIONS)
    assert [*map(found, beside)] == [*map(found, alone)]
    assert [*map(counted, beside)] == [*map(counted, alone)]
