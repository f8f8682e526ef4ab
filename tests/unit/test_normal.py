"""The three forms of a text: as it is kept, as it is matched, as it is compared."""

import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.normal import (
    MARKS_PER_CHARACTER,
    REPLACEMENT,
    content_hash,
    equality_form,
    fold,
    keep,
)

TEXTS = st.text()
ANY_TEXT = st.text(st.characters())
"""Lone surrogates included."""


@given(ANY_TEXT)
def test_kept_text_can_be_stored_anywhere(text):
    kept = keep(text)

    assert "\x00" not in kept
    assert kept.encode().decode() == kept


@given(st.text(st.characters(exclude_categories=("Cs", "Mn"), exclude_characters="\x00")))
def test_text_in_nfc_is_kept_to_the_letter(text):
    composed = unicodedata.normalize("NFC", text)

    assert keep(composed) == composed


@given(ANY_TEXT)
def test_keeping_twice_is_keeping_once(text):
    assert keep(keep(text)) == keep(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("hub\x00", f"hub{REPLACEMENT}"),
        ("\ud800 hub", f"{REPLACEMENT} hub"),
        ("é\x00", f"é{REPLACEMENT}"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_no_file_can_hold_is_replaced(text, kept):
    assert keep(text) == kept


@pytest.mark.parametrize(
    "text",
    ["שלום עולם", "\u202eabc\u202c", "مرحبا", "👩‍👩‍👧‍👦 at home", "🏳️‍🌈", "Line one\r\n\tline two"],
)
def test_right_to_left_text_and_joined_emoji_are_kept_as_they_are(text):
    assert keep(text) == text


@pytest.mark.parametrize(
    "mark", ["\u0301", "\u05b0", "\u064b", "\u093c", "\u1ab0", "\u20d0", "\u0344"]
)
def test_a_flood_of_combining_marks_is_cut(mark):
    assert len(keep("\u2206" + mark * 10_000)) <= 1 + MARKS_PER_CHARACTER


@pytest.mark.parametrize("marks", ["\u0301", "\u0301\u0316", "\u05b0\u05b1"])
def test_ten_thousand_combining_marks_take_no_time(marks):
    flood = "a" + marks * (10_000 // len(marks))
    started = process_time()

    content_hash(keep(flood))

    assert process_time() - started < 1


@given(TEXTS)
def test_both_normal_forms_of_a_text_have_one_hash(text):
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))

    assert content_hash(composed) == content_hash(decomposed)


@given(TEXTS)
def test_a_hash_is_32_hex_digits(text):
    digits = content_hash(text)

    assert len(digits) == 32
    assert set(digits) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sarah lives in Bristol", "sarah LIVES in bristol."),
        ("Sarah lives in Bristol", "  Sarah\n lives \t in  Bristol!  "),
        ("Sarah lives in Bristol", "“Sarah” lives in 'Bristol'".replace("'", '"')),
        ("Well, it works", "Well it works"),
        ("It works…", "It works..."),
        ("It doesn’t work", "It doesn't work"),
        ("café", "cafe\u0301"),
        ("ＡＢＣ", "abc"),
        ("Straße", "STRASSE"),
        ("记得设置止损。", "记得设置止损"),
        ("我住在上海，喜欢茶。", "我住在上海 喜欢茶"),
        ("止损；止盈！", "止损 止盈"),
        ("「止损」", "止损"),
    ],
)
def test_case_blanks_quotes_and_sentence_marks_do_not_make_another_text(one, other):
    assert equality_form(one) == equality_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++ is used", "C is used"),
        ("C# is used", "C is used"),
        ("Lumio Hub v2", "Lumio Hub v3"),
        ("v2.3.1", "v23.1"),
        ("It is -5 outside", "It is 5 outside"),
        ("It works?", "It works."),
        ("allergic to nuts", "not allergic to nuts"),
        ("a/b", "a b"),
        ("10 % off", "10 off"),
        ("résumé", "resume"),
        ("Сойка", "Соика"),
        ("the limit is 10⁶", "the limit is 106"),
        ("run git add .", "run git add"),
        ("cd ..", "cd ."),
    ],
)
def test_what_changes_the_meaning_makes_another_text(one, other):
    assert equality_form(one) != equality_form(other)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Bristol", "bristol"),
        ("Café CRÈME", "cafe creme"),
        ("Ｚｉｇｂｅｅ", "zigbee"),
        ("doesn’t", "doesn't"),
        ("Straße", "strasse"),
        ("Łódź", "łodz"),
    ],
)
def test_latin_letters_are_matched_without_case_and_marks(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(("one", "other"), [("й", "и"), ("が", "か"), ("ぱ", "は")])
def test_other_scripts_keep_their_marks(one, other):
    assert fold(one) != fold(other)


@given(TEXTS)
def test_both_normal_forms_of_a_text_match_alike(text):
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))

    assert fold(composed) == fold(decomposed)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_ascii_is_treated_like_any_other_text(text):
    assert equality_form(text) == equality_form(text + "“")
    assert fold(text) + "е" == fold(text + "Е")
