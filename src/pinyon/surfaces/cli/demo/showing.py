"""The scenes as a person sees them, and as a program reads them."""

from datetime import datetime
from typing import assert_never

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from pinyon.domain.answers import Forgotten
from pinyon.domain.memory import Memory
from pinyon.domain.receipt import Receipt
from pinyon.surfaces import encode, encode_consolidation
from pinyon.surfaces.cli.demo.steps import (
    Asked,
    Forgot,
    Learnt,
    Looked,
    Previewed,
    Said,
    Scene,
    Searched,
    Step,
    Taught,
    Wrote,
)
from pinyon.surfaces.cli.show_memories import kind_tag, show_recall
from pinyon.surfaces.cli.terminal import out

INDENT = 3


def show_scene(number: int, scene: Scene, *, explain: bool) -> None:
    """Print a scene."""
    at = datetime.fromisoformat(scene.at)
    day = f"{at.day} {at:%B}"
    console = out()
    console.print(f"\n[bold]{number}. {escape(scene.title)}[/] [dim]· {day}[/]")
    for step in scene.steps:
        _show_step(console, step, explain=explain)
    _say(console, f"[green]→[/] {escape(scene.moral)}")


def encode_scene(scene: Scene) -> encode.Json:
    """Return a scene as JSON."""
    return {
        "title": scene.title,
        "at": scene.at,
        "steps": [_encoded(step) for step in scene.steps],
        "moral": scene.moral,
    }


def _show_step(console: Console, step: Step, *, explain: bool) -> None:
    match step:
        case Said():
            _show_said(console, step)
        case Wrote():
            _show_wrote(console, step)
        case Asked():
            _say(console, f"[dim]{escape(step.how)}:[/]")
            show_recall(step.answer, explain=explain, indent=INDENT)
        case Looked(how, memory):
            _say(console, f"[dim]{escape(how)}:[/] {_standing(memory)}")
        case Previewed(answer):
            _show_preview(console, answer)
        case Forgot(receipt):
            _show_receipt(console, receipt)
        case Searched(word, holding, files):
            found = f"[yellow]in {holding}[/]" if holding else "[green]in none[/]"
            read = f"[dim]all {files} files of this home were read:[/]"
            _say(console, f"{read} “{escape(word)}” [dim]stands[/] {found}")
        case Learnt():
            _show_learnt(console, step)
        case Taught():
            _show_taught(console, step)
        case _:
            assert_never(step)


def _show_said(console: Console, step: Said) -> None:
    _say(console, f"{step.who}: [italic]“{escape(step.text)}”[/]")
    if step.without:
        _say(console, f"[dim]without memory:[/] [red]“{escape(step.without)}”[/]")
    if step.kept is None:
        return
    if step.kept_as:
        redacted = ", ".join(step.kept.redacted)
        _say(console, f"[dim]kept without its {redacted}:[/] “{escape(step.kept_as)}”")
    elif step.kept.quarantined:
        _say(console, f"[yellow]kept in quarantine[/] [dim]as {step.kept.id}[/]")
    else:
        _say(console, f"[dim]kept first, as {step.kept.id}[/]")


def _show_wrote(console: Console, step: Wrote) -> None:
    _say(console, f"{step.how}: [italic]“{escape(step.text)}”[/]")
    if step.answer.created:
        _say(console, f"  [dim]as {step.answer.id}[/]")
    for memory in step.replaced:
        _say(console, f"  [dim]in place of[/] {_quoted(memory)}")
    # Who names what a fact replaces has looked at what it may contradict.
    for memory in () if step.replaced else step.otherwise:
        _say(console, f"  [yellow]may say otherwise, untouched:[/] {_quoted(memory)}")


def _show_preview(console: Console, answer: Forgotten) -> None:
    for memory in answer.gone:
        _say(console, f"[dim]would be erased:[/] {kind_tag(memory)} {_quoted(memory)}")
    for memory in answer.masked:
        _say(console, f"[dim]would be covered in part:[/] {kind_tag(memory)} {_quoted(memory)}")


