"""A whole evaluation on a real home: what is kept and asked, and the file that tells of it."""

import json
from dataclasses import replace
from functools import partial

import pytest

from pinyon.domain.draft import Draft
from pinyon.domain.memory import KINDS
from pinyon.errors import InvalidFile, ModelUnavailable
from pinyon.evaluation.quality.asking import K, outcome_of, starved
from pinyon.evaluation.quality.corpus import Asked, Corpus, Row, Tenant
from pinyon.evaluation.quality.folder import read_folder
from pinyon.evaluation.quality.keeping import keep_corpus
from pinyon.evaluation.quality.measuring import (
    ALONE_QUESTIONS,
    ALONE_TENANTS,
    Asking,
    alone_of,
    counted_uuids,
    measure,
)
from pinyon.evaluation.quality.runs import (
    HITS_KEPT,
    code_digest,
    made_of,
    metrics_by_question,
    read_run,
    summary_json,
    write_run,
)
from pinyon.evaluation.quality.summary import summary_of
from pinyon.ports.models import NO_MODELS, Models
from pinyon.settings import read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.embedder import HashEmbedder, HashReranker
from pinyon.wiring import open_to_evaluate

pytestmark = pytest.mark.anyio

HERON = "the heron nests by the mill"
WHEEL = "the mill wheel was mended with oak"
TIN = "violin strings are kept in the tin"
FLOUR = "the tin stands behind the flour"


def row(name, text, **fields):
    return Row(name, Draft(text=text, **{"kind": "semantic", **fields}))


def asks(text, *evidence, number=0, category="", abstain=None):
    return Asked(
        id=f"{text} {number}", text=text, category=category, evidence=evidence, abstain=abstain
    )


def corpus_of(*shared, **tenants):
    """Return a corpus: each tenant is its rows and questions in one list, in any order."""
    return Corpus(
        name="mill",
        tenants=tuple(
            Tenant(
                name=name,
                rows=tuple(one for one in held if isinstance(one, Row)),
                questions=tuple(one for one in held if isinstance(one, Asked)),
            )
            for name, held in tenants.items()
        ),
        shared=shared,
    )


MILL = corpus_of(
    row("s1", "the granary opens at eight", kind="catalog"),
    ann=[
        row("a1", HERON),
        row("a2", "the wheel turns left"),
        row("a3", "the wheel turns right", supersedes=["a2"]),
        row("a4", WHEEL),
        asks("where does the heron nest?", "a1", category="place"),
        asks("which way turns the wheel?", "a3", category="thing"),
        asks("when does the granary open?", "s1", category="thing"),
        asks("zib quux frump?", category="foreign", abstain="foreign"),
    ],
    ben=[
        row("b1", TIN),
        row("b2", FLOUR),
        asks("where are the violin strings?", "b1", "b2", category="place"),
        asks("at what hour opens the granary?", "s1", category="thing"),
        asks("who tuned the violin?", category="near", abstain="near"),
    ],
)
MODELS = {"words": lambda: NO_MODELS, "meaning": lambda: Models(embedder=HashEmbedder())}


def silent(what, done, of):
    """Say nothing of how far it is."""


@pytest.fixture
def open_home(tmp_path):
    return partial(open_to_evaluate, read_settings({}, home=tmp_path, models="off"))


@pytest.fixture
def measured(open_home, tmp_path):
    """Return a function that measures a corpus and returns what became of it by question."""
    runs = []

    async def run(corpus, *, models=NO_MODELS, asking=None, open_home=open_home, tell=silent):
        runs.append(corpus)
        folder = tmp_path / f"run-{len(runs)}"
        outcomes = await measure(open_home, folder, corpus, models, asking or Asking(), tell)
        return {one.question: one for one in outcomes}

    return run


@pytest.fixture
def opened(open_home, tmp_path):
    """Return what opens a client on an empty home."""
    parts = {"clock": FrozenClock(), "new_uuid": counted_uuids(), "models": NO_MODELS}
    return partial(open_home, tmp_path / "home", **parts)


