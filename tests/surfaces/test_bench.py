"""The command that measures this machine, on as little as it can be asked for."""

import pytest

from pinyon.evaluation.speed import serving
from surfaces.conftest import SOURCES

LITTLE = ("bench", "--sizes", "40", "--homes", "1", "--kills", "0", "--processes", "1", "--json")


def test_words_alone_are_measured_where_no_model_is_wanted(pinyon, tmp_path):
    said = pinyon(*LITTLE, "--no-model", "--folder", str(tmp_path), user=None)

    assert said.exit == 0
    assert said.json["meaning"] is None
    assert said.json["spaces"][0]["memories"] == 40
    assert "meaning" not in said.err


def test_a_missing_model_is_told_in_one_line(pinyon, tmp_path, monkeypatch):
    monkeypatch.setattr("pinyon.surfaces.cli.bench.find_late_interaction", lambda: None)

    said = pinyon(*LITTLE, "--folder", str(tmp_path), user=None)

    assert (said.exit, said.json["meaning"]) == (0, None)
    assert said.err.count("the model is not installed: measuring words only") == 1


@pytest.mark.parametrize("sizes", ["ten", "10;20"])
def test_sizes_are_whole_numbers(pinyon, sizes):
    said = pinyon("bench", "--sizes", sizes, "--json", user=None)

    assert (said.exit, said.error["code"]) == (2, "invalid_value")


SERVE = ("bench", "--serve", "--users", "3", "--memories", "100", "--no-model", "--json")


def test_a_server_is_measured_under_load(pinyon, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    monkeypatch.setattr(serving, "STARTS", 1)
    home = tmp_path / "home"

    said = pinyon(*SERVE, "--servers", "2", "--seconds", "0.5", "--keep", str(home), user=None)

    assert said.exit == 0, said.err
    words = said.json["words"]
    phases = [words[name] for name in ("first", "recalls", "recalls_half", "writes", "remembers")]
    assert said.json["meaning"] is None
    assert said.json["filled"] == {"users": 3, "memories": 100, "model": ""}
    assert [phase["took"]["failed"] for phase in phases] == [0] * 5
    assert words["first"]["took"]["requests"] == 3
    assert words["idle"]["answered"] == words["idle"]["connections"]
    assert words["ready_bytes"] < words["full_bytes"]
    assert "making 2 spaces like it" in said.err
    assert home.is_dir()
