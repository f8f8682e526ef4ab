"""Whether a question tells of a text: rather too often than too rarely."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.quoting import naming_words, quotes, span_of

TEXT = "Sarah hid the key of the safe in Bristol under box 4711"


@pytest.mark.parametrize(
    "query",
    [
        "what is in Bristol?",
        "what does 4711 mean",
        "the safe key",
        TEXT,
    ],
)
def test_a_name_a_number_or_half_of_the_words_tell(query):
    assert quotes(query, TEXT)


@pytest.mark.parametrize(
    "query", ["which lamp hangs in the hall?", "", "how safe are electric kettles with children"]
)
def test_another_matter_tells_nothing(query):
    assert not quotes(query, TEXT)


def test_a_short_text_is_told_by_its_only_word():
    assert quotes(
        "which restaurants are good with diabetes in the north of town", "I have diabetes"
    )


@pytest.mark.parametrize(
    ("quotation", "text", "found"),
    [
        ("I live in Leeds", "Well, I live in Leeds now.", "I live in Leeds"),
        ("i live  in LEEDS.", "Well, I live\nin Leeds, now.", "I live\nin Leeds"),
        ("it's “blue”", 'It’s "blue" again', 'It’s "blue'),
        ("我住在伦敦。", "其实，我住在伦敦", "我住在伦敦"),
        ("Hub v2", "the Hub v3 and Hub v2", "Hub v2"),
        ("I live in Leeds", "I do not live in Leeds", None),
        ("live in York", "I live in Leeds", None),
        ("Hub v2", "Hub v23", None),
        ("  ", "anything", None),
        ("...", "anything...", "..."),
        ("?", "anything", None),
    ],
)
def test_a_quotation_is_found_by_its_words(quotation, text, found):
    span = span_of(quotation, text)

    assert (None if span is None else text[slice(*span)]) == found


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_what_is_cut_out_of_a_text_stands_in_it(before, said, after):
    span = span_of(said, f"{before} {said} {after}")

    assert (span is not None) or not said.strip()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("it failed: no answer, half-way, and don't ask", set()),
        ("the (Lumio) hub has error E-12!", {"lumio", "e-12"}),
        ("call save_scene with 25", {"save_scene", "25"}),
        ("she lives in “Bath”, …", {"bath"}),
    ],
)
def test_names_and_numbers_name_whatever_marks_stand_around_them(text, named):
    words = naming_words(text)

    assert named <= words
    assert bool(words) == bool(named)
