"""The page of filters."""

from collections.abc import Mapping

from generator.markdown import page, section, table
from pinyon.domain.filter import FIELDS, FILTER_NODES_MAX, can_compare

# What `eq`, `in` and the others mean for each type of field.
FIELD_TYPES: Mapping[str, str] = {
    "text": "a text, compared to the letter; `lt` and the like go by code point",
    "number": "a number; true and false are none",
    "instant": "an RFC 3339 instant with its offset, or `null` for none",
    "flag": "`true` or `false`",
    "set": "a list of texts; `eq` asks whether one of them is this",
    "id": 'an id with its prefix; `""` for none',
    "metadata": "a text, a number, `true`, `false` or `null`; only like is compared with like",
}


def filters_page() -> str:
    """Return the page of filters."""
    rows: list[tuple[str, str, str]] = [
        (f"`{name}`", field.type, _operators(can_compare(name))) for name, field in FIELDS.items()
    ]
    rows.append(("`metadata.<key>`", "metadata", _operators(can_compare("metadata.a"))))
    meanings = [(name, words) for name, words in FIELD_TYPES.items()]
    unknown = {field.type for field in FIELDS.values()} - set(FIELD_TYPES)
    assert not unknown, unknown  # noqa: S101 - a new type needs a line in FIELD_TYPES
    return page(
        "Filters",
        f"""
        A filter is one mapping, in Python or as JSON (`--filter`). `recall`, `why_not` and `list`
        take one.

        ```json
        {{"kind": "semantic", "importance": {{"gte": 0.5}}, "tags": ["home", "work"]}}
        ```

        Several keys must all hold. A plain value asks for equality, a list for one of its values, a
        mapping names operators. `and` and `or` take lists of filters, `not` takes one filter:

        ```json
        {{"or": [{{"pinned": true}}, {{"not": {{"session": "june-11"}}}}]}}
        ```

        A field or an operator that does not exist is an error, never ignored. A filter has at most
        {FILTER_NODES_MAX} parts.
        """,
        section(
            "Operators",
            table(
                ("operator", "holds where the field"),
                [
                    ("`eq`", "equals the value; of a list, one of its members does"),
                    ("`ne`", "does not equal it"),
                    ("`in`", "equals one of the values"),
                    ("`exists`", "has a value; with `false`: has none"),
                    ("`lt`, `lte`, `gt`, `gte`", "is there, and less or greater than the value"),
                ],
            ),
        ),
        section("Fields", table(("field", "type", "operators"), rows)),
        section("Types", table(("type", "what its values are"), meanings)),
    )


def _operators(ordered: bool) -> str:
    names = ["eq", "ne", "in", "exists"] + (["lt", "lte", "gt", "gte"] if ordered else [])
    return " ".join(f"`{name}`" for name in names)
