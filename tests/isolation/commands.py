"""For every command that takes a user, what an intruder would type.

To probe a new command, write a generator under `@typed("its-name")` that yields argument lists.
"""

from collections.abc import Callable, Iterator

from isolation.canaries import QUESTIONS
from isolation.probes import FORMS, Case

Typing = Callable[[Case], Iterator[list[str]]]
TYPED: dict[str, Typing] = {}


def typed(command: str) -> Callable[[Typing], Typing]:
    """Mark the generator of a command."""

    def mark(typing: Typing) -> Typing:
        TYPED[command] = typing
        return typing

    return mark


def _ids(case: Case) -> Iterator[str]:
    yield case.chosen.choice(FORMS)(case.foreign_id())
    yield case.chosen.choice(["*", "%", "mem_*"])


@typed("remember")
def remember(case: Case) -> Iterator[list[str]]:
    """Say something in another's conversation."""
    text = f"lamp {case.chosen.random()}"
    yield [text, "--session", case.decoy.session, "--message-id", case.decoy.tokens["message"]]
    yield [text, "--role", "tool", "--parent", case.foreign_event()]
    yield [text, "--key", case.foreign().key, "--meta", f"user_id={case.name()}"]


@typed("write")
def write(case: Case) -> Iterator[list[str]]:
    """Write on what is another's, or over it."""
    for option in ("--supports", "--supersedes"):
        yield ["It rests on John's", option, f"mem_{case.foreign_id()}"]
    yield ["The lamp is mine", "--meta", f"owner={case.name()}"]
    yield [f"lamp {case.chosen.random()}", "--scope", str(case.foreign().space)]


@typed("recall")
def recall(case: Case) -> Iterator[list[str]]:
    """Ask what others know."""
    held = case.foreign()
    yield [QUESTIONS[0], "--explain", "-k", "50", "--include-superseded"]
    yield [f"what is {held.tokens['text']} of {case.name()}?", "--explain"]
    yield [QUESTIONS[0], "--include-events", "-k", "100"]
    yield [f"lamp {held.tokens['text']}", "--intent", "tool", "--context", "tool=John"]
    yield ["and the other one?", "--context", f"turn=what is {held.tokens['text']}?"]
    yield ["what did we say?", "--intent", "conversation", "--context", f"session={held.session}"]
    yield [QUESTIONS[1], "--filter", f'{{"session": "{held.session}"}}']
    yield [QUESTIONS[1], "--filter", f'{{"metadata.user_id": "{held.tokens["meta"]}"}}']


@typed("turn")
def turn(case: Case) -> Iterator[list[str]]:
    """Say something in another's conversation, and see what comes."""
    held = case.foreign()
    yield [f"what is the lamp {held.tokens['text']}?", "--always", "-k", "100"]
    yield ["and the other one?", "--session", held.session, "--always"]
    yield ["lamp hub", "--at", "tool", "--context", f"tool={held.tokens['speaker']}"]


@typed("context")
def context(case: Case) -> Iterator[list[str]]:
    """Build a prompt out of another's conversation."""
    yield [QUESTIONS[0], "--session", case.foreign().session, "--budget", "50000", "-k", "100"]


@typed("consolidate")
def consolidate(_case: Case) -> Iterator[list[str]]:
    """Have what waits be read."""
    yield []
    yield ["--limit", "1"]


@typed("material")
def material(_case: Case) -> Iterator[list[str]]:
    """Be shown what waits."""
    yield ["--limit", "100"]


@typed("propose")
def propose(_case: Case) -> Iterator[list[str]]:
    """Hand in a file that is none; what stands in one is tried as an operation."""
    yield ["/dev/null"]


@typed("reflect")
def reflect(case: Case) -> Iterator[list[str]]:
    """Learn from what another did."""
    yield [f"lamp {case.foreign().tokens['task']}", "--outcome", "worked"]
    yield ["*", "--outcome", "failed"]


@typed("core")
def core(_case: Case) -> Iterator[list[str]]:
    """Ask for what is at hand whatever is asked."""
    yield []


@typed("warm")
def warm(_case: Case) -> Iterator[list[str]]:
    """Load everything."""
    yield []


@typed("why-not")
def why_not(case: Case) -> Iterator[list[str]]:
    """Ask what became of another's memory."""
    for one in _ids(case):
        yield [one, QUESTIONS[0]]


@typed("list")
def list_(case: Case) -> Iterator[list[str]]:
    """List what others have."""
    yield ["--cursor", case.foreign().cursor]
    yield ["--shelf", "quarantined"]
    yield ["--scope", "shared", "--limit", "1000"]
    yield ["--filter", f'{{"user": "{case.decoy.space.segments[1]}"}}']


