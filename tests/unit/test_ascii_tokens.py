"""Plain ASCII takes a shorter way through the tokeniser, to the same tokens."""

from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.tokens import tokenize

ASCII = st.text(st.characters(max_codepoint=127), max_size=80)


@given(ASCII)
def test_a_text_has_the_same_tokens_beside_another_script(text):
    beside = tokenize(f"{text} é")

    assert beside.main == [*tokenize(text).main, "e"]
    assert beside.extra == tokenize(text).extra
