"""The script that leaves out one part of a recall at a time, on a folder of made-up data."""

import importlib.util
import json
from pathlib import Path

import pytest

from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder

BENCH = Path(__file__).parents[2] / "bench"
SPEC = importlib.util.spec_from_file_location("bench_ablate", BENCH / "ablate.py")
ablate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ablate)

MEMORIES = [
    {"tenant": who, "id": f"{who}1", "text": text, "kind": kind}
    for who, text, kind in [
        ("ann", "the heron nests by the mill", "semantic"),
        ("ben", "violin strings are kept in the tin", "episodic"),
    ]
]
QUESTIONS = [
    {"tenant": "ann", "qid": "q1", "question": "where does the heron nest?", "evidence": ["ann1"]},
    {"tenant": "ben", "qid": "q2", "question": "violin strings?", "evidence": ["ben1"]},
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "made_up"
    folder.mkdir()
    for name, rows in (("memories", MEMORIES), ("questions", QUESTIONS)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, "utf-8")
    left = ablate.Left("made_up", "local", ("keyword", "fact"))
    monkeypatch.setattr(ablate, "CORPORA", {"made-up": left})
    monkeypatch.setattr(ablate, "models_of", lambda settings: Models(embedder=HashEmbedder()))
    return tmp_path


def test_each_part_is_left_out_of_the_same_corpus(data, capsys):
    assert ablate.main(["made-up", "--data", str(data)]) == 0

    answer = json.loads(capsys.readouterr().out)
    assert answer["corpus"] == "made-up"
    assert set(answer["without"]) == {"keyword", "fact"}
    assert answer["whole"]["all"]["recall@10"] == 1.0
    assert set(answer["whole"]) == {"all", "odd", "even"}
    assert "keyword" in answer["stages_ms"]


def test_a_corpus_that_there_is_not_is_named(data, capsys):
    with pytest.raises(SystemExit):
        ablate.main(["nothing", "--data", str(data)])
    assert "nothing" in capsys.readouterr().err


def test_a_corpus_that_needs_its_data_says_so(data):
    with pytest.raises(SystemExit, match="--data"):
        ablate.main(["made-up"])
