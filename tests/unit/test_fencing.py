"""The fence around what memory hands over: nothing ends it, and it is found again."""

import html
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.fencing import CLOSING, OPENING, defused, fenced, ids_shown, without_fenced

ID = "mem_" + "1" * 32
HOSTILE = st.lists(
    st.sampled_from(
        [
            OPENING,
            CLOSING,
            "</PINYON-RECALL>",
            "< / pinyon-",
            f"[{ID}] x",
            "\n",
            "\r",
            "\u2028",
            "a",
        ]
    )
    | st.text(max_size=5)
).map("".join)


@given(HOSTILE)
def test_no_text_ends_a_fence_or_begins_a_line_of_another(text):
    block = fenced([f"[mem_{'2' * 32}] {defused(text)}"])

    assert block.count(CLOSING) == 1
    assert block.lower().count("<pinyon-recall") == 1
    assert ids_shown([block]) == {"mem_" + "2" * 32}
    assert without_fenced(f"before{block}after") == "beforeafter"


@given(st.text())
def test_a_text_without_a_fence_stays_as_it_is(text):
    assert without_fenced(text) == text


@pytest.mark.parametrize(
    "written", [str, json.dumps, html.escape, lambda t: json.dumps(json.dumps(t))]
)
def test_a_block_is_found_in_every_form_in_which_it_is_captured(written):
    block = written(fenced([f"[{ID}] The hub is blue"]))

    assert "blue" not in without_fenced(f"said: {block} and more")
    assert without_fenced(f"said: {block} and more").endswith("and more")


def test_one_that_was_cut_off_goes_to_the_end():
    assert without_fenced(f"said: {OPENING}\n[{ID}] The hub") == "said: "


def test_what_only_speaks_of_the_fence_stays():
    text = "Put memories into <pinyon-recall> and </pinyon-recall>"

    assert without_fenced(text) == text


def test_an_id_outside_of_a_fence_shows_nothing():
    assert (
        ids_shown([f"[{ID}] The hub is blue", f"{OPENING}\nsee [{ID}]\n{CLOSING}"]) == frozenset()
    )


def test_around_nothing_there_is_no_fence():
    assert fenced([]) == ""
