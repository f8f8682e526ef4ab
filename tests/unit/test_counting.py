"""How many tokens of a language model a text will take."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.counting import estimated_tokens

TEXTS = st.text()


@given(TEXTS)
def test_only_a_blank_text_takes_no_tokens(text):
    assert (estimated_tokens(text) == 0) is (not text.strip())


@given(TEXTS)
def test_a_text_takes_at_most_as_many_tokens_as_it_has_characters(text):
    assert 0 <= estimated_tokens(text) <= ceil(1.25 * len(text))


@given(TEXTS, TEXTS)
def test_two_texts_take_together_what_they_take_one_by_one(one, other):
    apart = estimated_tokens(one) + estimated_tokens(other)

    # Each text's share of a character of another script is rounded up.
    assert apart - 1 <= estimated_tokens(f"{one} {other}") <= apart


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("hub", 1),
        ("a", 1),
        ("zigbees", 1),
        ("settings", 2),
        ("configuration", 2),
        ("123", 1),
        ("1234567", 3),
        ("止损", 3),
        ("记得设置止损", 8),
        ("hub, v2", 4),
    ],
)
def test_words_digits_and_other_characters_are_counted_each_in_its_way(text, tokens):
    assert estimated_tokens(text) == tokens
