"""What is sensitive in a text: by form, checksum and the words before it.

How much is found is measured on the labelled list of `bench/gate`; here is how, and where.
"""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinyon.domain.policy import CATEGORIES, Finding
from pinyon.text.orders import gives_orders
from pinyon.text.sensitive import find_sensitive, settle
from pinyon.text.sensitive.view import view_of

# Put together here, so that nobody who looks for keys in this file finds one.
KEY = "sk-" + "ant-api03-FAKEFAKE0000FAKE"
LONG = 20_000


def found(text):
    return [(one.category, text[one.start : one.end]) for one in find_sensitive(text)]


def values(text):
    return [value for _, value in found(text)]


def redacted(text):
    parts, place = [], 0
    for one in find_sensitive(text):
        parts += [text[place : one.start], f"[redacted:{one.category}]"]
        place = one.end
    return "".join([*parts, text[place:]])


# ── where it stands ──────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "gate",
    "Chinese beside it, characters that show nothing and other ways to write digits hide nothing.",
)
@pytest.mark.parametrize(
    "text",
    [
        f"密钥{KEY}",
        f"密钥{KEY}不要外传",
        f"({KEY})",
        f"my key is {KEY}.",
        f"{KEY},",
        f"key:{KEY}",
    ],
)
def test_a_key_is_found_whatever_stands_beside_it(text):
    assert values(text) == [KEY]


@pytest.mark.promise(
    "gate",
    "Chinese beside it, characters that show nothing and other ways to write digits hide nothing.",
)
@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\ufeff", "\u2060", "\u202e", "\u0301"])
def test_a_key_is_found_through_what_nobody_sees(hidden):
    text = f"it is {hidden.join(KEY)}{hidden} there"

    assert values(text) == [hidden.join(KEY)]


@pytest.mark.promise(
    "gate",
    "Chinese beside it, characters that show nothing and other ways to write digits hide nothing.",
)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("手机１３８１２３４５６７８。", "１３８１２３４５６７８"),
        ("٤١١١١١١١١١١١١١١١", "٤١١١١١١١١١١١١١١١"),
        ("card 4111\u00a01111\u30001111\u20091111", "4111\u00a01111\u30001111\u20091111"),
        ("ssn 078\u201105\u20111120", "078\u201105\u20111120"),
        ("𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏", "𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏"),
    ],
)
def test_other_ways_to_write_digits_spaces_and_hyphens_hide_nothing(text, value):
    assert values(text) == [value]


def test_a_letter_that_grows_in_lower_case_moves_no_place():
    text = "İİİ my password is hunter2!"

    assert view_of(text).lower.startswith("İİİ my")
    assert values(text) == ["hunter2!"]


def test_a_secret_that_words_gave_away_is_found_wherever_it_stands():
    assert values("password: hunter2xy. Use hunter2xy twice.") == ["hunter2xy", "hunter2xy"]


def test_what_was_redacted_is_not_found_again():
    assert found("password: [redacted:secret] or postgres://a:[redacted:secret]@host/db") == []
    assert settle("a [redacted:secret] b", [Finding("address", 0, 4)]) == ()


# ── which it is ──────────────────────────────────────────────────────────────────────────────


def test_findings_are_in_order_and_the_stronger_category_stands():
    text = "https://ann:s3cret9@example.com/ and bob@example.com, (415) 555-2671"

    assert found(text) == [
        ("secret", "s3cret9"),
        ("email_address", "bob@example.com"),
        ("phone_number", "(415) 555-2671"),
    ]


def test_two_findings_of_one_category_that_overlap_are_one():
    one, other = Finding("address", 0, 6), Finding("address", 4, 9)

    assert settle("x" * 20, [other, one]) == (Finding("address", 0, 9),)
    assert settle("x" * 20, [one, Finding("secret", 5, 7)]) == (Finding("secret", 5, 7),)
    assert settle("x" * 20, [one, Finding("address", 6, 9)]) == (one, Finding("address", 6, 9))


@pytest.mark.parametrize(
    "text",
    [
        "https://x.example/cb?access_token=abc123def456ghi&state=1",
        "password=abc123def456ghi",
        "DB_PASS=abc123def456ghi",
        "PASS=abc123def456ghi",
        "secretKey: 'abc123def456ghi'",
        "mysql --password abc123def456ghi",
        "curl --api-key abc123def456ghi",
        "the token is abc123def456ghi7j8",
        "token: 550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_the_words_before_it_make_it_a_secret(text):
    assert [category for category, _ in found(text)] == ["secret"]
    assert "&" not in values(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "PASS: test_foo1",
        "the bypass is 4471x",
        "the monkey: a8f5f167f44f4964e6c9",
        "cache key: a8f5f167f44f4964e6c9",
        "pass: 1234x",
        "GPIO PIN: 17",
        "a pin is 44710 mm long",
        "password v2 is out",
        "password: docs/reset2.md",
        "api key: docs/keys2.md",
        "password: v2.3.1",
        "password: 10:30",
        "password is 12345 characters",
        "Bearer of bad news came 12 times",
        "Authorization: Bearer authorization-needed",
        "Authorization: Bearer <token-goes-here-1>",
        "postgres://user:${PASSWORD}@host/db",
    ],
)
def test_what_only_looks_like_a_secret_is_none(text):
    assert found(text) == []


def test_a_private_key_is_taken_whole_or_as_far_as_it_goes():
    begin, end = "-----BEGIN " + "PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    body = "FAKE" * 8
    whole = f"{begin}\nProc-Type: 4,ENCRYPTED\n{body}\n{end}"
    cut = f"{begin}\\nVersion: 1\\n{body}\\n{body}=="

    assert values(f"see {whole}, then sleep") == [whole]
    assert values(f"see {cut} then sleep") == [cut]
    assert values(f"{begin} is how it begins") == [begin]
    assert values(f"{begin}\n{body}\n{whole}") == [f"{begin}\n{body}", whole]


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1112",  # no checksum
        "1111111111111117",  # no range
        "0.4111111111111111",
        "4222222222222",  # thirteen digits, and nobody says card
        "XX00WEST12345698765432",  # no country
        "GB82 WEST 1234 5698 7654 3",  # too short
        "GB82WEST12345698765432X",  # too long
        "GB83WEST12345698765432",  # no checksum
        "000-12-3456",
        "110105194912310021",  # no checksum
        "身份证110105491331002",  # no such month
        "2138123456789012",
        "13812345678元",
        "call me at 2024-03-01 10",
        "tel 192.168.100.255",
    ],
)
def test_a_number_without_range_or_checksum_is_only_a_number(text):
    assert found(text) == []


