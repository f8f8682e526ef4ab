"""What was forgotten, published or granted, for a person."""

from collections.abc import Mapping, Sequence

from rich.markup import escape

from pinyon.domain.answers import (
    Forgotten,
    Published,
)
from pinyon.domain.grant import Grant
from pinyon.domain.receipt import Receipt
from pinyon.domain.times import show_instant
from pinyon.surfaces.cli.show_memories import show_listed
from pinyon.surfaces.cli.terminal import out, say_degraded


def show_published(answer: Published, *, verb: str) -> None:
    """Print where copies are, or were."""
    if not answer.copies:
        out().print("[yellow]It is published nowhere.[/]")
    for copy in answer.copies:
        out().print(f"[green]✓[/] {verb} {escape(str(copy.space))} [dim]{copy.id}[/]")
    if not answer.complete:
        say_degraded("a copy has not followed yet: `pinyon verify --fix` tries again")


def show_forgotten(answer: Forgotten) -> None:
    """Print a receipt, or what is meant, or what would go."""
    if answer.receipt is not None:
        show_receipts([answer.receipt])
    elif answer.candidates:
        _show_candidates(answer)
    else:
        _show_preview(answer)


def _show_candidates(answer: Forgotten) -> None:
    console = out()
    console.print("[yellow]Nothing was forgotten.[/] This is what is found:")
    for hit in answer.candidates:
        show_listed(hit.memory)
    if answer.meant is None:
        console.print("Which one is meant? Name it by its id: pinyon forget ID")
    elif len(answer.candidates) == 1:
        console.print("With --yes it is forgotten.")
    else:
        console.print(f"With --yes {answer.meant} is forgotten; each of the others by its id.")


def _show_preview(answer: Forgotten) -> None:
    console = out()
    for title, memories in (
        ("Would be erased", answer.gone),
        ("Would be covered in part, and read", answer.masked),
        ("Says the same, and stays", answer.same),
    ):
        if memories:
            console.print(f"{title}:")
        for memory in memories:
            show_listed(memory)
    counts = answer.counts or {"events": answer.events}
    if any(counts.values()):
        also = "Also" if answer.gone else "All"
        console.print(f"{also} that would be erased: {_counted(counts)}")
    elif not answer.gone:
        console.print("[yellow]There is nothing to forget.[/]")


def show_receipts(answers: Sequence[Receipt]) -> None:
    """Print what is left of what was forgotten."""
    console = out()
    if not answers:
        console.print("[yellow]Nothing was ever forgotten here.[/]")
    for one in answers:
        sign = "[green]✓[/] forgotten" if one.complete else "[yellow]…[/] being forgotten"
        at = show_instant(one.at_us)[:19].replace("T", " ")
        console.print(f"{sign}: {_counted(one.counts)}")
        console.print(f"  [dim]{at} · {one.id}[/]")
        if one.sessions:
            console.print(f"  [dim]a model was given it in {escape(', '.join(one.sessions))}[/]")
        if not one.complete:
            console.print("  [dim]a file is still being read elsewhere, or a copy has to follow[/]")


_COUNTED = {
    "memories": ("memory", "memories"),
    "events": ("event of the log", "events of the log"),
    "masked": ("message covered in part", "messages covered in part"),
    "copies": ("published copy", "published copies"),
    "spaces": ("space", "spaces"),
}


def _counted(counts: Mapping[str, int]) -> str:
    """Return how many of what, in words."""
    said = []
    for name, count in counts.items():
        if count:
            one, many = _COUNTED.get(name, (name, name))
            said.append(f"{count:,} {one if count == 1 else many}")
    return ", ".join(said) or "nothing"


def show_grants(answers: Sequence[Grant]) -> None:
    """Print who may read and write what is shared."""
    if not answers:
        out().print("[yellow]Nothing is granted:[/] what is shared is open to all of its tenant.")
    for one in answers:
        space, user = escape(str(one.space)), escape(one.user)
        out().print(f"[bold]{user}[/] may {one.permission} [dim]{space}[/]")