# ── keeping ──────────────────────────────────────────────────────────────────────────────────


async def test_people_are_kept_side_by_side(opened):
    corpus = corpus_of(
        row("s1", "granary"),
        ann=[row("a1", HERON), row("a2", WHEEL), row("a3", "oak")],
        ben=[row("b1", TIN), row("b2", FLOUR)],
    )

    async with opened() as client:
        _, kept = await keep_corpus(client, corpus)

    # Ids count up as they are given out.
    row_by_memory = {
        memory: of.row_of[said] for of in kept.values() for memory, said in of.said_by.items()
    }
    written = [name for _, name in sorted(row_by_memory.items())]
    assert written == ["s1", "a1", "b1", "a2", "b2", "a3"]


async def test_keeping_says_how_far_it_is(opened):
    said = []

    async with opened() as client:
        await keep_corpus(client, MILL, lambda done, of: said.append((done, of)))

    assert said[-1] == (7, 7)
    assert [done for done, _ in said] == sorted(done for done, _ in said)


async def test_everybody_may_recall_what_is_shared_and_what_is_their_own(opened):
    async with opened() as client:
        _, kept = await keep_corpus(client, MILL)

    assert set(kept["ann"].said_in) == {"s1", "a1", "a2", "a3", "a4"}
    assert set(kept["ben"].said_in) == {"s1", "b1", "b2"}


async def test_rows_that_say_the_same_are_one_thing(opened):
    corpus = corpus_of(ann=[row("a1", HERON), row("a2", "The heron nests by the mill!")])

    async with opened() as client:
        _, kept = await keep_corpus(client, corpus)

    assert len(kept["ann"].row_of) == 1
    assert set(kept["ann"].row_of.values()) == {"a1"}
    assert len(set(kept["ann"].evidence(["a1", "a2"]))) == 1


@pytest.mark.parametrize("names", [["a9"], ["b1"], ["s1"], ["a1", "a9"], ["a2"]])
async def test_a_row_that_supersedes_what_was_not_said_before_is_refused(opened, names):
    corpus = corpus_of(
        row("s1", "granary"),
        ben=[row("b1", TIN)],
        ann=[row("a1", HERON), row("a2", WHEEL, supersedes=names)],
    )

    async with opened() as client:
        with pytest.raises(InvalidFile, match=r"^a2: it supersedes what is no earlier row"):
            await keep_corpus(client, corpus)


# ── asking ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("models", MODELS)
async def test_what_is_asked_is_answered_by_what_was_kept(measured, models):
    found = await measured(MILL, models=MODELS[models]())

    heron = found["where does the heron nest?"]
    assert (heron.tenant, heron.category, heron.half) == ("ann", "place", "odd")
    assert (heron.hits[0].row, heron.kinds, heron.evidence) == ("a1", ("semantic",), ("a1",))
    assert heron.marks["mrr"] == 1
    assert heron.best >= heron.floor > 0
    assert heron.tokens >= heron.hits[0].tokens > 0
    assert found["where are the violin strings?"].half == "even"


async def test_a_question_is_marked_by_what_recall_says_of_it(opened):
    asked = asks("which way turns the heron?", "a3")

    async with opened() as client:
        clients, kept = await keep_corpus(client, MILL)
        found = await outcome_of(clients["ann"], kept["ann"], asked, tenant="ann", half="odd")
        answer = await clients["ann"].recall(asked.text)

    trace = answer.trace
    assert (found.best, found.floor, found.tokens) == (trace.best, trace.floor, trace.tokens)
    assert found.floor != found.best
    assert [hit.score for hit in found.hits] == [hit.score for hit in answer.hits]


async def test_a_question_is_of_the_kinds_that_answer_it(measured):
    rows = [row(kind, f"the {kind} heron nests", kind=kind) for kind in KINDS]

    found = await measured(corpus_of(ann=[*rows, asks("which heron nests?", *KINDS)]))

    assert found["which heron nests?"].kinds == tuple(sorted(KINDS))
    assert found["which heron nests?"].marks["recall@10"] == 1


