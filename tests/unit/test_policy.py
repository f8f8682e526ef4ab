"""Policies: what happens to which category, for whom."""

import pytest

from pinyon.domain.policy import ACTIONS, CATEGORIES, Policies, Policy, policies_of
from pinyon.errors import InvalidSetting
from pinyon.settings import read_settings

OPENS_DOORS = {"secret", "credit_card", "iban_code", "us_ssn", "cn_identity", "cn_mobile"}


@pytest.mark.promise(
    "gate",
    "Without a setting secrets, cards, IBANs, identity and social security numbers and "
    "Chinese mobile numbers are redacted; e-mail addresses, telephone numbers and addresses "
    "are kept and tagged.",
)
@pytest.mark.parametrize("category", CATEGORIES)
def test_what_opens_doors_is_redacted_and_what_reaches_people_is_tagged(category):
    assert Policy().action(category) == ("redact" if category in OPENS_DOORS else "tag")


def test_a_tenant_without_a_policy_of_its_own_has_the_usual_one():
    policies = policies_of({"email_address": "redact", "tenants": {"acme": {"address": "keep"}}})

    assert policies.of("globex") == policies.usual
    assert policies.of("globex").action("address") == "tag"
    assert policies.of("acme").action("address") == "keep"
    assert policies.of("acme").action("email_address") == "redact"


def test_nothing_written_is_the_default():
    assert policies_of({}) == Policies()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"e-mail": "redact"}, "email_address"),
        ({"secret": "drop"}, "keep, tag, redact, refuse"),
        ({"secret": ["redact"]}, "keep, tag, redact, refuse"),
        ({"tenants": {"acme": {"secret": "drop"}}}, "keep, tag, redact, refuse"),
        ({"tenants": ["acme"]}, "tenants"),
        ({"tenants": {"acme": "redact"}}, "acme"),
        ([], "mapping"),
    ],
)
def test_what_is_no_policy_is_refused_and_told_what_there_is(written, said):
    with pytest.raises(ValueError, match=said):
        policies_of(written)


def test_policies_are_a_setting():
    settings = read_settings({"PINYON_GATE": '{"tenants": {"acme": {"phone_number": "refuse"}}}'})

    assert settings.gate.of("acme").action("phone_number") == "refuse"
    assert read_settings({}, gate=settings.gate).gate is settings.gate


@pytest.mark.parametrize("written", ["{", "[1]", '{"e-mail": "redact"}', '{"secret": "drop"}'])
def test_a_setting_that_is_no_policy_is_refused_by_name(written):
    with pytest.raises(InvalidSetting) as raised:
        read_settings({"PINYON_GATE": written})

    assert raised.value.name == "PINYON_GATE"


def test_every_action_can_be_set():
    assert {Policy().but({"secret": action}).action("secret") for action in ACTIONS} == set(ACTIONS)
