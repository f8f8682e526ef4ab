"""Cutting documents: nothing is lost, little is torn apart, and the headings stay with it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.chunks import (
    CHUNK_CHARS,
    CHUNK_CHARS_MAX,
    TINY_CHARS,
    Chunk,
    chunks_of,
    chunks_of_text,
)

LONG = "A sentence about the hub and its bulbs. " * 60
CODE = "```\n" + "a line of code\n" * 120 + "```"


def texts_of(markdown):
    return [chunk.text for chunk in chunks_of(markdown)]


# ── every document ───────────────────────────────────────────────────────────────────────────────

BLOCKS = st.sampled_from(
    [
        "# {}",
        "## {}",
        "### {}",
        "{}\n===",
        "{} a line of text",
        "{} a line\nand {} another",
        "- {} one\n- {} two\n\n  {} more of two",
        "1. {} one\n   - {} below",
        "| {} a | b |\n|---|---|\n| {} c | d |\n| {} e | f |",
        "> {} quoted\n> {} twice",
        "```\n{} code\n\n# {} no heading\n```",
        "    {} indented",
        "[{}]: https://example.org",
        "{} 句子。{}又一句！",
        "{} " + LONG,
        "- {} " + LONG + LONG + LONG,
        "```\n{}\n" + "code " * 900 + "\n```",
        "<div>{}</div>",
        "# ",
        "---",
        "\u200b",
    ]
)
BREAKS = st.sampled_from(["\n\n", "\r\n\r\n", "\n"])


@st.composite
def documents(draw):
    """Return a document in which every line has a word of its own."""
    parts = []
    for block in draw(st.lists(BLOCKS, max_size=30)):
        words = (f"word{len(parts)}x{number}y" for number in range(9))
        parts.append(re.sub(r"\{\}", lambda _, of=words: next(of), block))
        parts.append(draw(BREAKS))
    return "".join(parts)


@given(documents())
def test_every_line_is_in_exactly_one_chunk(document):
    chunks = chunks_of(document)
    words = re.findall(r"word\d+x\d+y", document)
    for word in words:
        held = sum(word in chunk.text for chunk in chunks)
        above = any(word in heading for chunk in chunks for heading in chunk.headings)

        assert held == 1 or (held == 0 and above), word
    held = [word for chunk in chunks for word in re.findall(r"word\d+x\d+y", chunk.text)]
    assert held == [word for word in words if word in held]


@given(documents())
def test_no_chunk_is_empty_or_over_the_limit(document):
    for chunk in (*chunks_of(document), *chunks_of_text(document)):
        assert 0 < len(chunk.text) <= CHUNK_CHARS_MAX
        assert chunk.text.strip()


@given(st.text(max_size=3_000))
def test_any_text_is_cut_the_same_each_time(text):
    assert chunks_of(text) == chunks_of(text)
    assert all(len(chunk.text) <= CHUNK_CHARS_MAX for chunk in chunks_of(text))


@given(documents())
def test_a_plain_text_keeps_all_its_characters(text):
    held = "".join(chunk.text for chunk in chunks_of_text(text))

    assert re.findall(r"[^\s\u200b]", held) == re.findall(r"[^\s\u200b]", text)


# ── headings ─────────────────────────────────────────────────────────────────────────────────────


def test_a_chunk_stands_under_its_headings():
    document = (
        "# Hub\n\nAbout it, in\ntwo lines.\n\n## Reset\n\nHold the *button*.\n\n# Bulb\n\nWhite."
    )

    assert chunks_of(document) == (
        Chunk(("Hub",), "About it, in\ntwo lines."),
        Chunk(("Hub", "Reset"), "Hold the *button*."),
        Chunk(("Bulb",), "White."),
    )


def test_a_heading_underlined_is_one_too():
    assert chunks_of("Hub\n===\n\nReset\n---\n\nHold it.") == (Chunk(("Hub", "Reset"), "Hold it."),)


def test_a_heading_goes_without_its_marks():
    (chunk,) = chunks_of("# The `hub_id` of [a *hub*](hub.md)\n\nText.")

    assert chunk.headings == ("The hub_id of a hub",)


def test_a_heading_over_two_lines_is_one_line():
    (chunk,) = chunks_of("The hub\nand the bulb\n===\n\nText.")

    assert chunk.headings == ("The hub and the bulb",)


def test_what_stands_before_the_first_heading_has_none():
    assert chunks_of("Before.\n\n# Hub\n\nAfter.")[0] == Chunk((), "Before.")


def test_a_document_without_headings_is_cut_by_size():
    chunks = chunks_of("\n\n".join(["A short paragraph."] * 100))

    assert len(chunks) == 2
    assert {chunk.headings for chunk in chunks} == {()}


def test_a_heading_without_words_is_none():
    assert chunks_of("# Hub\n\n##\n\nText.\n\n##") == (Chunk(("Hub",), "Text."),)


# ── tiny sections ────────────────────────────────────────────────────────────────────────────────


def test_tiny_sections_join_the_next_one_beside_them():
    document = "# Words\n\n## Hub\n\nA box.\n\n## Bulb\n\nA lamp.\n\n## Scene\n\nTwo\nlines."

    assert chunks_of(document) == (
        Chunk(("Words",), "## Hub\n\nA box.\n\n## Bulb\n\nA lamp.\n\n## Scene\n\nTwo\nlines."),
    )


def test_a_tiny_section_stays_alone_where_the_next_is_too_long():
    document = f"## Hub\n\nA box.\n\n## Bulb\n\n{LONG}"

    assert chunks_of(document)[0] == Chunk(("Hub",), "A box.")
    assert chunks_of(document)[1].headings == ("Bulb",)


def test_a_tiny_section_joins_none_under_another_heading():
    document = "# A\n\n## Hub\n\nA box.\n\n# B\n\n## Bulb\n\nA lamp."

    assert [chunk.headings for chunk in chunks_of(document)] == [("A", "Hub"), ("B", "Bulb")]


def test_a_section_of_more_than_a_short_line_is_not_tiny():
    long_line = "x" * (TINY_CHARS + 1)
    document = f"## A\n\n{long_line}\n\n## B\n\nOne.\n\nTwo.\n\n## C\n\nText."

    assert [chunk.headings for chunk in chunks_of(document)] == [("A",), ("B",), ("C",)]


def test_a_heading_with_nothing_below_it_is_kept():
    assert chunks_of("# Hub\n\nTwo\nlines.\n\n## Gone") == (
        Chunk(("Hub",), "Two\nlines."),
        Chunk(("Hub",), "## Gone"),
    )


# ── size ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_long_paragraph_is_cut_between_sentences():
    texts = texts_of(LONG)

    assert len(texts) > 1
    assert all(text.endswith("bulbs.") and len(text) <= CHUNK_CHARS for text in texts)


def test_a_long_chinese_paragraph_is_cut_between_sentences():
    texts = texts_of("# 重置\n\n" + "按住按钮十秒钟。" * 300)

    assert len(texts) == 2 + 300 * 8 % CHUNK_CHARS
    assert all(text.endswith("。") for text in texts)


def test_paragraphs_stay_whole_where_they_fit():
    paragraph = "A sentence about the hub. " * 25
    texts = texts_of("\n\n".join([paragraph] * 3))

    assert texts == [paragraph.strip()] * 3


@pytest.mark.parametrize(
    "whole",
    [
        CODE,
        "- " + LONG.strip(),
        "1. " + "one line\n   another\n" * 80 + "\n\n   the end",
        "    " + "indented " * 200,
        "<div>\n" + "a line\n" * 300 + "</div>",
    ],
)
def test_what_would_lose_its_sense_is_not_cut(whole):
    assert CHUNK_CHARS < len(whole) <= CHUNK_CHARS_MAX
    texts = texts_of(f"Before.\n\n{whole.rstrip()}\n\nAfter.")

    assert whole.rstrip() in texts


def test_a_list_is_cut_between_its_items():
    items = [f"- item {number}: " + "words " * 30 for number in range(20)]
    texts = texts_of("\n".join(items))

    assert len(texts) > 1
    assert all(text.startswith("- item") for text in texts)


def test_a_table_is_cut_between_its_rows():
    rows = [f"| row {number} | " + "words " * 30 + "|" for number in range(20)]
    texts = texts_of("\n".join(["| a | b |", "| --- | --- |", *rows]))

    assert len(texts) > 1
    assert texts[0].startswith("| a | b |\n| --- | --- |\n| row 0 |")
    assert all(text.startswith("| row") for text in texts[1:])


def test_code_over_the_limit_is_cut_between_lines():
    lines = [f"line {number} of code\n" for number in range(400)]
    texts = texts_of("```\n" + "".join(lines) + "\n  \n```")

    assert all(len(text) <= CHUNK_CHARS for text in texts)
    assert "\n".join(texts).count(" of code") == 400
    assert all(text.split("\n")[-1] in ("```", *map(str.strip, lines)) for text in texts)


def test_a_line_over_the_limit_is_cut_all_the_same():
    assert [len(text) for text in texts_of("x" * (2 * CHUNK_CHARS + 5))] == [
        CHUNK_CHARS,
        CHUNK_CHARS,
        5,
    ]


def test_what_stood_together_stays_together():
    document = "Do this:\n- one\n- two\n\n- three\n\n1. a\n2. b"

    assert texts_of(document) == [document]


# ── what says nothing ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("empty", ["", "\n", " \n\t\n", "\ufeff", "---\n", "\u200b\n", "# \n"])
def test_an_empty_document_has_no_chunk(empty):
    assert chunks_of(empty) == ()


@pytest.mark.parametrize("end", ["---", "..."])
def test_front_matter_is_left_out(end):
    front = f"---\ntitle: Hub\ntags:\n  - a\n- b\n# note\n\nempty:\n{end}\n"

    assert chunks_of(front + "# Hub\n\nText.") == (Chunk(("Hub",), "Text."),)


@pytest.mark.parametrize(
    "document",
    [
        "---\n\nProse.\n\n---\n\nMore.",
        "---\n\n# Prose\n\n---\n",
        "---\n- Prose\n---\n",
        "---\nkey: value\nProse\n\n---\n",
        "---\nkey: value\n\n# Prose",
    ],
)
def test_prose_between_rules_is_no_front_matter(document):
    assert "".join(texts_of(document)).count("Prose") == document.count("Prose")


def test_comments_are_left_out_and_hide_no_heading():
    document = "# Hub\n\nBefore.\n\n<!-- hidden\n\n# No heading\n-->\n\n<!-- a --> After."

    assert texts_of(document) == ["Before.\n\n After."]


def test_a_comment_that_does_not_end_is_text():
    assert texts_of("<!-- it goes\n\non") == ["<!-- it goes\n\non"]


def test_line_ends_and_a_byte_order_mark_change_nothing():
    document = "# Hub\n\nOne\ntwo.\n\n- a\n- b\n"

    assert chunks_of("\ufeff" + document.replace("\n", "\r\n")) == chunks_of(document)


# ── plain text ───────────────────────────────────────────────────────────────────────────────────


def test_a_plain_text_has_no_headings():
    assert chunks_of_text("# Hub\r\n\r\nText.") == (Chunk((), "# Hub\n\nText."),)


def test_a_plain_text_is_cut_at_blank_lines():
    paragraph = "A sentence about the hub. " * 25
    chunks = chunks_of_text("\n \n".join([paragraph.strip()] * 3))

    assert [chunk.text for chunk in chunks] == [paragraph.strip()] * 3