@pytest.mark.parametrize("models", MODELS)
async def test_a_row_that_was_superseded_does_not_come(measured, models):
    found = await measured(MILL, models=MODELS[models]())

    came = [hit.row for hit in found["which way turns the wheel?"].hits]
    assert came[0] == "a3"
    assert "a2" not in came


async def test_a_row_can_supersede_one_that_superseded(measured):
    rows = [
        row("a1", "the wheel turns left"),
        row("a2", "the wheel turns right", supersedes=["a1"]),
        row("a3", "the wheel turns round", supersedes=["a2"], contradiction="harsh"),
    ]

    found = await measured(corpus_of(ann=[*rows, asks("which way turns the wheel?", "a3")]))

    came = [hit.row for hit in found["which way turns the wheel?"].hits]
    assert came == ["a3"]


async def test_a_shared_row_answers_everybody(measured):
    found = await measured(MILL)

    for question in ("when does the granary open?", "at what hour opens the granary?"):
        assert found[question].hits[0].row == "s1"
        assert found[question].kinds == ("catalog",)


@pytest.mark.parametrize("models", MODELS)
async def test_nobody_is_given_what_is_another_persons(measured, models):
    found = await measured(MILL, models=MODELS[models]())

    owners = {one.tenant: {hit.row[0] for hit in one.hits} for one in found.values()}
    assert owners["ann"] <= {"a", "s"}
    assert owners["ben"] <= {"b", "s"}
    assert sum(one.leaks for one in found.values()) == 0


async def test_what_nothing_answers_has_no_marks_and_says_why_nothing_came(measured):
    found = await measured(MILL)

    foreign = found["zib quux frump?"]
    assert (foreign.abstain, foreign.marks, foreign.kinds, foreign.hits) == ("foreign", {}, (), ())
    assert foreign.empty_because == "below_floor"


async def test_evidence_that_says_the_same_in_two_rows_is_found_by_one_hit(measured):
    rows = [row("a1", HERON), row("a2", "The heron nests by the mill!"), row("a3", FLOUR)]

    found = await measured(corpus_of(ann=[*rows, asks("where does the heron nest?", "a1", "a2")]))

    (one,) = found.values()
    assert [hit.row for hit in one.hits] == ["a1"]
    assert {name: mark for name, mark in one.marks.items() if mark != 1} == {}


async def test_evidence_that_is_named_twice_counts_once(tmp_path, measured):
    texts = {"a1": HERON, "a2": FLOUR}
    memories = [{"tenant": "ann", "id": name, "text": text} for name, text in texts.items()]
    asked = {"tenant": "ann", "question": "heron?", "evidence": ["a1", "a1", "a2"]}
    (tmp_path / "memories.jsonl").write_text("\n".join(map(json.dumps, memories)), "utf-8")
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked), "utf-8")

    found = await measured(read_folder(tmp_path))

    assert found["heron?"].marks["recall@10"] == 0.5


async def test_what_says_the_same_in_two_memories_counts_where_it_comes_first(measured):
    shared = row("s1", HERON, kind="catalog")
    corpus = corpus_of(shared, ann=[row("a1", HERON), asks("heron nests mill?", "a1")])

    found = await measured(corpus)

    assert found["heron nests mill?"].marks["mrr"] == 1


async def test_every_stage_is_timed(measured):
    found = await measured(MILL)

    assert {"plan", "keyword", "select"} <= found["where does the heron nest?"].stages_ms.keys()
    assert all(one.run.wall_ms > sum(one.stages_ms.values()) > 0 for one in found.values())


async def test_everything_is_kept_and_asked_when_the_newest_row_was_said(measured, open_home):
    clocks = []

    def spied(home, *, clock, new_uuid, models):
        clocks.append(clock.now_us())
        return open_home(home, clock=clock, new_uuid=new_uuid, models=models)

    rows = [row("a1", HERON, occurred_at="2021-05-06T07:08:09Z"), asks("heron?", "a1")]
    corpus = corpus_of(ann=rows, ben=[row("b1", TIN, occurred_at="2020-01-01T00:00:00Z")])

    await measured(corpus, open_home=spied)

    assert set(clocks) == {corpus.asked_at_us}


