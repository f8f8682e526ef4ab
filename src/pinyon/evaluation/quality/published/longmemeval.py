"""LongMemEval: questions, each with a haystack of sessions of its own. Unit: a turn."""

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

_UNANSWERED = "_abs"


def load(path: Path) -> Corpus:
    """Read one of the three files.

    Raises:
        InvalidFile: It is none of them.
    """
    instances = json_of(path)
    with shape_of(path, "a file of LongMemEval"):
        read = [_tenant(instance) for instance in instances]
    return Corpus(
        name=path.stem,
        tenants=tuple(tenant for tenant, _ in read),
        shortened=sum(cut for _, cut in read),
    )


def _tenant(instance: Any) -> tuple[Tenant, int]:
    rows, evidence = Rows(), []
    sessions = zip(
        instance["haystack_session_ids"],
        [dated(told, "%Y/%m/%d %H:%M", _without_weekday) for told in instance["haystack_dates"]],
        instance["haystack_sessions"],
        strict=True,
    )
    # The oracle file has them in another order than that of time.
    for session, began, turns in sorted(sessions, key=lambda one: (one[1] is None, one[1])):
        for place, turn in enumerate(turns):
            row_id = f"{session}:{place}"
            fields = {"text": turn["content"], "speaker": turn["role"], "session": session}
            later = timedelta(seconds=SECONDS_A_TURN * place)
            rows.add(row_id, fields, None if began is None else began + later)
            if turn.get("has_answer"):
                evidence.append(row_id)
    is_near = instance["question_id"].endswith(_UNANSWERED)
    asked = Asked(
        id=instance["question_id"],
        text=instance["question"],
        category="abstention" if is_near else instance["question_type"],
        evidence=() if is_near else rows.evidence(evidence),
        abstain="near" if is_near else None,
    )
    tenant = Tenant(
        name=instance["question_id"],
        rows=tuple(rows.rows),
        questions=(asked,) if asked.evidence or is_near else (),
    )
    return tenant, rows.shortened


def _without_weekday(told: str) -> str:
    """Turn `2023/05/20 (Sat) 02:21` into what has no name of a day."""
    date, _, rest = told.partition(" (")
    return f"{date} {rest.partition(') ')[2]}"
