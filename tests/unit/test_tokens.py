"""What a text is matched by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.text.normal import keep
from pinyon.text.tokens import BREAK, TOKEN_CHARS_MAX, question_terms, spellings, tokenize

WORDS = st.sampled_from(
    [
        "the",
        "hub",
        "v2.3.1",
        "createdByAgent",
        "db-config.json",
        "止损",
        "我的集线器",
        "しりとり",
        "C++",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(WORDS).map(" ".join))


def every_token(text):
    tokens = tokenize(text)
    return {*tokens.main, *tokens.extra}


@pytest.mark.parametrize(
    "word",
    ["v2.3.1", "0x80070057", "db-config.json", "c++", "c#", "17.4", "a/b", "2026-03-02", "404",
     "user@example.com", "__init__", "it_has_parts"],
)  # fmt: skip
def test_an_identifier_is_one_token_as_it_is_written(word):
    assert tokenize(f"See {word}, please.").main[1] == word


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("createdByAgent", {"creat", "agent"}),
        ("db-config.json", {"db", "config", "json"}),
        ("HTTPServer", {"http", "server"}),
        ("snake_case_name", {"snake", "case", "name"}),
        ("v2.3.1", {"v2"}),
        ("build-2026", {"build", "2026"}),
        ("build-123", {"build"}),
    ],
)
def test_the_parts_of_an_identifier_stand_beside_it(word, parts):
    assert set(tokenize(word).extra) == parts


@pytest.mark.parametrize("word", ["iOS", "eBay", "a.b", "3.14", "x"])
def test_parts_that_say_nothing_by_themselves_are_left_out(word):
    assert tokenize(word).extra == []


def test_a_hyphenated_word_is_found_written_together():
    assert "email" in every_token("e-mail") & every_token("email")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bulbs", "bulb"),
        ("helped", "help"),
        ("Resetting", "reset"),
        ("Sarah's", "Sarah"),
        ("Sarah’s", "sarah"),
        ("café", "CAFE"),
        ("Ｈｕｂ", "hub"),
    ],
)
def test_forms_of_a_word_are_one_token(one, other):
    assert tokenize(one).main == tokenize(other).main


def test_stop_words_are_indexed_as_they_stand():
    assert tokenize("to be or not to be").main == ["to", "be", "or", "not", "to", "be"]


@pytest.mark.parametrize(
    ("text", "main", "extra"),
    [
        ("止损", ["止损"], ["止", "损"]),
        ("设置止损", ["设置", "置止", "止损"], ["设", "置", "止", "损"]),
        ("狗", ["狗"], []),
        ("しりとり", ["しり", "りと", "とり"], ["し", "り", "と", "り"]),
        ("설정 v2", ["설정", "v2"], ["설", "정"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs_and_single_characters(text, main, extra):
    tokens = tokenize(text)

    assert (tokens.main, tokens.extra) == (main, extra)


@given(TEXTS)
def test_an_index_row_reads_back_as_its_tokens(text):
    tokens = tokenize(keep(text))

    assert [t for t in str(tokens).split() if t != BREAK] == tokens.main + tokens.extra


@given(st.one_of(TEXTS, st.sampled_from("aAé1止").map(lambda letter: letter * 500)))
def test_no_token_is_longer_than_the_limit(text):
    assert all(0 < len(token) <= TOKEN_CHARS_MAX for token in every_token(keep(text)))


@given(TEXTS)
def test_a_text_holds_every_word_of_itself_as_a_question(text):
    assert set(question_terms(text).words) <= every_token(text)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is wrong with the bulbs?", ("wrong", "bulb")),
        ("did the reset help", ("reset", "help")),
        ("怎么重置集线器？", ("重置", "置集", "集线", "线器", "重", "置", "集", "线", "器")),
        ("hub hub HUB", ("hub",)),
        ("what is it?", ()),
        ("怎么 是 的", ()),
        ("?!…", ()),
    ],
)
def test_a_question_looks_for_its_subject_and_not_for_its_grammar(question, words):
    assert question_terms(question).words == words


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ('the "exit code 2" error', (("exit", "code", "2"),)),
        ("“to be or not”", (("to", "be", "or", "not"),)),
        ('"one" and "two words"', (("one",), ("two", "word"))),
        ('"..." and ""', ()),
        ('an open " quote', ()),
    ],
)
def test_what_stands_in_quotes_is_looked_for_as_a_phrase(question, phrases):
    assert question_terms(question).phrases == phrases


@pytest.mark.parametrize(("question", "asks"), [("hub", True), ('"the"', True), ("the", False)])
def test_a_question_without_words_and_phrases_asks_for_nothing(question, asks):
    assert bool(question_terms(question)) is asks


@pytest.mark.parametrize(
    ("question", "token", "written"),
    [
        ("did it Help?", "help", "Help"),
        ("Ｈｕｂ", "hub", "Hub"),
        ("createdByAgent", "createdbyagent", "createdByAgent"),
    ],
)
def test_a_token_is_shown_as_the_question_spells_it(question, token, written):
    assert spellings(question)[token] == written


def test_the_first_spelling_of_a_word_is_shown():
    assert spellings("Hub hubs 止损") == {"hub": "Hub"}
