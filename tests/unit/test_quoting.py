"""Whether a question tells of a text: rather too often than too rarely."""

import pytest

from pinyon.text.quoting import quotes

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
