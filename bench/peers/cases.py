"""The life-cycle cases: what a memory must do besides finding, each an input and an expectation.

Standard library only: every peer runs it in its own environment, and Pinyon in its own.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from stores import Addressed, Store, Updates

ANN, BEN = "ann", "ben"
RARE, KEPT = "vexillogram", "quernstone"
"""A word of the memory that is deleted, and one of a memory that stays: that one must be there."""

SMALL_TALK = (
    "The train to York was late again.",
    "Grandmother's soup needs more thyme.",
    "We painted the fence green on Sunday.",
    "The dentist moved the appointment to March.",
    "Their new dog is afraid of bicycles.",
    "The library closes at six in winter.",
    "He plays the cello on Thursdays.",
    "The garden shed wants a new roof.",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a case holds; `None` where the store has no such notion. And why not."""

    passed: bool | None
    why: str = ""

    @classmethod
    def of(cls, passed: bool, why: str) -> Self:
        """Return a verdict that says why only where it did not pass."""
        return cls(passed, "" if passed else why)


Case = Callable[[Store], Verdict]


def duplicate(store: Store) -> Verdict:
    """The same text twice for one user comes once."""
    said = "Her locker at the swimming pool is number 214."
    _added(store, *SMALL_TALK[:4], said, said)
    came = [hit for hit in store.search(ANN, "Which locker is hers?", 10) if hit.text == said]
    return Verdict.of(len(came) == 1, f"it comes {len(came)} times")


def contradiction(store: Store) -> Verdict:
    """What was put right is not said any more."""
    if not isinstance(store, Updates):
        return Verdict(None, "it has no update")
    _added(store, *SMALL_TALK[:4])
    memory = store.add(ANN, "I live in Bristol.")
    store.update(ANN, memory, "I live in Leeds now.")
    came = " ".join(hit.text for hit in store.search(ANN, "Where do I live?", 10))
    if "Leeds" not in came:
        return Verdict(False, "what she says now does not come")
    return Verdict.of("Bristol" not in came, "Bristol still comes")


def foreign_id(store: Store) -> Verdict:
    """An id alone gives no other user's memory away, and deletes none."""
    if not isinstance(store, Addressed):
        return Verdict(None, "it has no access by id")
    said = "Ann's alarm code is nine two four one."
    memory = store.add(ANN, said)
    store.add(BEN, SMALL_TALK[0])
    read = store.get(BEN, memory) is not None
    store.delete(BEN, memory)
    deleted = store.get(ANN, memory) != said
    done = [what for what, did in (("reads", read), ("deletes", deleted)) if did]
    return Verdict.of(not done, f"another user {' and '.join(done)} it by its id")


def nonsense(store: Store) -> Verdict:
    """For a question without any sense nothing comes."""
    _added(store, *SMALL_TALK)
    came = store.search(ANN, "glorp quindle", 10)
    best = f"{came[0].score:.2f}" if came else ""
    return Verdict.of(
        not came, f"{len(came)} of {len(SMALL_TALK)} memories come, the best at {best}"
    )


def forgotten(store: Store) -> Verdict:
    """Delete one memory among others; `residue` looks for it when the process has ended."""
    if not isinstance(store, Addressed):
        return Verdict(None, "it has no delete")
    if not store.on_disk:
        return Verdict(None, "it keeps nothing on disk")
    _added(store, *SMALL_TALK[:4], f"The {KEPT} stands in the hall.")
    memory = store.add(ANN, f"She hid the {RARE} behind the wardrobe.")
    _added(store, *SMALL_TALK[4:])
    store.delete(ANN, memory)
    return Verdict.of(store.get(ANN, memory) is None, "it is still there")


def residue(home: Path) -> Verdict:
    """Return whether a word of what was deleted stands in no file of the store."""
    files = {path: path.read_bytes().lower() for path in home.rglob("*") if path.is_file()}
    if not any(KEPT.encode() in held for held in files.values()):
        return Verdict(None, "its files cannot be read as text")
    left = sorted(path.name for path, held in files.items() if RARE.encode() in held)
    return Verdict.of(not left, f"its words stand in {', '.join(left)}")


CASES: Mapping[str, Case] = {
    "duplicate": duplicate,
    "contradiction": contradiction,
    "foreign id": foreign_id,
    "forget residue": forgotten,
    "nonsense query": nonsense,
}
RESIDUE = "forget residue"


def verdicts_of(open_store: Callable[[Path], Store], home: Path) -> dict[str, Verdict]:
    """Run every case, each on an empty store of its own in a folder below `home`."""
    verdicts = {}
    for name, case in CASES.items():
        folder = folder_of(home, name)
        folder.mkdir(parents=True)
        with closing(open_store(folder)) as store:
            verdicts[name] = case(store)
    return verdicts


def folder_of(home: Path, case: str) -> Path:
    """Return where the store of a case lies."""
    return home / case.replace(" ", "-")


def _added(store: Store, *texts: str) -> None:
    for text in texts:
        store.add(ANN, text)
    store.settle()
