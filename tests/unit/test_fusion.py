"""Making one list of several."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.ranking.fusion import fuse_reciprocal_rank, levels, merge_by_level

LEGS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), max_size=5)
K = st.integers(0, 1000)
SHARES = st.lists(st.floats(0, 1), max_size=30)


@given(st.data(), LEGS, K)
def test_a_fused_score_stays_within_its_range(data, legs, k):
    positive = st.floats(0.01, 10)
    weights = data.draw(st.lists(positive, min_size=len(legs), max_size=len(legs)))
    ceiling = sum(weights) / (k + 1)

    fused = fuse_reciprocal_rank(legs, weights=weights, k=k)

    assert all(0 < score <= ceiling * (1 + 1e-9) for score in fused.values())


@given(LEGS, K)
def test_fusing_keeps_everything_best_first(legs, k):
    fused = fuse_reciprocal_rank(legs, k=k)

    assert set(fused) == {key for leg in legs for key in leg}
    assert list(fused.values()) == sorted(fused.values(), reverse=True)


@given(st.lists(st.integers(), unique=True), K)
def test_a_single_leg_keeps_its_order(leg, k):
    assert list(fuse_reciprocal_rank([leg], k=k)) == leg


def test_a_leg_weighs_1_and_is_damped_by_30_ranks_unless_somebody_says_otherwise():
    assert fuse_reciprocal_rank([["a", "b"], ["a"]]) == {"a": 2 / 31, "b": 1 / 32}


def test_ties_are_left_in_the_order_of_first_sight():
    assert list(fuse_reciprocal_rank([["a", "b"], ["b", "a"]])) == ["a", "b"]


def test_what_two_legs_find_comes_before_what_one_finds():
    assert next(iter(fuse_reciprocal_rank([["a", "b"], ["c", "b"]]))) == "b"


def test_a_heavier_leg_counts_for_more():
    assert list(fuse_reciprocal_rank([["a"], ["b"]], weights=[1, 2])) == ["b", "a"]


def test_a_negative_damping_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        fuse_reciprocal_rank([["a"]], k=-1)


@pytest.mark.parametrize("weights", [[], [1.0, 1.0]])
def test_as_many_weights_as_legs_are_needed(weights):
    with pytest.raises(ValueError, match="zip"):
        fuse_reciprocal_rank([["a"]], weights=weights)


@given(SHARES)
def test_levels_never_rise_and_never_fall_below_a_share(shares):
    result = levels(shares)

    assert len(result) == len(shares)
    assert result == sorted(result, reverse=True)
    assert all(level >= share for level, share in zip(result, shares, strict=True))


@given(st.lists(SHARES, max_size=4))
def test_merged_lists_hold_everything_highest_level_first(lists):
    ranked = [
        [((number, place), level) for place, level in enumerate(levels(shares))]
        for number, shares in enumerate(lists)
    ]

    merged = merge_by_level(ranked)

    assert sorted(merged) == sorted(pair for one in ranked for pair in one)
    assert [level for _, level in merged] == sorted((level for _, level in merged), reverse=True)


def test_merged_lists_keep_their_own_order_and_ties_go_to_the_first_list():
    merged = merge_by_level([[("a", 0.5), ("b", 0.5)], [("c", 0.9), ("d", 0.5)]])

    assert [key for key, _ in merged] == ["c", "a", "b", "d"]
