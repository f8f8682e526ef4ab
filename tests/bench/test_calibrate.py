"""The script that calibrates a model, on a folder of made-up data."""

import importlib.util
import json
from pathlib import Path

import pytest

from pinyon.domain.calibration import Calibration
from pinyon.evaluation.quality.folder import read_folder
from pinyon.evaluation.quality.named import with_foreign
from pinyon.settings import read_settings
from pinyon.testing.embedder import HashEmbedder

pytestmark = pytest.mark.anyio

BENCH = Path(__file__).parents[2] / "bench"
GIVEN = Calibration(nothing=0.0, everything=1.0, floor=1e-6, words=0.14, unknown=0.15)


def script(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


calibrate = script("calibrate")

MEMORIES = [
    ("ann", "a1", "the heron nests by the mill"),
    ("ann", "a2", "the mill wheel was mended with oak"),
    ("ben", "b1", "violin strings are kept in the tin"),
]
QUESTIONS = [
    ("ann", "where does the heron nest?", ["a1"]),
    ("ann", "what was the wheel mended with?", ["a2"]),
    ("ben", "where are the violin strings?", ["b1"]),
]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    memories = [{"tenant": tenant, "id": row, "text": text} for tenant, row, text in MEMORIES]
    questions = [
        {"tenant": tenant, "question": text, "evidence": evidence}
        for tenant, text, evidence in QUESTIONS
    ]
    for name, rows in (("memories", memories), ("questions", questions)):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return made


async def test_a_calibration_lies_between_what_is_foreign_and_what_is_own(folder, tmp_path):
    corpus = with_foreign(read_folder(folder))
    settings = read_settings({}, home=tmp_path / "home")

    found = await calibrate.calibrate(settings, tmp_path / "homes", [corpus], HashEmbedder(), GIVEN)

    read = found.calibration
    assert found.own == 3
    assert found.foreign == 39  # one of the forty is not ASCII, which this model does not know
    assert 0 <= read.nothing < read.everything <= 1
    assert (read.words, read.unknown) == (0.14, 0.15)
    assert found.floors[0].lost == 0
    assert found.floors[-1].foreign == 1
    assert "Calibration(nothing=" in calibrate.shown(found)


@pytest.mark.parametrize(
    ("lost", "foreign", "floor"),
    [
        ((0.0, 0.0, 0.02), (0.5, 0.96, 1.0), 0.1),
        ((0.0, 0.005, 0.02), (0.1, 0.2, 1.0), 0.1),
        ((0.0, 0.0, 0.0), (0.95, 1.0, 1.0), 0.0),
    ],
    ids=["the lowest that refuses enough", "the highest that costs little", "none at all"],
)
def test_a_floor_refuses_what_is_foreign_and_costs_little(lost, foreign, floor):
    floors = [
        calibrate.AtFloor(floor=place / 10, lost=costs, near=0.0, foreign=refused)
        for place, (costs, refused) in enumerate(zip(lost, foreign, strict=True))
    ]

    assert calibrate.floor_of(floors) == floor


def test_what_the_model_does_not_know_is_told_in_one_line(tmp_path, capsys):
    exit_code = calibrate.main([str(tmp_path)])

    said = capsys.readouterr()
    assert (exit_code, said.out) == (2, "")
    assert said.err == "invalid_file: memories.jsonl: it is not in this folder\n"
