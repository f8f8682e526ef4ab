"""Presidio beside our own recognisers: the real package, with the network shut."""

import socket
from importlib.util import find_spec

import pytest

from pinyon.domain.policy import CATEGORIES
from pinyon.errors import ModelUnavailable
from pinyon.models import presidio
from pinyon.models.presidio import CATEGORY_OF, PACKAGE, PresidioDetector

needs_presidio = pytest.mark.skipif(
    find_spec(PACKAGE) is None, reason="it is not installed: pip install 'pinyon[presidio]'"
)
# What it imports warns of its own past; that is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = "mail bob@example.com, card 4111 1111 1111 1111, iban DE89370400440532013000, see bob.sm"


@pytest.fixture(scope="module")
def detector():
    return PresidioDetector()


@needs_presidio
def test_it_finds_our_categories_and_nothing_else(detector, monkeypatch):
    def shut(*_):
        pytest.fail("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", shut)
    found = {(one.category, TEXT[one.start : one.end]) for one in detector.find(TEXT)}

    assert found == {
        ("email_address", "bob@example.com"),
        ("credit_card", "4111 1111 1111 1111"),
        ("iban_code", "DE89370400440532013000"),
    }


@needs_presidio
@pytest.mark.parametrize("text", ["", "the hub is white", "灯只显示白色"])
def test_it_finds_nothing_where_nothing_is(detector, text):
    assert list(detector.find(text)) == []


@needs_presidio
def test_a_failure_does_not_repeat_the_text(detector):
    with pytest.raises(ModelUnavailable) as raised:
        detector.find(4111111111111111)

    assert "4111" not in str(raised.value)


def test_every_name_of_its_own_is_one_of_ours():
    assert set(CATEGORY_OF.values()) <= set(CATEGORIES)


def test_without_the_package_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(presidio, "find_spec", lambda _: None)

    with pytest.raises(ModelUnavailable, match=r"pinyon\[presidio\]"):
        PresidioDetector().find("text")
