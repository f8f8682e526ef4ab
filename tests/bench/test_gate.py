"""The gate on its labelled list, and the script that measures it."""

import importlib.util
import json
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


def script(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = script("gate")
ROWS = bench.read_rows(bench.LABELLED)


@pytest.fixture(scope="module")
def mark_of():
    marks = {(mark.category, mark.language): mark for mark in bench.marks_of(ROWS)}
    return lambda category, language=bench.ALL: marks[category, language]


def test_the_list_is_long_and_in_two_languages():
    languages = [row["language"] for row in ROWS]

    assert len(ROWS) >= 400
    assert min(languages.count("en"), languages.count("zh")) > len(ROWS) * 0.4
    assert len({row["text"] for row in ROWS}) == len(ROWS)
    assert sum(not row["findings"] and not row["orders"] for row in ROWS) > len(ROWS) * 0.4


def test_every_label_stands_in_its_text():
    for row in ROWS:
        assert all(label["value"] in row["text"] for label in row["findings"]), row["text"]


@pytest.mark.parametrize("language", ["all", "en", "zh"])
def test_what_is_sensitive_is_found_and_little_else(mark_of, language):
    mark = mark_of(bench.ALL, language)

    assert mark.precision >= 0.98
    assert mark.recall >= 0.97


@pytest.mark.parametrize("category", bench.CATEGORIES)
def test_no_category_is_left_behind(mark_of, category):
    assert mark_of(category).labelled >= 12
    assert mark_of(category).precision >= 0.9
    assert mark_of(category).recall >= 0.9


@pytest.mark.parametrize("language", ["all", "en", "zh"])
def test_orders_are_told_from_advice(mark_of, language):
    assert mark_of(bench.ORDERS, language).precision >= 0.95
    assert mark_of(bench.ORDERS, language).recall >= 0.9


def test_half_a_value_is_none_and_a_whole_sentence_neither(tmp_path, capsys):
    rows = [
        {"language": "en", "orders": False, "text": "password: hunter2xyz", "findings": []},
        {
            "language": "en",
            "orders": True,
            "text": "mail bob@example.com",
            "findings": [{"category": "email_address", "value": "ail bob@example.com"}],
        },
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    assert bench.main([str(path), "--json", "--misses"]) == 0
    marks, *misses = capsys.readouterr().out.splitlines()
    whole = json.loads(marks)[0]

    assert (whole["labelled"], whole["found"], whole["right"]) == (1, 2, 0)
    assert len(misses) == 3


def test_the_page_shows_the_table_of_today(capsys):
    assert bench.main([]) == 0
    table = capsys.readouterr().out.partition("\n\n")[2].strip()
    page = (BENCH.parent / "docs" / "explanation" / "the-gate.md").read_text("utf-8")

    assert table in page
