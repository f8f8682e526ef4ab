"""BEAM: long work chats of a user and an assistant, with questions of ten kinds. Unit: a message.

Of a conversation that has `chat_trunecated.json` (so it is spelt) that file is read, as its project
does.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pinyon.errors import InvalidFile
from pinyon.evaluation.quality.corpus import Asked, Corpus, Tenant
from pinyon.evaluation.quality.published.reading import Rows, dated, json_of, shape_of

CHATS = ("chat_trunecated.json", "chat.json")
QUESTIONS = Path("probing_questions", "probing_questions.json")
ABSTENTION = "abstention"
# What made the chats left its marks at the end of messages: "->-> 1,2".
_MARK = re.compile(r"\s*->->\s*[\d\s,.N/A-]*$")


def load(path: Path) -> Corpus:
    """Read a folder of conversations, or one of them.

    Raises:
        InvalidFile: There is none, or one is not what it must be.
    """
    folders = [path] if (path / QUESTIONS).is_file() else _conversations(path)
    if not folders:
        raise InvalidFile(str(path), f"no folder in it holds {QUESTIONS}")
    read = [_tenant(folder) for folder in folders]
    return Corpus(
        name="beam",
        tenants=tuple(tenant for tenant, _ in read),
        shortened=sum(cut for _, cut in read),
    )


def _conversations(path: Path) -> list[Path]:
    held = [one.parent.parent for one in path.glob(f"*/{QUESTIONS.as_posix()}")]
    # Those of ten million tokens lie in plans, and are not read.
    kept = [one for one in held if any((one / chat).is_file() for chat in CHATS)]
    return sorted(kept, key=lambda one: (len(one.name), one.name))


def _tenant(folder: Path) -> tuple[Tenant, int]:
    chat = next((folder / name for name in CHATS if (folder / name).is_file()), None)
    if chat is None:
        raise InvalidFile(str(folder), f"it has no {CHATS[-1]}")
    rows, batches, probing = Rows(), json_of(chat), json_of(folder / QUESTIONS)
    with shape_of(chat, "a chat of BEAM"):
        for batch in batches:
            said_at = None
            for message in (one for turn in batch["turns"] for one in turn):
                told = message.get("time_anchor")
                # Only the first message of a batch tells a date; the others follow it.
                said_at = dated(told, "%B-%d-%Y") if told else None
                fields = {
                    "text": _MARK.sub("", message["content"]),
                    "speaker": message["role"],
                    "session": batch["batch_number"],
                }
                rows.add(str(message["id"]), fields, said_at)
    with shape_of(folder / QUESTIONS, "questions of BEAM"):
        questions = [
            _asked(folder.name, category, place, asked, rows)
            for category, of in probing.items()
            for place, asked in enumerate(of)
        ]
    tenant = Tenant(
        name=folder.name,
        rows=tuple(rows.rows),
        questions=tuple(asked for asked in questions if asked.evidence or asked.abstain),
    )
    return tenant, rows.shortened


def _asked(chat: str, category: str, place: int, asked: Any, rows: Rows) -> Asked:
    is_near = category == ABSTENTION
    named = map(str, _numbers(asked.get("source_chat_ids", [])))
    return Asked(
        id=f"{chat}/{category}/{place}",
        text=asked["question"],
        category=category,
        evidence=() if is_near else rows.evidence(named),
        abstain="near" if is_near else None,
    )


def _numbers(named: object) -> Iterator[int]:
    """Yield the ids of messages: in a list, or in lists by role, however deep."""
    match named:
        case int():
            yield named
        case str() if named.isdigit():
            yield int(named)
        case list():
            for one in named:
                yield from _numbers(one)
        case dict():
            for one in named.values():
                yield from _numbers(one)
