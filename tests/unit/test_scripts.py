"""Which script a text is in, told by its words and not by its letters."""

import pytest

from pinyon.text.scripts import is_mostly_latin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "The hub does not pair",
        "Zigbee 网关 is not pairing with the hub",
        "café, naïve and Łódź",
        "she said привет and left",
    ],
)
def test_a_text_is_latin_where_most_of_its_words_are(text):
    assert is_mostly_latin(text)


@pytest.mark.parametrize(
    "text",
    [
        "我手头这部手机是OPPOReno7",
        "我表姐的电话是[redacted:cn_mobile]，很久没变",
        "我上司的邮箱地址是liubowen1227@njtyhospital.com。",
        "Привет, как дела?",
        "Мой хаб Zigbee не работает",
        "しりとり",
    ],
)
def test_a_name_in_latin_letters_makes_no_text_latin(text):
    assert not is_mostly_latin(text)
