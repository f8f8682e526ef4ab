"""Answers for whoever runs the place, as JSON: none of them holds a word of any memory."""

from collections.abc import Sequence

from pinyon.access.authenticating import Caller
from pinyon.domain.answers import Reembedded, Verified
from pinyon.domain.credential import ApiKey
from pinyon.domain.grant import Grant
from pinyon.domain.job import Job
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.ports.journal import Entry
from pinyon.ports.registry import SpaceInfo
from pinyon.surfaces.encode import Json


def space(answer: SpaceInfo) -> Json:
    """Return one of the spaces that `spaces` lists."""
    return {
        "space": str(answer.space),
        "memories": answer.memories,
        "events": answer.events,
        "bytes": answer.bytes,
        "seq": answer.seq,
        "created_at": show_instant(answer.created_at_us),
    }


def grants(answer: Sequence[Grant]) -> Json:
    """Return what `grants` lists."""
    return {
        "grants": [
            {"space": str(one.space), "user": one.user, "may": one.permission} for one in answer
        ]
    }


def caller(answer: Caller) -> Json:
    """Return for whom a credential speaks; nobody where it is for no user."""
    who = answer.principal
    return {
        "tenant": answer.tenant,
        "role": answer.role,
        "credential_id": answer.credential_id,
        "user": None if who is None else who.user,
        "agent": None if who is None else who.agent,
        "project": None if who is None else who.project,
        "reads": [] if who is None else [str(space) for space in who.reads],
        "writes": [] if who is None else [str(space) for space in who.writes],
    }


def audit(answer: Sequence[Entry]) -> Json:
    """Return lines of a journal; `next_after` is where the next ones begin, `null` at the end."""
    return {
        "entries": [
            {
                "n": one.n,
                "at": show_instant(one.at_us),
                "actor": one.actor,
                "surface": one.surface,
                "action": one.action,
                "target": one.target,
            }
            for one in answer
        ],
        "next_after": answer[-1].n if answer else None,
    }


def job(answer: Job) -> Json:
    """Return a piece of background work; its arguments are ids, and are left out."""
    return {
        "id": answer.id,
        "task": answer.task,
        "state": answer.state,
        "priority": answer.priority,
        "run_at": show_instant(answer.run_at_us),
        "attempts": answer.attempts,
        "last_error": answer.last_error,
    }


def jobs(answer: Sequence[Job]) -> Json:
    """Return the background work of a space."""
    return {"jobs": [job(one) for one in answer]}


def placed_job(answer: tuple[Space, Job]) -> Json:
    """Return a piece of background work, and the space that it is for."""
    space, of_it = answer
    return {"space": str(space), **job(of_it)}


def placed_jobs(answer: Sequence[tuple[Space, Job]]) -> Json:
    """Return the background work of several spaces."""
    return {"jobs": [placed_job(one) for one in answer]}


def key(answer: ApiKey) -> Json:
    """Return an API key, without what opens anything."""
    return {
        "id": answer.id,
        "tenant": answer.tenant,
        "role": answer.role,
        "user": answer.user,
        "agent": answer.agent,
        "project": answer.project,
        "name": answer.name,
        "created_at": show_instant(answer.created_at_us),
        "expires_at": _at(answer.expires_at_us),
        "last_used_at": _at(answer.last_used_at_us),
        "revoked_at": _at(answer.revoked_at_us),
    }


def created_key(answer: tuple[ApiKey, str]) -> Json:
    """Return a key that was made, and what its holder sends: the only time that it is shown."""
    made, shown = answer
    return {"key": shown, **key(made)}


def keys(answer: Sequence[ApiKey]) -> Json:
    """Return what `keys list` lists."""
    return {"keys": [key(one) for one in answer]}


def verified(answer: Verified) -> Json:
    """Return what `verify` found in one space."""
    return {
        "space": None if answer.space is None else str(answer.space),
        "findings": list(answer.findings),
        "mended": list(answer.mended),
    }


def reembedded(answer: Reembedded) -> Json:
    """Return what `reembed` did in one space."""
    return {"space": str(answer.space), "memories": answer.memories, "made": answer.made}


def _at(us: int | None) -> str | None:
    return None if us is None else show_instant(us)
