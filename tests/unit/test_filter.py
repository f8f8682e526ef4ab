"""The filter: everything that is asked is applied, or refused by name."""

import json

import pytest

from pinyon.domain.filter import (
    EVERYTHING,
    FIELDS,
    FILTER_NODES_MAX,
    And,
    Cmp,
    Eq,
    Exists,
    In,
    Not,
    Or,
    all_of,
    can_compare,
    field_type,
    matches,
    parse_filter,
    written_filter,
)
from pinyon.domain.memory import CatalogEntry
from pinyon.errors import InvalidFilter, InvalidTime, UnknownField, UnsupportedFilter
from pinyon.testing import memory_of

FACT = memory_of(
    1,
    category="home",
    importance=0.5,
    pinned=True,
    tags=("city", "flat"),
    metadata=(("a", 1), ("b", "x"), ("c", True), ("d", None)),
)


READ = [
    ({"kind": "semantic"}, Eq("kind", "semantic")),
    ({"kind": ["semantic", "catalog"]}, In("kind", ("semantic", "catalog"))),
    ({"kind": {"in": ["semantic"]}}, In("kind", ("semantic",))),
    ({"kind": {"eq": "semantic"}}, Eq("kind", "semantic")),
    ({"kind": {"ne": "semantic"}}, Not(Eq("kind", "semantic"))),
    ({"importance": {"gte": 0.5}}, Cmp("importance", "gte", 0.5)),
    (
        {"importance": {"gt": 0.1, "lte": 1}},
        And((Cmp("importance", "gt", 0.1), Cmp("importance", "lte", 1))),
    ),
    ({"tags": {"exists": True}}, Exists("tags")),
    ({"tags": {"exists": False}}, Not(Exists("tags"))),
    ({"occurred_at": {"lt": "1970-01-01T00:00:01Z"}}, Cmp("occurred_at", "lt", 1_000_000)),
    ({"valid_until": None}, Eq("valid_until", None)),
    ({"metadata.a": 1}, Eq("metadata.a", 1)),
    ({"metadata.a.b-c": {"lt": "x"}}, Cmp("metadata.a.b-c", "lt", "x")),
    ({"pinned": True, "kind": "catalog"}, And((Eq("pinned", True), Eq("kind", "catalog")))),
    ({"not": {"pinned": True}}, Not(Eq("pinned", True))),
    (
        {"or": [{"pinned": True}, {"kind": "catalog"}]},
        Or((Eq("pinned", True), Eq("kind", "catalog"))),
    ),
    ({"and": [{"pinned": True}]}, Eq("pinned", True)),
    ({"or": []}, Or(())),
    ({}, EVERYTHING),
]


@pytest.mark.parametrize(("given_filter", "read"), READ)
def test_what_was_read_is_written_so_that_it_reads_the_same(given_filter, read):
    assert parse_filter(json.loads(json.dumps(written_filter(read)))) == read


@pytest.mark.parametrize(("given_filter", "read"), READ)
def test_the_json_form_says_what_it_reads_like(given_filter, read):
    assert parse_filter(given_filter) == read


@pytest.mark.parametrize(
    "name",
    [
        "user",
        "user_id",
        "tenant",
        "space",
        "text",
        "",
        "*",
        "metadata",
        "metadata.",
        "metadata.a b",
        7,
    ],
)
def test_a_field_that_no_memory_has_is_refused(name):
    with pytest.raises(UnknownField):
        parse_filter({name: "x"})


@pytest.mark.parametrize(
    "given_filter",
    [
        None,
        [],
        "kind",
        {"and": {"kind": "semantic"}},
        {"or": "kind"},
        {"not": ["kind"]},
        {"kind": 1},
        {"kind": None},
        {"kind": [None]},
        {"kind": {"in": "semantic"}},
        {"tags": 5},
        {"id": 5},
        {"pinned": 1},
        {"pinned": "yes"},
        {"importance": True},
        {"importance": "0.5"},
        {"created_at": 5},
        {"metadata.a": object()},
        {"metadata.a": [[1]]},
    ],
)
def test_a_condition_of_another_type_is_refused(given_filter):
    with pytest.raises(InvalidFilter):
        parse_filter(given_filter)


