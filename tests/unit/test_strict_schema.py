"""A form's schema says all that vendors want said, and nothing that any of them refuses."""

import json

from pinyon.care.proposed_form import LISTED_MAX, Proposed
from pinyon.models.strict_schema import SHORT_MAX, strict_schema
from pinyon.testing.chat_contract import Verdict


def nodes(schema):
    yield schema
    for below in schema.get("properties", {}).values():
        yield from nodes(below)
    if "items" in schema:
        yield from nodes(schema["items"])


def test_every_object_requires_all_its_fields_and_takes_no_others():
    objects = [one for one in nodes(strict_schema(Proposed)) if one.get("type") == "object"]

    assert len(objects) == 5
    for one in objects:
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False


def test_what_some_vendor_refuses_is_left_out():
    words = json.dumps(strict_schema(Proposed))

    for refused in ("$ref", "$defs", "maxLength", "minimum", "maximum", "Items", "default"):
        assert f'"{refused}' not in words


def test_a_field_may_be_called_as_a_keyword_is():
    schema = strict_schema(Verdict)

    assert schema["properties"]["title"] == {"type": "string"}
    assert schema["properties"]["verdict"]["description"] == "Whether it is so."
    assert schema["properties"]["verdict"]["enum"] == ["yes", "no"]


def test_where_it_is_asked_for_it_says_how_long_a_list_or_a_short_text_may_be():
    bounded = strict_schema(Proposed, bounds_lists=True)

    facts = bounded["properties"]["facts"]
    assert facts["maxItems"] == LISTED_MAX
    assert facts["items"]["properties"]["subject"]["maxLength"] == SHORT_MAX
    assert "maxLength" not in facts["items"]["properties"]["quote"]