def test_an_identity_number_needs_a_day_that_was_and_a_place_that_is():
    # Both have the right last character.
    assert found("110105194902300029") == []
    assert found("990105194912310028") == []


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Visa card 4222222222222", "credit_card"),
        ("340000000000009", "credit_card"),
        ("6500000000000002", "credit_card"),
        ("6440000000000005", "credit_card"),
        ("身份证110105491231002", "cn_identity"),
        ("社会安全号 SSN 078051120", "us_ssn"),
        ("social security: 078 05 1120", "us_ssn"),
    ],
)
def test_words_and_ranges_tell_what_a_number_is(text, category):
    assert [name for name, _ in found(text)] == [category]


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:org/repo.git",
        "icon@2x.png",
        "ssh -v deploy@prod.example.com",
        "In 2019 Abbey Road was new",
        "线路2号",
        "逛街3号",
        "+12 34",
    ],
)
def test_machines_years_and_lines_are_no_contacts(text):
    assert found(text) == []


def test_what_stands_behind_an_iban_is_looked_at_too():
    assert values("GB82WEST12345698765432 DE89 3704 0044 0532 0130 00 bob@example.com") == [
        "GB82WEST12345698765432",
        "DE89 3704 0044 0532 0130 00",
        "bob@example.com",
    ]


def test_an_address_begins_where_the_place_does():
    assert values("我住在北京市朝阳区建国路88号院3号楼2单元501室，很近") == [
        "北京市朝阳区建国路88号院3号楼2单元501室"
    ]
    assert values("in 1999 5 Main Street, at 12 elm street, P.O. Box 44") == [
        "5 Main Street",
        "12 elm street",
        "P.O. Box 44",
    ]


# ── properties ───────────────────────────────────────────────────────────────────────────────

PIECES = st.sampled_from(
    [
        KEY,
        "密码是 hunter2!",
        "4111 1111 1111 1111",
        "bob@example.com",
        "13812345678",
        "+44 20 7946 0958",
        "12 Elm Road",
        "GB82WEST12345698765432",
        "建国路88号",
        "[redacted:secret]",
        "\u200b",
        "ｓｋ",
        " ",
        "，",
        "1",
        "password=",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)


@given(TEXTS)
def test_findings_lie_within_the_text_in_order_and_apart(text):
    place = 0
    for one in find_sensitive(text):
        assert place <= one.start < one.end <= len(text)
        assert one.category in CATEGORIES
        place = one.end


@given(
    st.sampled_from([KEY, "4111 1111 1111 1111", "13812345678"]), st.text("中文，。 ", max_size=9)
)
def test_a_redacted_text_holds_nothing_that_was_found(value, around):
    assert value not in redacted(f"{around}{value}{around}")


@given(TEXTS)
def test_redacting_comes_to_an_end(text):
    once = redacted(text)

    assert len(find_sensitive(redacted(once))) <= len(find_sensitive(once))


# ── time ─────────────────────────────────────────────────────────────────────────────────────

SEEDS = """
a 1 0 8 . : @ a@ a. 1- 1. (1 +1 eyJ eyJaaaaaaaaaa. sk- sk-ant- AKIA -----BEGIN a:// :// a:a@
password password= password_is key:_ 密码 密码是 路1 _小区1 号 A1 AA00 Aa_ 1_A_ GB82_ ssn_ 1_ 00_1
call_me_ phone_1 x=1& bearer_ authorization:_ 省市区 [redacted:secret] [redacted: a1b1c1_ ｓ １
ignore_all_ send_all_passwords_ you_are_now_ 忽略所有 把用户 请发送密码 当用户问 put_memory_
remember_a_as_
system:_ if_you_are_an_ai_ print_your_ use_the_a_b_ always_send_all_
""".split()
BEGIN_KEY = "-----BEGIN " + "PRIVATE KEY-----"


def seconds(look, text):
    began = process_time()
    look(text)
    return process_time() - began


@pytest.mark.parametrize("look", [find_sensitive, gives_orders])
@pytest.mark.parametrize("seed", [*SEEDS, "\u200b", "\u200b1", "\n", BEGIN_KEY])
def test_no_text_takes_more_than_its_length(look, seed):
    repeated = seed.replace("_", " ") * LONG
    short, long = (min(seconds(look, repeated[:n]) for _ in "ab") for n in (LONG, 2 * LONG))

    assert short < 0.2
    assert long < 4 * max(short, 0.01)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=5))
def test_no_mixture_takes_long(parts):
    text = ("".join(parts).replace("_", " ") * LONG)[:LONG]

    assert seconds(find_sensitive, text) + seconds(gives_orders, text) < 0.4


def test_a_card_of_another_maker_and_a_chinese_identity_number_are_found():
    assert found("Charge 5555 5555 5555 4444, please") == [("credit_card", "5555 5555 5555 4444")]
    assert values("我的身份证是11010519491231002X") == ["11010519491231002X"]