async def test_measuring_says_how_far_it_is(measured):
    said = []

    await measured(MILL, tell=lambda *one: said.append(one))

    assert {("remembering", 7, 7), ("asking", 7, 7), ("one person alone", 2, 2)} <= set(said)


async def test_the_best_quality_asks_the_slower_model(measured):
    reranker = HashReranker()
    models = Models(embedder=HashEmbedder(), reranker=reranker)

    await measured(MILL, models=models)
    usual = reranker.pairs
    await measured(MILL, models=models, asking=Asking(quality="best"))

    assert (usual, reranker.pairs > 0) == (0, True)


async def test_a_text_is_encoded_once_however_often_it_is_kept(measured):
    model = HashEmbedder()

    await measured(MILL, models=Models(embedder=model))

    assert model.calls == len({one.draft.text for one in MILL.rows})


async def test_a_model_that_fails_spoils_no_figure(measured):
    with pytest.raises(ModelUnavailable):
        await measured(MILL, models=Models(embedder=HashEmbedder(fails=True)))


class FailsWhenAsked(HashEmbedder):
    """Reads texts, and no question."""

    async def embed_question(self, question):
        raise ModelUnavailable(self.fingerprint, "it was told to fail")


async def test_a_model_that_fails_when_it_is_asked_spoils_no_figure(measured):
    with pytest.raises(ModelUnavailable):
        await measured(MILL, models=Models(embedder=FailsWhenAsked()))


# ── leaks ────────────────────────────────────────────────────────────────────────────────────


async def test_what_belongs_to_another_person_is_counted_and_answers_nothing(opened):
    asked = asks("where are the violin strings?", "b1")

    async with opened() as client:
        clients, kept = await keep_corpus(client, MILL)
        # A store that hands Ann's memories to Ben: he is asked, and she answers.
        mixed = replace(kept["ben"], said_by=kept["ann"].said_by, row_of=kept["ann"].row_of)
        found = await outcome_of(clients["ben"], mixed, asked, tenant="ben", half="even")

    assert found.hits
    assert found.leaks >= len(found.hits)
    assert {hit.row for hit in found.hits} == {"?"}
    assert set(found.marks.values()) == {0.0}
    assert summary_of([found]).leaks == found.leaks


async def test_what_is_shared_is_no_leak(opened):
    async with opened() as client:
        clients, kept = await keep_corpus(client, MILL)
        found = [
            await outcome_of(
                clients[name], kept[name], asks("granary?", "s1"), tenant=name, half="odd"
            )
            for name in clients
        ]

    assert [(one.leaks, one.hits[0].row) for one in found] == [(0, "s1"), (0, "s1")]


# ── starvation ───────────────────────────────────────────────────────────────────────────────


class Crowded:
    """A home in which everybody gets fewer hits beside others than alone, as a bad store gives."""

    def __init__(self, client, *, hits, folder):
        self._client, self._hits, self._alone = client, hits, folder.name != "together"

    def acting_for(self, user):
        client = self._client.acting_for(user)
        return client if self._alone else _Narrow(client, self._hits)

    async def write_many(self, *args, **options):
        return await self._client.write_many(*args, **options)

    async def __aenter__(self):
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *exc):
        await self._client.__aexit__(*exc)


class _Narrow:
    def __init__(self, client, hits):
        self._client, self._hits = client, hits

    async def write_many(self, *args, **options):
        return await self._client.write_many(*args, **options)

    async def recall(self, question, *, k, **narrowing):
        answer = await self._client.recall(question, k=k, **narrowing)
        return replace(answer, hits=answer.hits[: self._hits])

    async def core_facts(self):
        return await self._client.core_facts()


