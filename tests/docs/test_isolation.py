"""The page on isolation shows what `bench/isolation.py` kept last."""

import json

HEADS = ("", "probes", "refused", "operations", "principals", "spaces", "leaks", "CPU, minutes")
CALLED = {"rest": "over HTTP", "client": "embedded"}


def table_of(results):
    rows = [
        (
            CALLED[way],
            f"{one['probes']:,}",
            f"{one['refusals']:,}",
            str(one["operations"]),
            str(one["principals"]),
            str(one["spaces"]),
            str(one["leaks"]),
            f"{one['cpu_s'] / 60:.0f}",
        )
        for way, one in sorted(results.items(), key=lambda named: list(CALLED).index(named[0]))
    ]
    lines = (HEADS, ["---"] * len(HEADS), *rows)
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def test_the_page_shows_the_last_results(root):
    kept = json.loads((root / "bench" / "results" / "isolation.json").read_text("utf-8"))
    page = (root / "docs" / "explanation" / "isolation.md").read_text("utf-8")

    assert table_of(kept) in page, f"the page should say:\n\n{table_of(kept)}\n"
    assert {one["leaks"] for one in kept.values()} == {0}
