"""LoCoMo: ten long chats of two people each. Unit: a turn."""

import re
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from pinyon.evaluation.quality.corpus import Asked, Corpus, Tenant
from pinyon.evaluation.quality.published.reading import (
    SECONDS_A_TURN,
    Rows,
    dated,
    json_of,
    shape_of,
)

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
# Evidence is written by hand: "D8:6; D9:17", "D:11:26", "D30:05".
_TURN = re.compile(r"D:?(\d+):0*(\d+)")


def load(path: Path) -> Corpus:
    """Read `locomo10.json`.

    Raises:
        InvalidFile: It is not that file.
    """
    samples = json_of(path)
    with shape_of(path, "locomo10.json"):
        read = [_tenant(sample) for sample in samples]
    return Corpus(
        name="locomo",
        tenants=tuple(tenant for tenant, _ in read),
        shortened=sum(cut for _, cut in read),
    )


def _tenant(sample: Any) -> tuple[Tenant, int]:
    talk, rows = sample["conversation"], Rows()
    numbers = sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        began = dated(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for place, turn in enumerate(talk[f"session_{number}"]):
            fields = {
                "text": turn["text"],
                "caption": turn.get("blip_caption"),
                "speaker": turn["speaker"],
                "session": number,
            }
            later = timedelta(seconds=SECONDS_A_TURN * place)
            rows.add(turn["dia_id"], fields, None if began is None else began + later)
    questions = [_asked(sample["sample_id"], at, qa, rows) for at, qa in enumerate(sample["qa"])]
    tenant = Tenant(
        name=sample["sample_id"],
        rows=tuple(rows.rows),
        questions=tuple(asked for asked in questions if asked.evidence),
    )
    return tenant, rows.shortened


def _asked(sample: str, place: int, qa: Any, rows: Rows) -> Asked:
    return Asked(
        id=f"{sample}/q{place}",
        text=qa["question"],
        category=CATEGORIES[qa["category"]],
        evidence=rows.evidence(_turns(qa["evidence"])),
    )


def _turns(evidence: Iterable[str]) -> list[str]:
    named = [found for one in evidence for found in _TURN.findall(one)]
    return [f"D{session}:{turn}" for session, turn in named]