HERONS = corpus_of(
    ann=[*(row(f"a{n}", f"heron {n} nests") for n in range(3)), asks("which heron nests?", "a0")],
    ben=[*(row(f"b{n}", f"heron {n} flies") for n in range(3)), asks("heron flies?", "b0")],
)


async def test_nobody_starves_beside_others(measured):
    found = await measured(HERONS)

    assert [one.starved for one in found.values()] == [False, False]


@pytest.mark.parametrize(("hits", "starves"), [(2, True), (3, False)])
async def test_whoever_gets_fewer_hits_beside_others_starves(measured, open_home, hits, starves):
    def crowded(home, **parts):
        return Crowded(open_home(home, **parts), hits=hits, folder=home)

    found = await measured(HERONS, open_home=crowded)

    summary = summary_of(list(found.values()))
    assert [one.starved for one in found.values()] == [starves, starves]
    assert (summary.starvation, summary.starvation_of) == (2 * starves, 2)


async def test_what_belongs_to_others_feeds_nobody(opened):
    asked = asks("where are the violin strings?", "b1")

    async with opened() as client:
        clients, kept = await keep_corpus(client, MILL)
        nothing = replace(kept["ben"], said_by={}, row_of={})
        found = await outcome_of(clients["ben"], nothing, asked, tenant="ben", half="even")
        alone = await clients["ben"].recall(asked.text, k=K)

    assert starved(found, alone).starved is True


async def test_whoever_is_alone_anyway_is_not_looked_at(measured):
    found = await measured(replace(MILL, tenants=MILL.tenants[:1]))

    assert {one.starved for one in found.values()} == {None}


def many(tenants, questions):
    made = {
        f"t{place}": [asks(f"which {n}?", "a1", number=place) for n in range(questions)]
        for place in range(tenants)
    }
    return corpus_of(**made)


def test_some_of_many_people_are_kept_alone_evenly_picked():
    picked = alone_of(many(tenants=65, questions=2))

    assert list(picked) == [f"t{place}" for place in range(0, 60, 3)]
    assert len(picked) == ALONE_TENANTS


def test_some_of_many_questions_are_asked_alone_evenly_picked():
    picked = alone_of(many(tenants=2, questions=1000))

    assert [len(asked) for asked in picked.values()] == [ALONE_QUESTIONS / 2] * 2
    assert [one.text for one in picked["t0"][:3]] == ["which 0?", "which 10?", "which 20?"]


def test_no_more_questions_are_asked_alone_than_may_be():
    picked = alone_of(many(tenants=2, questions=150))

    assert [len(asked) for asked in picked.values()] == [75, 75]


def test_no_more_is_asked_alone_than_there_is():
    picked = alone_of(many(tenants=3, questions=4))

    assert [len(asked) for asked in picked.values()] == [4, 4, 4]


def test_whoever_is_asked_nothing_is_not_kept_alone():
    assert list(alone_of(corpus_of(ann=[row("a1", HERON)], ben=[asks("who?", "a1")]))) == ["ben"]
    assert alone_of(many(tenants=1, questions=4)) == {}


# ── a run as a file ──────────────────────────────────────────────────────────────────────────


@pytest.fixture
def written(measured, tmp_path):
    """Return a function that measures a corpus and writes the run."""

    async def write(name, corpus=MILL, config=None, **options):
        outcomes = list((await measured(corpus, **options)).values())
        path = tmp_path / name
        write_run(path, made_of(corpus, config or {}), summary_of(outcomes), outcomes)
        return path, outcomes

    return write


@pytest.mark.parametrize("models", MODELS)
async def test_two_runs_differ_in_nothing_but_how_long_they_took(written, models):
    runs = [(await written(name, models=MODELS[models]()))[0] for name in ("one", "two")]

    lines = [path.read_bytes().splitlines(keepends=True) for path in runs]
    kept = [[line for line in of if b'"type": "latency"' not in line] for of in lines]
    assert [len(of) for of in lines] == [9, 9]
    assert kept[0] == kept[1]
    assert [len(of) for of in kept] == [8, 8]


