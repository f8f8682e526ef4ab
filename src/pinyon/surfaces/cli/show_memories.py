"""Memories for a person: short, aligned, coloured where the terminal can."""

from collections.abc import Mapping, Sequence
from textwrap import shorten

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.tree import Tree

from pinyon.domain.answers import (
    History,
    Hit,
    Listing,
    Recall,
    Trace,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.consent import NotKept
from pinyon.domain.memory import Memory
from pinyon.domain.times import show_instant
from pinyon.surfaces.cli.show_events import events_found
from pinyon.surfaces.cli.terminal import err, out, say_degraded

_KIND_STYLE = {
    "episodic": "cyan",
    "semantic": "green",
    "procedural": "magenta",
    "catalog": "yellow",
}


_EMPTY = {
    "empty_store": "Nothing is remembered here yet. Begin with: pinyon remember --user NAME “…”",
    "below_floor": "Nothing that is remembered answers this.",
    "filtered": "Something would answer, but the filters keep it out.",
    "degraded": "Part of the memory could not be asked; run pinyon doctor.",
    "not_needed": "Nothing that was said before can help with this; it was not looked for.",
}


_NOT_KEPT: Mapping[NotKept, str] = {
    "paused": "memory is paused; `pinyon consent --resume` lets it keep things again",
    "session_off": "the session is off, or over",
    "topic": "it speaks of a topic that is never kept",
}


def show_not_kept(why: NotKept) -> None:
    """Print that nothing was kept, and why."""
    out().print(f"[yellow]–[/] not kept: {_NOT_KEPT[why]}")


def show_written(answer: Written, verb: str) -> None:
    """Print what became of a write."""
    if answer.not_kept is not None:
        show_not_kept(answer.not_kept)
    elif answer.created:
        out().print(f"[green]✓[/] {verb} [dim]{answer.id}[/]")
    else:
        out().print(f"[yellow]=[/] kept already as [dim]{answer.id}[/]")
    if answer.redacted:
        out().print(f"  [yellow]taken out:[/] {', '.join(answer.redacted)}")
    if answer.quarantined:
        out().print("  [yellow]in quarantine:[/] it gives orders to a model; `release` lets it out")
    for memory_id in answer.superseded:
        out().print(f"  [dim]in place of {memory_id}[/]")
    for memory_id in answer.possible_conflicts:
        out().print(
            f"  [yellow]may say otherwise:[/] [dim]{memory_id}; --supersedes replaces it[/]"
        )
    if answer.degraded:
        say_degraded("kept without its vectors: found by words until a later write adds them")


def show_recall(answer: Recall, *, explain: bool, indent: int = 0) -> None:
    """Print hits, each with its time and why it came, and the events that came along.

    With `explain`, how the answer came about.
    """
    shown: list[Table | Tree | str] = [
        _hit_lines(place, hit, explain=explain) for place, hit in enumerate(answer.hits, start=1)
    ]
    if answer.empty_because is not None:
        because = answer.empty_because
        shown.append(f"{' ' * min(indent, 2)}[yellow]{_EMPTY[because]}[/] [dim]({because})[/]")
    if answer.events:
        shown.append(events_found(answer.events))
    for one in shown:
        _print_indented(one, indent)
    if answer.degraded:
        say_degraded(f"without {' and '.join(answer.degraded)}: {answer.degraded_because}")
    if explain:
        _print_indented(trace_tree(answer.trace), indent)


def show_core_facts(answer: Sequence[Memory]) -> None:
    """Print what an agent should know whatever is asked, and why it is there."""
    if not answer:
        out().print(
            "[yellow]Nothing stands whatever is asked.[/] [dim]Say “always …”, “my name is …”, "
            "“I am allergic to …”, or pin a memory: pinyon edit ID --pinned[/]"
        )
    for memory in answer:
        why = "pinned" if memory.pinned else memory.category
        out().print(text_of(memory))
        out().print(f"  [bold]{why}[/] [dim]{when_of(memory)} · {memory.id}[/]")


def show_warmed(answer: Warmed) -> None:
    """Print what is ready."""
    for stage in answer.stages:
        out().print(f"[dim]{stage.stage:<8} {stage.wall_ms:>8.1f} ms  {escape(stage.note)}[/]")
    if answer.degraded:
        say_degraded(f"without {' and '.join(answer.degraded)}: {answer.degraded_because}")
    took_ms = sum(stage.wall_ms for stage in answer.stages)
    out().print(f"[green]✓[/] {answer.memories:,} memories are ready after {took_ms:,.0f} ms")


def trace_tree(trace: Trace) -> Tree:
    """Return how an answer came about, as a tree."""
    words = ", ".join(trace.terms) or "no word"
    tree = Tree(f"[bold]how this came about[/] [dim]looked for {escape(words)}[/]")
    for stage in trace.stages:
        note = f" [dim]{escape(stage.note)}[/]" if stage.note else ""
        tree.add(
            f"{stage.stage:<8} {stage.wall_ms:>7.2f} ms  {stage.candidates:>3} candidates{note}"
        )
    if trace.unknown_terms:
        tree.add(f"[dim]in no memory: {escape(', '.join(trace.unknown_terms))}[/]")
    if trace.dropped_terms:
        tree.add(f"[dim]too common to look for: {escape(', '.join(trace.dropped_terms))}[/]")
    floor = f"best {trace.best:.2f}, floor {trace.floor:.2f}, about {trace.tokens} tokens"
    tree.add(f"[dim]{floor}; asked {escape(', '.join(map(str, trace.spaces)))}[/]")
    return tree


def show_why_not(answer: WhyNot) -> None:
    """Print what became of one memory."""
    where = f" [dim](lost at: {answer.stage})[/]" if answer.stage else ""
    sign = "[green]✓[/]" if answer.came else "[yellow]–[/]"
    out().print(f"{sign} {escape(answer.reason)}{where}")


def show_listing(answer: Listing) -> None:
    """Print a list of memories."""
    if not answer.memories:
        out().print("[yellow]There is nothing here.[/] [dim]Begin with: pinyon remember “…”[/]")
        return
    for memory in answer.memories:
        show_listed(memory, indent="")
    if answer.next_cursor is not None:
        err().print(f"[dim]there is more: --cursor {answer.next_cursor}[/]")


def show_listed(memory: Memory, *, indent: str = "  ") -> None:
    """Print a memory as one of a list."""
    console = out()
    for line in (
        text_of(memory),
        f"  {kind_tag(memory)} [dim]{when_of(memory)}{_until(memory)} · {memory.id}[/]",
    ):
        console.print(Padding(line, (0, 0, 0, len(indent)), expand=False) if indent else line)


def show_memory(memory: Memory) -> None:
    """Print one memory whole."""
    console = out()
    console.print(f"{kind_tag(memory)} {text_of(memory)}")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in _facts(memory):
        if value:
            table.add_row(name, escape(value))
    console.print(table)


def show_act(memory: Memory) -> None:
    """Print how a memory stands now."""
    console = out()
    console.print(f"[green]✓[/] {text_of(memory)}")
    holds = " active" if memory.status == "active" else ""
    shelf = f" · {memory.shelf}" if memory.shelf != "open" else ""
    console.print(f"  {kind_tag(memory)}[dim]{holds}{shelf}{_until(memory)} · {memory.id}[/]")


def show_history(answer: History) -> None:
    """Print what a memory was and became."""
    console = out()
    for memory in answer.chain:
        console.print(f"{kind_tag(memory)} [dim]{when_of(memory)}[/] {text_of(memory)}")
    if len(answer.versions) > 1:
        console.print("[bold]versions[/]")
        for memory in answer.versions:
            at = show_instant(memory.times.updated_at_us)
            console.print(f"  {memory.version} [dim]{at}[/] {escape(_filed(memory))}")
    console.print("[bold]acts[/]")
    for act in answer.acts:
        who = escape(f"{act.actor} by {act.surface}")
        console.print(f"  [dim]{show_instant(act.at_us)}[/] {act.action} [dim]{who}[/]")


def kind_tag(memory: Memory) -> str:
    """Return a memory's kind in its colour, marked where it no longer holds."""
    style = _KIND_STYLE[memory.kind]
    mark = "" if memory.status == "active" else f" [red]{memory.status}[/]"
    if memory.status == "active" and memory.links.outdated_by is not None:
        mark = " [red]outdated[/]"
    return f"[{style}]{memory.kind}[/]{mark}"


def _print_indented(shown: Table | Tree | str, indent: int) -> None:
    out().print(Padding(shown, (0, 0, 0, indent), expand=False) if indent else shown)


def _hit_lines(place: int, hit: Hit, *, explain: bool) -> Table:
    memory = hit.memory
    line = Table.grid(padding=(0, 1))
    line.add_column(justify="right", width=3, style="bold")
    line.add_column(width=4, style="bold")
    line.add_column(overflow="fold")
    line.add_row(f"{place}", f"{hit.score:.2f}", text_of(memory))
    extra = f"; becomes true {when_of(memory)}" if hit.why.starts_later else ""
    when = "" if memory.kind == "catalog" else f" {when_of(memory)}"
    detail = f"{kind_tag(memory)}[dim]{when}{_until(memory)} · {escape(hit.why.summary)}{extra}[/]"
    line.add_row("", "", detail)
    if newer := _newer(memory):
        line.add_row("", "", f"[dim]{newer}[/]")
    if memory.procedure is not None:
        for number, step in enumerate(memory.procedure.current_steps, start=1):
            line.add_row("", "", f"[dim]{number}.[/] {escape(step.instruction)}")
    if explain:
        line.add_row("", "", f"[dim]{escape(_reckoning(hit))}[/]")
        if hit.why.judged:
            line.add_row("", "", f"[dim]judged: “{escape(hit.why.judged)}”[/]")
        for beside in hit.neighbours:
            line.add_row("", "", f"[dim]beside it: {escape(in_short(beside))}[/]")
    return line


def _reckoning(hit: Hit) -> str:
    """Return how a hit came to its score: legs, scores, relevance, factors."""
    why = hit.why
    legs = ", ".join(f"{leg} {place.rank}" for leg, place in why.legs.items())
    scores = ", ".join(f"{name} {score:.2f}" for name, score in why.scores.items())
    factors = "".join(f" × {factor:.2f} {name}" for name, factor in why.factors.items())
    weighed = f"{factors} = {hit.score:.2f}" if factors else ""
    return f"{legs}: {scores} → {why.relevance:.2f}{weighed}"


def text_of(memory: Memory) -> str:
    """Return a memory's text behind its title, as markup."""
    title = f"[bold]{escape(memory.title)}[/] · " if memory.title else ""
    return title + escape(memory.text)


def in_short(memory: Memory) -> str:
    """Return a memory on one line of about 80 characters."""
    return shorten(f"{memory.title} · {memory.text}", 80, placeholder=" …")


def when_of(memory: Memory) -> str:
    """Return when it happened, else since when it is kept, to the minute."""
    times = memory.times
    us = times.occurred_at_us if times.occurred_at_us is not None else times.created_at_us
    return show_instant(us, times.offset_min)[:16].replace("T", " ")


def _until(memory: Memory) -> str:
    """Return until when a memory was true, where an end is known."""
    until_us = memory.times.valid_until_us
    if until_us is None:
        return ""
    return f" · true until {show_instant(until_us, memory.times.offset_min)[:16].replace('T', ' ')}"


def _newer(memory: Memory) -> str:
    """Return what a memory no longer holds because of, and since when."""
    links = memory.links
    if links.superseded_by is not None and links.superseded_at_us is not None:
        at = show_instant(links.superseded_at_us, memory.times.offset_min)[:16]
        return f"replaced {at.replace('T', ' ')} by {links.superseded_by}"
    return "" if links.outdated_by is None else f"outdated by {links.outdated_by}"


def _filed(memory: Memory) -> str:
    facts = [f"{name} {value}" for name, value in _facts(memory) if value and name in _ANNOTATED]
    return ", ".join(facts)


_ANNOTATED = {
    "title",
    "tags",
    "keywords",
    "category",
    "importance",
    "confidence",
    "pinned",
    "expires",
    "metadata",
    "status",
    "shelf",
}


def _facts(memory: Memory) -> list[tuple[str, str]]:
    times = memory.times
    instants = (
        ("occurred", times.occurred_at_us),
        ("true from", times.valid_from_us),
        ("true until", times.valid_until_us),
        ("kept", times.created_at_us),
        ("expires", times.expires_at_us),
    )
    procedure = memory.procedure
    steps = procedure.current_steps if procedure else ()
    return [
        ("id", memory.id),
        ("space", str(memory.space)),
        ("title", memory.title),
        ("in short", "" if memory.summary is None else memory.summary.text),
        ("status", memory.status),
        ("shelf", "" if memory.shelf == "open" else memory.shelf),
        *((name, show_instant(us, times.offset_min)) for name, us in instants if us is not None),
        ("superseded by", memory.links.superseded_by or ""),
        ("supersedes", ", ".join(memory.links.supersedes)),
        ("outdated by", memory.links.outdated_by or ""),
        ("rests on", ", ".join(memory.source.supporting)),
        ("published in", ", ".join(str(copy.space) for copy in memory.links.copies)),
        ("copy of", "" if memory.links.copy_of is None else str(memory.links.copy_of.space)),
        ("trigger", procedure.trigger if procedure else ""),
        ("steps", " → ".join(step.instruction for step in steps)),
        ("speaker", memory.source.speaker),
        ("session", memory.source.session),
        ("tags", ", ".join(memory.tags)),
        ("keywords", ", ".join(memory.keywords)),
        ("category", memory.category),
        ("metadata", ", ".join(f"{key}={value}" for key, value in memory.metadata)),
        ("importance", f"{memory.importance:g}"),
        ("confidence", f"{memory.confidence:g}"),
        ("pinned", "yes" if memory.pinned else ""),
        ("support", str(memory.counts.support or "")),
        ("version", str(memory.version)),
    ]
