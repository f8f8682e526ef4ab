"""The scripts of `bench/`, on a folder of made-up data."""

import importlib.util
import json
from pathlib import Path

import pytest

from pinyon.errors import ModelUnavailable
from pinyon.evaluation.quality.asking import keep_rows
from pinyon.evaluation.quality.datasets import read_folder
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder
from pinyon.wiring import open_parts

pytestmark = pytest.mark.anyio

BENCH = Path(__file__).parents[2] / "bench"


def script(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


quality, calibrate = script("quality"), script("calibrate")

MEMORIES = [
    ("ann", "a1", "the heron nests by the mill", "2026-01-05T09:00:00"),
    ("ann", "a2", "the mill wheel was mended with oak", "2026-01-05T09:01:00"),
    ("ann", "a3", "The heron nests by the mill!", "2026-02-05T09:00:00"),
    ("ben", "b1", "violin strings are kept in the tin", "2026年01月05日 周一 09:00"),
    ("ben", "b2", "the tin stands behind the flour", "some day"),
]
QUESTIONS = [
    ("ann", "where does the heron nest?", "place", ["a1", "a3"], True),
    ("ann", "what was the wheel mended with?", "thing", ["a2"], True),
    ("ann", "which submarine is green?", "thing", [], False),
    ("ben", "where are the violin strings?", "place", ["b1"], True),
    ("ben", "who painted the ceiling?", "place", ["b2"], True),
]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    memories = [
        {"tenant": tenant, "id": row, "text": text, "time": time, "speaker": tenant, "session": 1}
        for tenant, row, text, time in MEMORIES
    ]
    questions = [
        {"tenant": tenant, "question": text, "category": category, "evidence": evidence}
        | {"scorable": scorable}
        for tenant, text, category, evidence, scorable in QUESTIONS
    ]
    for name, rows in (("memories", memories), ("questions", questions)):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return made


def test_quality_scores_every_question_that_can_be_scored(folder, capsys):
    exit_code = quality.main([str(folder), "--words", "--halves", "--json"])

    said = json.loads(capsys.readouterr().out)
    assert exit_code == 0
    assert {name: one["questions"] for name, one in said["summaries"].items()} == {
        "all": 4,
        "odd tenants": 2,
        "even tenants": 2,
        "category place": 3,
        "category thing": 1,
    }


def test_quality_counts_what_says_the_same_as_found(folder, capsys):
    quality.main([str(folder), "--words", "--halves", "--json"])

    odd = json.loads(capsys.readouterr().out)["summaries"]["odd tenants"]
    assert (odd["recall"]["1"], odd["mrr"], odd["ndcg"], odd["empty"]) == (1.0, 1.0, 1.0, 0.0)


def test_quality_counts_a_question_that_nothing_came_for(folder, capsys):
    quality.main([str(folder), "--words", "--halves", "--json"])

    even = json.loads(capsys.readouterr().out)["summaries"]["even tenants"]
    assert (even["recall"]["20"], even["empty"]) == (0.5, 0.5)


def test_quality_leaves_out_what_it_did_not_ask_for(folder, capsys):
    quality.main([str(folder), "--words", "--k", "5", "--tenants", "1"])

    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["per", "cent", "asked", "R@1", "R@5"]
    assert "R@10" not in head
    assert first.split()[:2] == ["all", "2"]


def test_a_folder_without_data_is_told_in_one_line(tmp_path, capsys):
    exit_code = quality.main([str(tmp_path)])

    said = capsys.readouterr()
    assert (exit_code, said.out) == (2, "")
    assert said.err == "invalid_file: memories.jsonl: it is not in this folder\n"


async def test_a_model_that_fails_spoils_no_figure(folder, tmp_path):
    models = Models(embedder=HashEmbedder(fails=True))
    _, client = open_parts(tmp_path / "home", durable=False, models=models)

    async with client:
        with pytest.raises(ModelUnavailable):
            await keep_rows(client, read_folder(folder)[0])


async def test_a_calibration_lies_between_what_is_foreign_and_what_is_own(folder, tmp_path):
    found = await calibrate.calibrate(
        tmp_path / "home", read_folder(folder), HashEmbedder(), lost=0.0
    )

    read = found.calibration
    assert (found.own, found.foreign) == (4, 4)
    assert 0 <= read.nothing < read.everything <= 1
    assert found.floors[0] == calibrate.AtFloor(floor=0.0, lost=0.0, refused=0.0)
    assert "Calibration(nothing=" in calibrate.shown(found)


def test_a_floor_costs_no_more_answers_than_it_may():
    best = calibrate.Best(own=[0.2, 0.6, 0.7, 0.8], foreign=[0.1, 0.3])

    floors = calibrate.floors_of(best)

    assert calibrate.floor_within(floors, 0.0) == 0.2
    assert calibrate.floor_within(floors, 0.25) == 0.6
    assert floors[20] == calibrate.AtFloor(floor=0.2, lost=0.0, refused=0.5)