async def test_a_run_is_read_as_it_was_written(written):
    path, outcomes = await written("run.jsonl", config={"quality": "default"})

    head, metrics = read_run(path)

    assert metrics == metrics_by_question(outcomes)
    assert (head["corpus"], head["data"], head["config"]) == (
        "mill",
        MILL.digest(),
        {"quality": "default"},
    )


async def test_a_run_tells_of_each_question_what_came(written):
    path, outcomes = await written("run.jsonl")

    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["type"] for line in lines] == ["run", "latency", *["question"] * 7]
    heron = lines[2]
    assert (heron["question"], heron["evidence"]) == ("where does the heron nest?", ["a1"])
    assert heron["hits"][0] == {
        "row": "a1",
        "score": outcomes[0].hits[0].score,
        "tokens": outcomes[0].hits[0].tokens,
    }
    assert (heron["leaks"], heron["starved"], heron["abstain"]) == (0, False, None)


async def test_a_run_holds_no_more_hits_than_users_see(written):
    rows = [row(f"a{n}", f"heron number {n} nests") for n in range(15)]
    corpus = corpus_of(ann=[*rows, asks("which heron nests?", "a0")])

    path, (outcome,) = await written("run.jsonl", corpus)

    line = json.loads(path.read_text("utf-8").splitlines()[-1])
    assert (len(outcome.hits), len(line["hits"])) == (15, HITS_KEPT)


async def test_a_run_is_text_as_it_was_said(written):
    corpus = corpus_of(ann=[row("a1", "外婆住在苏州"), asks("外婆住在哪里?", "a1")])

    path, _ = await written("run.jsonl", corpus)

    assert "外婆住在哪里?" in path.read_text("utf-8")


def test_what_made_a_run_counts_what_was_kept_and_asked():
    made = made_of(MILL, {"quality": "best"})

    assert (made.memories, made.questions, made.tenants) == (7, 7, 2)
    assert (made.corpus, made.config, made.data) == ("mill", {"quality": "best"}, MILL.digest())
    assert len(made.code) == 64 and made.code == code_digest()


async def test_the_figures_of_a_run_are_json(measured):
    outcomes = list((await measured(MILL)).values())

    said = summary_json(made_of(MILL, {}), summary_of(outcomes))

    assert json.loads(json.dumps(said)) == said
    assert said["by_category"]["place"]["questions"] == 2
    assert set(said["latency_ms"]["recall"]) == {"wall", "cpu"}
    assert said["intervals"].keys() == said["metrics"].keys()


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (['{"type": "run"}', "no json"], "run.jsonl, line 2: it is no JSON"),
        (["5"], "run.jsonl, line 1: it is no JSON object"),
        (['{"type": "question", "metrics": {}}'], "run.jsonl, line 1: a question has no id"),
        (['{"type": "question", "id": 5, "metrics": {}}'], "run.jsonl, line 1: a question has no"),
        (['{"type": "question", "id": "q"}'], "run.jsonl, line 1: a question has no id or no metr"),
        (['{"type": "run"}'], "run.jsonl: it holds no question"),
        ([], "run.jsonl: it holds no question"),
    ],
)
def test_a_file_that_is_no_run_is_refused_with_its_line(tmp_path, lines, why):
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines), "utf-8")

    with pytest.raises(InvalidFile) as refused:
        read_run(path)

    assert str(refused.value).startswith(why)


def test_a_run_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidFile, match="it is not there"):
        read_run(tmp_path / "run.jsonl")


@pytest.mark.parametrize("metrics", ["5", '{"mrr": "x"}', "null"])
def test_a_run_whose_figures_are_none_is_refused_with_its_line(tmp_path, metrics):
    path = tmp_path / "run.jsonl"
    path.write_text(f'{{"type": "question", "id": "q", "metrics": {metrics}}}', "utf-8")

    with pytest.raises(InvalidFile, match="line 1"):
        read_run(path)


def test_a_run_of_another_encoding_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(InvalidFile):
        read_run(path)
