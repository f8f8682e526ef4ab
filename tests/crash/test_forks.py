"""A fork inherits a store, and neither side breaks the other's files."""

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")


@pytest.fixture(scope="module")
def said(start, tmp_path_factory):
    process = start("forker.py", tmp_path_factory.mktemp("forked") / "home")
    status, held, findings = map(int, process.communicate()[0].split())
    return {"status": status, "held": held, "findings": findings}


def test_a_store_that_was_opened_before_a_fork_works_in_the_child(said):
    assert said["status"] == 0


def test_a_parent_sees_what_its_forked_child_wrote(said):
    assert said["held"] == 3


def test_a_fork_leaves_nothing_for_verify_to_find(said):
    assert said["findings"] == 0