def _show_receipt(console: Console, receipt: Receipt) -> None:
    masked = receipt.counts["masked"]
    _say(
        console,
        f"[green]✓ forgotten:[/] {len(receipt.ids)} ids erased, "
        f"{masked} message{'' if masked == 1 else 's'} covered in part, "
        f"complete: {'yes' if receipt.complete else 'not yet'}",
    )
    _say(console, f"  [dim]{receipt.id}[/]")


def _show_learnt(console: Console, step: Learnt) -> None:
    many = step.answer.episodes
    read = f"{many} message{'' if many == 1 else 's'} read by {escape(step.answer.made_by)}"
    _say(console, f"[green]✓ consolidated:[/] {read}")
    for memory in step.new:
        _say(console, f"  [green]new[/] {kind_tag(memory)} {_quoted(memory)}")
    for memory in step.history:
        _say(console, f"  [yellow]history now:[/] {_quoted(memory)}")
    for memory in step.counted:
        _say(console, f"  [dim]how it went is counted:[/] {_quoted(memory)} {_tried(memory)}")


def _show_taught(console: Console, step: Taught) -> None:
    _say(
        console,
        f"[green]✓ the agent's task is over:[/] {step.answer.turns} turns of its log read by "
        f"{escape(step.answer.made_by)}",
    )
    for memory in step.playbooks:
        _say(console, f"  [green]playbook[/] {_quoted(memory)} {_tried(memory)}")
        for one in memory.procedure.current_steps if memory.procedure else ():
            _say(console, f"    {escape(one.instruction)}")
    for memory in step.pitfalls:
        _say(console, f"  [yellow]pitfall[/] {_quoted(memory)}")


def _tried(memory: Memory) -> str:
    counts = memory.counts
    return f"[dim]worked {counts.successes} of {counts.successes + counts.failures} times[/]"


def _quoted(memory: Memory) -> str:
    return f"“{escape(memory.text)}”"


def _standing(memory: Memory) -> str:
    """Return a memory with how it stands; one that nobody should read, without its text."""
    if memory.shelf == "quarantined":
        return f"{kind_tag(memory)}, in quarantine"
    if memory.kind == "episodic":
        return _quoted(memory)
    sure = f", confidence {memory.confidence:g}" if memory.status == "active" else ""
    return f"{kind_tag(memory)} {_quoted(memory)}{sure}"


def _say(console: Console, line: str) -> None:
    console.print(Padding(line, (0, 0, 0, INDENT), expand=False))


def _encoded(step: Step) -> encode.Json:
    match step:
        case Said():
            return {
                "step": "said",
                "who": step.who,
                "text": step.text,
                "written": None if step.kept is None else encode.written(step.kept),
                "kept_as": step.kept_as or None,
            }
        case Wrote():
            return {"step": "wrote", "text": step.text, "written": encode.written(step.answer)}
        case Asked():
            recalled = encode.recall(step.answer)
            return {"step": "asked", "how": step.how, "text": step.question, "recall": recalled}
        case Looked(how, memory):
            return {"step": "looked", "how": how, "memory": encode.memory(memory)}
        case Previewed(answer):
            return {"step": "previewed", "forget": encode.forgotten(answer)}
        case Forgot(receipt):
            return {"step": "forgot", "receipt": encode.receipt(receipt)}
        case Searched():
            return {
                "step": "searched",
                "text": step.word,
                "holding": step.holding,
                "files": step.files,
            }
        case Learnt():
            return {
                "step": "learnt",
                "consolidate": encode_consolidation.consolidated(step.answer),
                "memories": [encode.memory(one) for one in (*step.new, *step.counted)],
            }
        case Taught():
            return {
                "step": "taught",
                "reflect": encode_consolidation.reflected(step.answer),
                "memories": [encode.memory(one) for one in (*step.playbooks, *step.pitfalls)],
            }
        case _:
            assert_never(step)
