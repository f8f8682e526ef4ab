"""Cheap tags: what a text's form says of it."""

from time import process_time

import pytest

from pinyon.text.facets import ENTITIES_MAX, facets_of
from pinyon.text.passages import TEXT_CHARS_MAX


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Sarah lives in Bristol", "en"),
        ("Ça va", "en"),
        ("记得设置止损", "zh"),
        ("今日は成語しりとりをした", "ja"),
        ("오늘 끝말잇기 게임을 했다", "ko"),
        ("Привет", "ru"),
        ("مرحبا", "ar"),
        ("שלום", "he"),
        ("สวัสดี", "th"),
        ("नमस्ते", "hi"),
        ("Γειά", "el"),
        ("12:30", ""),
        ("👍", ""),
    ],
)
def test_the_language_is_guessed_from_the_script(text, language):
    assert facets_of(text).language == language


@pytest.mark.parametrize(
    ("text", "has_code"),
    [
        ("```\nls\n```", True),
        ("def recall(question):", True),
        ("SELECT * FROM memory;", True),
        ("    return x;", True),
        ("Please return the hub", False),
        ("it ended (again): badly", False),
        ("Sarah lives in Bristol", False),
    ],
)
def test_code_is_told_by_its_form(text, has_code):
    assert facets_of(text).has_code is has_code


@pytest.mark.parametrize(
    ("text", "has_error"),
    [
        ("ValueError: no such hub", True),
        ("it ended with exit code 2", True),
        ("stopped with 0x80070057", True),
        ("the deploy failed", True),
        ("重置失败", True),
        ("it ended with exit code 0", False),
        ("it went well", False),
    ],
)
def test_errors_are_told_by_their_names(text, has_error):
    assert facets_of(text).has_error is has_error


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("she has a Lumio Hub v2 at home", "Lumio Hub v2"),
        ("see db-config.json", "db-config.json"),
        ("the field createdByAgent", "createdByAgent"),
        ("pushed to GitHub", "GitHub"),
        ("since v2.3.1 it works", "v2.3.1"),
    ],
)
def test_names_and_identifiers_are_entities(text, entity):
    assert entity in facets_of(text).entities


@pytest.mark.parametrize("text", ["the hub is back", "It works. Well, so far!", "", "狗", "- ..."])
def test_plain_words_are_no_entities(text):
    assert facets_of(text).entities == ()


def test_an_entity_is_named_once_and_only_so_many_are():
    text = " and ".join(f"v{number} or v{number}" for number in range(50))

    assert facets_of(text).entities == tuple(f"v{number}" for number in range(ENTITIES_MAX))


@pytest.mark.parametrize(
    "piece", ["a", "\n", " ", "(", "A ", "a.", "aA", "a'", "0", "x:", "    a(", "Error", "v1."]
)
def test_no_text_takes_long_to_look_at(piece):
    text = (piece * TEXT_CHARS_MAX)[:TEXT_CHARS_MAX]
    started = process_time()

    facets_of(text)

    assert process_time() - started < 1