@pytest.mark.parametrize("given_filter", [{"kind": {}}, {"metadata.a": {}}])
def test_a_condition_without_an_operator_is_refused_and_not_ignored(given_filter):
    with pytest.raises(InvalidFilter):
        parse_filter(given_filter)


def test_an_instant_without_an_offset_is_refused_in_a_filter():
    with pytest.raises(InvalidTime):
        parse_filter({"occurred_at": {"gt": "2026-03-02"}})


@pytest.mark.parametrize(
    "given_filter",
    [
        {"pinned": {"gt": True}},
        {"tags": {"lt": "x"}},
        {"id": {"lt": "mem_1"}},
        {"content_hash": {"gt": "00"}},
        {"valid_until": {"gt": None}},
        {"metadata.c": {"gt": True}},
        {"kind": {"like": "sem%"}},
        {"kind": {"": "semantic"}},
    ],
)
def test_a_comparison_that_a_field_does_not_have_is_refused(given_filter):
    with pytest.raises(UnsupportedFilter):
        parse_filter(given_filter)


def test_a_filter_of_too_many_parts_is_refused():
    wide = {f"metadata.k{number}": number for number in range(FILTER_NODES_MAX + 1)}

    with pytest.raises(InvalidFilter):
        parse_filter(wide)


@pytest.mark.parametrize("key", ["or", "metadata.a"])
def test_a_list_of_too_many_parts_is_refused(key):
    with pytest.raises(InvalidFilter):
        parse_filter({key: [{}] * (FILTER_NODES_MAX + 1)})


def test_a_filter_nested_too_deep_is_refused():
    nested: dict[str, object] = {"pinned": True}
    for _ in range(FILTER_NODES_MAX):
        nested = {"not": nested}

    with pytest.raises(InvalidFilter):
        parse_filter(nested)


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        (EVERYTHING, True),
        (Or(()), False),
        (Not(EVERYTHING), False),
        (Eq("kind", "semantic"), True),
        (Eq("kind", "*"), False),
        (Eq("tags", "city"), True),
        (Eq("tags", "cit"), False),
        (Eq("document", ""), True),
        (Eq("valid_until", None), True),
        (Eq("importance", 0.5), True),
        (Eq("metadata.a", 1), True),
        (Eq("metadata.a", True), False),
        (Eq("metadata.c", 1), False),
        (Eq("metadata.d", None), True),
        (Eq("metadata.nowhere", None), True),
        (In("kind", ("catalog", "semantic")), True),
        (In("kind", ()), False),
        (Cmp("importance", "gte", 0.5), True),
        (Cmp("importance", "gt", 0.5), False),
        (Cmp("importance", "gt", "0"), False),
        (Cmp("valid_until", "lt", 1), False),
        (Cmp("metadata.c", "gte", 0), False),
        (Cmp("metadata.b", "lt", "y"), True),
        (Exists("tags"), True),
        (Exists("keywords"), False),
        (Exists("valid_until"), False),
        (Exists("session"), False),
        (Or((Eq("kind", "catalog"), Eq("pinned", True))), True),
        (And((Eq("kind", "semantic"), Eq("pinned", False))), False),
    ],
)
def test_a_condition_means_what_it_says(condition, passes):
    assert matches(condition, FACT) is passes


def test_a_comparison_that_a_field_does_not_have_is_refused_when_it_is_applied():
    with pytest.raises(UnsupportedFilter):
        matches(Cmp("pinned", "gt", 0), FACT)


def test_a_catalog_entry_is_found_by_its_document():
    page = memory_of(1, kind="catalog", catalog=CatalogEntry(document="manual.md"))

    assert matches(Eq("document", "manual.md"), page)


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_can_be_read_off_every_memory(name):
    assert isinstance(matches(Exists(name), FACT), bool)


def test_only_ordered_fields_can_be_compared():
    ordered = {name for name in FIELDS if can_compare(name)}

    assert ordered.isdisjoint({"pinned", "tags", "id", "content_hash"})
    assert {"importance", "created_at", "category"} <= ordered


def test_metadata_has_a_type_of_its_own():
    assert field_type("metadata.anything") == "metadata"


def test_a_conjunction_is_flattened():
    one, other = Eq("kind", "semantic"), Eq("pinned", True)

    assert all_of(And((one,)), And(()), other) == And((one, other))
    assert all_of(one) is one
