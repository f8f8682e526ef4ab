"""How a word may have been meant: one slip away, and never what is meant to the letter."""

from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.spelling import LETTERS_MAX, LETTERS_MIN, may_be_misspelt, one_slip_away
from pinyon.text.tokens import tokenize


def token_of(word):
    return tokenize(word).main[0]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("recieve", "receive"),
        ("edinbrugh", "edinburgh"),
        ("bulps", "bulb"),
        ("sensar", "sensor"),
        ("edinnburgh", "edinburgh"),
        ("bulbbs", "bulb"),
        ("sensoor", "sensor"),
        ("edinburg", "edinburgh"),
        ("camra", "camera"),
        ("camerax", "camera"),
        ("Bulps", "bulb"),
    ],
)
def test_a_slip_leads_to_the_word_that_was_meant(written, meant):
    assert token_of(meant) in one_slip_away(written)


@pytest.mark.parametrize(
    ("written", "other"), [("pulbs", "bulbs"), ("blupz", "bulbs"), ("sensor", "censor")]
)
def test_two_slips_and_another_first_letter_lead_nowhere(written, other):
    assert token_of(other) not in one_slip_away(written)


@pytest.mark.parametrize("word", ["bulps", "Bulps", "thier", "a" * LETTERS_MAX])
def test_a_plain_word_may_be_misspelt(word):
    assert may_be_misspelt(word)


@pytest.mark.parametrize(
    "word",
    [
        "2048", "0x80070057", "v2", "v2.3.1", "db-confg.json", "created_by", "bulp's",
        "createdByAgnet", "iPhone", "BULPS", "USB", "naïve", "集线器", "",
        "a" * (LETTERS_MIN - 1), "a" * (LETTERS_MAX + 1),
    ],
)  # fmt: skip
def test_what_is_meant_to_the_letter_or_too_short_is_not(word):
    assert not may_be_misspelt(word)


WORDS = st.text(ascii_lowercase, min_size=5, max_size=12)


@st.composite
def slips(draw):
    """Return a word and what one slip makes of it, its first letter left alone."""
    word = draw(WORDS)
    at, letter = draw(st.integers(1, len(word) - 2)), draw(st.sampled_from(ascii_lowercase))
    before, first, second, after = word[:at], word[at], word[at + 1], word[at + 2 :]
    left_out, doubled = before + second + after, before + first * 2 + second + after
    added, at_the_end = before + letter + word[at:], word + letter
    swapped, another = before + second + first + after, before + letter + second + after
    kinds = (left_out, word[:-1], doubled, added, at_the_end, swapped, another)
    return word, draw(st.sampled_from(kinds))


@given(slips())
def test_every_slip_is_found(slip):
    word, misspelt = slip

    assert token_of(word) in {token_of(misspelt), *one_slip_away(misspelt)}


@given(WORDS)
def test_other_words_are_told_once_and_never_the_word_itself(word):
    others = one_slip_away(word)

    assert all(token_of(spelling) == token for token, spelling in others.items())
    assert token_of(word) not in others