@typed("events")
def events(case: Case) -> Iterator[list[str]]:
    """Read what others said and did."""
    held = case.foreign()
    yield []
    yield ["--session", held.session]
    yield ["--query", f"lamp {held.tokens['text']}", "--limit", "1000"]
    yield ["--type", "message", "--scope", str(held.space)]
    yield ["--cursor", f"t0_0_e{case.foreign_event()[4:]}"]


@typed("forget")
def forget(case: Case) -> Iterator[list[str]]:
    """Have another's memories erased."""
    held = case.foreign()
    for one in _ids(case):
        yield [one, "--yes"]
    yield ["--session", held.session, "--yes"]
    yield ["--document", held.document, "--dry-run"]
    yield ["--query", f"the first lamp {held.tokens['text']}", "--yes"]
    yield ["--all", "--dry-run"]


@typed("receipts")
def receipts(case: Case) -> Iterator[list[str]]:
    """Ask what was forgotten elsewhere."""
    yield []
    yield ["--scope", "shared"]
    yield ["--scope", case.name()]


@typed("publish")
def publish(case: Case) -> Iterator[list[str]]:
    """Have another's memory published where one can read it."""
    for one in _ids(case):
        yield [one, "--scope", "shared"]


@typed("edit")
def edit(case: Case) -> Iterator[list[str]]:
    """File another's memory elsewhere."""
    for one in _ids(case):
        yield [one, "--title", "Mine"]


@typed("import")
def import_(case: Case) -> Iterator[list[str]]:
    """Bring in a file that lies where others' memories do."""
    yield [f"../{case.decoy.space}"]


@typed("export")
def export(case: Case) -> Iterator[list[str]]:
    """Take everything along."""
    yield []
    yield ["--scope", "shared"]
    yield ["--scope", str(case.foreign().space)]
    yield ["--feedback"]
    yield ["--feedback", "--scope", "shared"]


@typed("catalog import")
def catalog_import(case: Case) -> Iterator[list[str]]:
    """Bring in documents from where others' memories lie."""
    yield [f"../{case.decoy.space}", "--name", case.decoy.document]


@typed("catalog list")
def catalog_list(case: Case) -> Iterator[list[str]]:
    """Ask which documents there are."""
    yield []
    yield ["--scope", str(case.foreign().space)]


@typed("keys create")
def keys_create(case: Case) -> Iterator[list[str]]:
    """Have a key made that is named after another's."""
    yield ["--name", case.foreign().tokens["text"]]
    yield ["--role", "service"]


@typed("jobs list")
def jobs_list(_case: Case) -> Iterator[list[str]]:
    """Ask what is being done for others."""
    yield []
    yield ["--state", "waiting"]


@typed("mcp config")
def mcp_config(_case: Case) -> Iterator[list[str]]:
    """Ask how a client is connected."""
    yield ["cursor"]
    yield ["codex", "--url", "http://127.0.0.1:7469/mcp"]


@typed("mcp install")
def mcp_install(case: Case) -> Iterator[list[str]]:
    """Have a client's file read that lies where others' memories do."""
    yield ["cursor", "--path", f"../{case.decoy.space}", "--dry-run"]
    yield ["codex", "--path", str(case.foreign().space), "--dry-run"]


def _by_id(case: Case) -> Iterator[list[str]]:
    for one in _ids(case):
        yield [one]


@typed("sessions start")
def sessions_start(case: Case) -> Iterator[list[str]]:
    """Start another's conversation."""
    yield [case.foreign().session, "--mode", "off"]
    yield [case.decoy.session, "--mode", "temporary"]


@typed("sessions end")
def sessions_end(case: Case) -> Iterator[list[str]]:
    """End another's conversation."""
    yield [case.foreign().session]
    yield [case.decoy.session]


@typed("sessions list")
def sessions_list(_case: Case) -> Iterator[list[str]]:
    """Ask which conversations there are."""
    yield []


@typed("consent")
def consent(case: Case) -> Iterator[list[str]]:
    """Ask what others let memory keep, and allow what they do not."""
    yield []
    yield ["--allow", case.foreign_topic()]
    yield ["--pause"]
    yield ["--resume"]


@typed("feedback")
def feedback(case: Case) -> Iterator[list[str]]:
    """Report on another's memory."""
    for one in _ids(case):
        yield [one, "--outcome", "worked", "--query", f"what is {case.foreign().tokens['text']}?"]


for _command in ("show", "history", "retract", "end", "hide", "release", "undo", "withdraw"):
    typed(_command)(_by_id)
