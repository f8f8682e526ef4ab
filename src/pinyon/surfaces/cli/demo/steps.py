"""What happens in a scene, step by step: each with what memory answered to it."""

from dataclasses import dataclass

from pinyon.domain.answers import Forgotten, Recall, Written
from pinyon.domain.consolidation import Consolidated
from pinyon.domain.memory import Memory
from pinyon.domain.receipt import Receipt
from pinyon.domain.reflection import Reflected


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Somebody says something.

    Attributes:
        who: Who speaks, or what.
        text: The exact words.
        without: What an assistant without memory replies, "" where that tells nothing.
        kept: What became of the words, where they are kept.
        kept_as: How they read since, where something was taken out.
    """

    who: str
    text: str
    without: str = ""
    kept: Written | None = None
    kept_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """An agent writes a fact.

    Attributes:
        how: What it does, for a person.
        text: The fact.
        answer: What became of it.
        replaced: What it took the place of.
        otherwise: What it may contradict, and did not touch.
    """

    how: str
    text: str
    answer: Written
    replaced: tuple[Memory, ...] = ()
    otherwise: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question goes to memory.

    Attributes:
        how: How it is asked, for a person.
        question: The exact words.
        answer: What is recalled.
    """

    question: str
    answer: Recall
    how: str = "what is remembered"


@dataclass(frozen=True, slots=True)
class Looked:
    """A memory as it stands now, and what there is to see."""

    how: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class Previewed:
    """What would be forgotten; nothing is yet."""

    answer: Forgotten


@dataclass(frozen=True, slots=True)
class Forgot:
    """It is forgotten; this is the receipt."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Searched:
    """Every file of the home was read, byte by byte, in search of a word.

    Attributes:
        holding: How many files hold it.
        files: How many there are.
    """

    word: str
    holding: int
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What was said is consolidated.

    Attributes:
        answer: What became of it.
        new: Facts and playbooks that came of it.
        history: Facts that hold no more by it.
        counted: Playbooks whose outcome it told.
    """

    answer: Consolidated
    new: tuple[Memory, ...] = ()
    history: tuple[Memory, ...] = ()
    counted: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """An agent's task is over, and it is read what it teaches."""

    answer: Reflected
    playbooks: tuple[Memory, ...] = ()
    pitfalls: tuple[Memory, ...] = ()


Step = Said | Wrote | Asked | Looked | Previewed | Forgot | Searched | Learnt | Taught


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A part of the story.

    Attributes:
        title: What it shows.
        at: When it takes place: an instant of the story's clock.
        steps: What happens, in order.
        moral: What the memories make of it.
    """

    title: str
    at: str
    steps: tuple[Step, ...]
    moral: str
