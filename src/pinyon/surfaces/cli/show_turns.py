"""A turn and a context, for a person: what the model gets, and what it does not."""

from collections import Counter
from collections.abc import Sequence

from rich.markup import escape
from rich.text import Text

from pinyon.domain.turn import Context, Cut, TurnMemory
from pinyon.surfaces.cli.terminal import err, out

_BECAUSE = {
    "budget": "left out: no room",
    "shortened": "shortened to their best passages",
    "in_context": "left out: the conversation shows them",
}
_NOT_KEPT = {
    "paused": "the user paused memory",
    "session_off": "the session is off, or over",
    "topic": "it speaks of what is never kept",
    "recalled": "it is what memory itself had brought",
}


def show_turn(answer: TurnMemory) -> None:
    """Print what a turn brings."""
    written = answer.written
    if written.not_kept is not None:
        err().print(f"[yellow]not kept[/] [dim]{_NOT_KEPT[written.not_kept]}[/]")
    else:
        err().print(f"[green]kept[/] [dim]{written.id}[/]")
    if not answer.block:
        why = answer.recall.empty_because or "the conversation shows it all"
        err().print(f"[yellow]Memory brings nothing.[/] [dim]{why.replace('_', ' ')}[/]")
        return
    _show(answer.block, answer.tokens, answer.cut)


def show_context(answer: Context) -> None:
    """Print a context."""
    if not answer.text:
        err().print(
            "[yellow]There is nothing for this prompt.[/] "
            '[dim]Begin with: pinyon remember "..." or pinyon write "..."[/]'
        )
        return
    _show(answer.text, answer.tokens, answer.cut, f" of {answer.budget_tokens:,}")


def _show(text: str, tokens: int, cut: Sequence[Cut], of: str = "") -> None:
    # As it is, unwrapped: somebody may want to paste it.
    out().print(Text(text), soft_wrap=True)
    counts = Counter(one.because for one in cut)
    parts = [f"{number} {_BECAUSE[because]}" for because, number in counts.items()]
    err().print(f"[dim]{escape(' · '.join([f'about {tokens:,}{of} tokens', *parts]))}[/]")
