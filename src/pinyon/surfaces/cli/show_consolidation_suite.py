"""How good consolidation is, for a person."""

from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.table import Table

from pinyon.evaluation.consolidation.figures import KNOWN, Figure, Figures, Measured
from pinyon.evaluation.consolidation.misses import Miss
from pinyon.evaluation.consolidation.playing import Played
from pinyon.evaluation.consolidation.runs import Made
from pinyon.evaluation.quality.comparing import Difference
from pinyon.evaluation.quality.gates import Verdict
from pinyon.surfaces.cli.show_evaluation import show_differences, show_verdicts, table_of
from pinyon.surfaces.cli.terminal import out

PARTS_MAX = 20
"""Of more people than these, `--json` tells each apart."""
MEANINGS = {
    "facts": "facts that were made",
    "precision": "share of them that is expected",
    "recall": "share of the expected that is made",
    "beside": "neither asked for nor wrong",
    "spans": "stand to the letter where they say",
    "placed": "of the right subject, attribute",
    "supersessions(precision)": "changes that are expected",
    "supersessions(recall)": "expected changes that happened",
    "contradictions": "as natural or harsh as expected",
    "over": "true no more, and not held",
    "kept": "true still, and held",
    "kept(despite)": "the same, beside what changed",
    "junk": "facts of what tells nothing",
    "junk/100": "of a hundred such messages",
    "attribution": "facts that rest on others' words",
    "outcomes(precision)": "counted outcomes so expected",
    "outcomes(recall)": "expected outcomes so counted",
    "playbooks(precision)": "made playbooks so expected",
    "playbooks(recall)": "expected playbooks so made",
    "stability": "changed by five more passes",
    "left": "episodes that wait in the end",
    "unreadable": "answers that could not be read",
}
SHORT = {
    "facts": "facts",
    "precision": "precision",
    "recall": "recall",
    "supersessions(precision)": "superseded p",
    "supersessions(recall)": "r",
    "kept": "kept",
    "junk": "junk",
}
"""Figures of slices that fit beside each other on eighty characters; `--json` has them all."""


def show_suite(
    made: Made,
    found: Measured,
    played: Played,
    differences: Mapping[str, Difference],
    verdicts: Sequence[Verdict],
) -> None:
    """Print a run: what was said, the figures, what was refused, what changed, and the gates."""
    console = out()
    console.print(
        f"[bold]{escape(made.corpus)}[/]: {made.messages:,} messages of {made.tenants:,} "
        f"{'person' if made.tenants == 1 else 'people'}, {made.expected:,} facts expected "
        f"[dim]· made by {escape(made.made_by)}[/]\n"
    )
    console.print(_figures(found.whole))
    for slicing, parts in found.by.items():
        if 1 < len(parts) <= PARTS_MAX:
            console.print()
            console.print(_slices(slicing, parts))
    if played.refused:
        said = ", ".join(f"{name} {count:,}" for name, count in sorted(played.refused.items()))
        console.print(f"\n[dim]refused: {escape(said)}[/]")
    if differences:
        console.print()
        show_differences(console, differences)
    show_verdicts(console, verdicts)


def show_misses(misses: Sequence[Miss]) -> None:
    """Print what was missed or wrong, message by message."""
    console = out()
    for miss in misses:
        console.print(f"\n[bold]{escape('/'.join(miss.key))}[/] {escape(miss.text)}")
        for what, words in miss.wrongs:
            console.print(f"  [red]{escape(what)}[/]: {escape(words)}")


def _figures(figures: Figures) -> Table:
    table = table_of("all messages", "", "of", left=("meaning",))
    for name in KNOWN:
        if name in figures:
            one = figures[name]
            table.add_row(name, f"[bold]{_shown(name, one)}[/]", _of(name, one), MEANINGS[name])
    return table


def _slices(slicing: str, parts: Mapping[str, Figures]) -> Table:
    table = table_of(f"by {slicing}", *SHORT.values())
    for part, figures in parts.items():
        table.add_row(escape(part), *(_shown(name, figures[name]) for name in SHORT))
    return table


def _shown(name: str, one: Figure) -> str:
    """Return a share in per cent, one of nothing as a dash, and a count as it is."""
    if one.of is None:
        return f"{one.part:,}"
    if not one.of:
        return "[dim]–[/]"
    return f"{one.value:.1f}" if name == "junk/100" else f"{100 * one.value:.1f}"


def _of(name: str, one: Figure) -> str:
    if one.of is None:
        return ""
    return f"{one.of:,}" if name == "junk/100" else f"{one.part:,} of {one.of:,}"
