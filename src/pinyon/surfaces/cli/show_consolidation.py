"""What became of episodes, for a person."""

from collections.abc import Mapping

from rich.markup import escape
from rich.padding import Padding

from pinyon.care.shown_material import by_id, shown_in_parts
from pinyon.domain.consolidation import Consolidated, Material
from pinyon.domain.ids import MemoryId
from pinyon.domain.job import AWAITED_COUNTED
from pinyon.domain.reflection import Reflected
from pinyon.surfaces.cli.terminal import err, out
from pinyon.surfaces.refusals import told

SHOWN_TOKENS = 60_000

Texts = Mapping[MemoryId, str]
"""What memories say, of those that are still there."""


def show_consolidated(answer: Consolidated, texts: Texts) -> None:
    """Print what is new, and what was not followed and why."""
    if answer.left and not answer.episodes:
        err().print(
            "[yellow]Memory is paused; what waits goes on waiting.[/] "
            "[dim]pinyon consent --resume[/]"
        )
        return
    if not answer.episodes:
        out().print(
            '[yellow]Nothing waits.[/] [dim]What the user says does: pinyon remember "..."[/]'
        )
        return
    out().print(f"{_messages(answer.episodes)} read [dim]by {escape(answer.made_by)}[/]")
    _show_what_became(answer, texts)


def show_proposed(answer: Consolidated, texts: Texts) -> None:
    """Print what became of what was handed in."""
    out().print(f"{_messages(answer.episodes)} done with")
    _show_what_became(answer, texts)


def _show_memory(what: str, memory_id: MemoryId, texts: Texts) -> None:
    out().print(f"  {what} [dim]{memory_id}[/]")
    if memory_id in texts:
        out().print(Padding(escape(texts[memory_id]), (0, 0, 0, 4)), highlight=False)


def _messages(count: int) -> str:
    return f"{count} message{'' if count == 1 else 's'}"


def _show_what_became(answer: Consolidated, texts: Texts) -> None:
    named = (
        ("new", answer.created, "green"),
        ("said again", answer.strengthened, "green"),
        ("history now", answer.superseded, "yellow"),
        ("steps bettered", answer.refined, "green"),
        ("outcomes counted", answer.outcomes, "green"),
        ("may contradict", answer.conflicts, "yellow"),
    )
    for name, ids, style in named:
        for one in ids:
            _show_memory(f"[{style}]{name}[/]", one, texts)
    if answer.refused:
        err().print(f"[dim]not followed: {escape(told(answer.refused))}[/]")
    if answer.left:
        many = (
            f"{AWAITED_COUNTED} messages or more" if answer.left >= AWAITED_COUNTED else answer.left
        )
        err().print(f"[dim]still waiting: {many}[/]")


def show_material(answer: Material) -> None:
    """Print what waits and what is near it, as a model is shown it, in parts that it can read."""
    if not answer.episodes:
        out().print(
            '[yellow]Nothing waits.[/] [dim]What the user says does: pinyon remember "..."[/]'
        )
        return
    for shown in shown_in_parts(answer, budget_tokens=SHOWN_TOKENS, named=by_id):
        for name in ("facts", "playbooks", "around", "episodes"):
            out().print(f"[bold]{name}[/]")
            out().print(escape(shown.inputs[name]), highlight=False)
    err().print("[dim]What a model makes of it: pinyon propose FILE[/]")


def show_reflected(answer: Reflected, texts: Texts) -> None:
    """Print what a task taught."""
    out().print(
        f"{answer.turns} turns of {escape(answer.task)} read [dim]by {escape(answer.made_by)}[/]"
    )
    named = (
        ("playbook", answer.created, "green"),
        ("steps bettered", answer.refined, "green"),
        (f"counted as {answer.outcome}", answer.counted, "green"),
        ("pitfall", answer.pitfalls, "yellow"),
    )
    for name, ids, style in named:
        for one in ids:
            _show_memory(f"[{style}]{name}[/]", one, texts)
    if answer.refused:
        err().print(f"[dim]not kept: {escape(told(answer.refused))}[/]")
    if not any(ids for _, ids, _ in named):
        err().print(
            "[yellow]It teaches nothing new.[/] [dim]Tell what was done: --summary, or keep the "
            "calls of its tools: pinyon turn --at tool --context task_id=...[/]"
        )
