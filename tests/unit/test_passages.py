"""Cutting a text into the passages by which it is matched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.passages import PASSAGE_CHARS, PASSAGES_MAX, TEXT_CHARS_MAX, passages_of

PIECES = st.sampled_from(
    ["word ", "Sentence ends. ", "句子。", "x" * 150, "\n\n", " " * 90, "What? ", "1.5"]
)
TEXTS = st.lists(PIECES, max_size=400).map(lambda pieces: "".join(pieces)[:TEXT_CHARS_MAX])


@given(TEXTS)
def test_passages_cover_a_text_without_overlap(text):
    passages = passages_of(text)

    assert "".join(text[one.start : one.end] for one in passages) == text
    assert [one.position for one in passages] == list(range(len(passages)))


@given(TEXTS)
def test_there_are_1_to_64_passages(text):
    assert 1 <= len(passages_of(text)) <= PASSAGES_MAX


@pytest.mark.parametrize(
    "text", ["x" * TEXT_CHARS_MAX, "word " * 5_120, "止损。" * 8_533, "\n" * 25_600]
)
def test_the_longest_text_has_no_more_passages_than_fit(text):
    assert len(passages_of(text)) <= PASSAGES_MAX


@given(TEXTS)
def test_white_space_between_passages_belongs_to_the_one_before(text):
    assert not any(text[one.start].isspace() for one in passages_of(text)[1:])


@pytest.mark.parametrize("text", ["", "x", "x" * PASSAGE_CHARS])
def test_a_short_text_is_one_passage(text):
    (only,) = passages_of(text)

    assert (only.start, only.end) == (0, len(text))


@pytest.mark.parametrize("sentence", ["A sentence of some words. ", "这是一个句子。"])
def test_a_long_text_is_cut_where_sentences_end(sentence):
    text = sentence * 100

    assert all(one.end % len(sentence) == 0 for one in passages_of(text))


def test_a_sentence_longer_than_a_passage_is_cut_between_words():
    text = "word " * 200

    assert all(text[one.end - 1] == " " for one in passages_of(text))


def test_a_text_without_any_bound_is_cut_at_the_size_of_a_passage():
    first, *_ = passages_of("x" * 1_000)

    assert first.end == PASSAGE_CHARS
