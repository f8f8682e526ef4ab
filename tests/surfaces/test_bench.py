"""The command that measures this machine, on as little as it can be asked for."""

import pytest

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
