"""Every table says how it is erased."""

import apsw
import pytest

from pinyon.stores.sqlite.lineage import TABLES
from pinyon.stores.sqlite.migrate import create_schema, migrations


@pytest.fixture(scope="module")
def tables():
    file = apsw.Connection(":memory:")
    create_schema(file, migrations())
    rows = file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    file.close()
    return {name for (name,) in rows}


@pytest.mark.promise(
    "files",
    "Every table says how it is erased.",
)
def test_every_table_of_the_schema_has_a_line_in_the_lineage(tables):
    assert tables - {table.name for table in TABLES} == set()


def test_every_line_of_the_lineage_is_a_table_of_the_schema(tables):
    assert {table.name for table in TABLES} - tables == set()


def test_no_table_has_two_lines():
    names = [table.name for table in TABLES]

    assert sorted(set(names)) == sorted(names)


def test_a_table_that_holds_words_says_how_they_are_erased():
    silent = {table.name for table in TABLES if table.how.startswith("by ") and not table.erase}

    assert silent == set()


def test_an_emptied_space_keeps_rows_only_where_the_lineage_says_so():
    kept = {table.name for table in TABLES if table.how != "index" and not table.empty}

    assert kept == {"meta", "sqlite_sequence"}
