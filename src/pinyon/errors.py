"""The whole error tree on one screen.

PinyonError                     a bug in Pinyon unless a subclass says otherwise
├── BadInput                    what was asked cannot be asked
│   ├── InvalidName             a tenant, user, agent, project or space
│   ├── InvalidId               not an id of that kind
│   ├── InvalidTime             no RFC 3339 instant with an offset
│   ├── InvalidText             empty, or not text
│   ├── InvalidValue            any other field outside its range
│   ├── NothingToEdit           an edit that changes nothing
│   ├── InvalidFilter           a filter that says nothing
│   ├── UnknownField            a field that no memory has
│   ├── UnsupportedFilter       a field that this store cannot compare so
│   ├── InvalidCursor           a cursor that this list did not give
│   ├── InvalidFile             a file that is no export, backup or home
│   └── InvalidSetting          a setting outside its range
├── NotFound                    no memory with this id, for this principal
├── Conflict                    somebody else was first
│   ├── VersionConflict         a memory changed since it was read
│   ├── AlreadyThere            something that must not be there is
│   ├── PublishedCopy           a copy, which follows what it was made from
│   ├── Superseded              a memory that another one has replaced already
│   ├── NothingToUndo           no act on a memory that could be taken back
│   ├── KeyReused               an idempotency key with another request
│   ├── SessionUnderWay         a session that cannot be started in that mode now
│   ├── SessionChanged          a session ended, or began anew, while something was said in it
│   ├── TemporarySession        what was said in a temporary session stays in it
│   ├── LeaseLost               a job that this worker no longer holds
│   └── NotEmpty                a target that must be empty is not
├── Refused                     understood, and not kept
│   ├── TooLarge                more than one memory may hold
│   ├── Sensitive               it holds what this tenant's policy refuses
│   ├── NotWanted               its user does not want it kept
│   └── WasForgotten            a capture of what somebody asked to forget
├── Unauthenticated             no credential, or one that is none
├── Forbidden                   this principal may not write there
│   └── NotAllowed              this credential's role may not do that, or not for that user
├── Unavailable                 try again, or mend the place
│   ├── StoreBusy               another process holds the space for too long
│   ├── StoreCorrupt            a file of the store cannot be read
│   ├── StoreTooNew             written by a newer Pinyon
│   ├── StoreReadOnly           the home cannot be written, or its disk is full
│   ├── StoreClosed             used after closing
│   ├── CopiesBehind            a published copy cannot be taken back now
│   ├── ModelUnavailable        a model cannot be loaded, or fails
│   ├── BadModelOutput          a chat model's answer cannot be read, not even the second one
│   ├── OtherModel              a space's vectors are of another model
│   ├── IssuerUnavailable       the keys of the issuer of tokens cannot be fetched
│   ├── BudgetSpent             models may be asked no more today
│   ├── RateLimited             more requests than this credential may make
│   └── ServerUnreachable       no Pinyon answers at that address
└── ForeignHit                  a store answered with another space's memory: always a bug
"""

from collections.abc import Mapping
from typing import ClassVar, Literal

NotKept = Literal["paused", "session_off", "topic", "recalled"]
"""Why something was not kept: the user paused memory; the session is off, or over; it speaks of a
topic that is never kept; it is what memory itself had handed to a model."""


class PinyonError(Exception):
    """The root of everything that Pinyon raises on purpose."""

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500


class BadInput(PinyonError):
    """What was asked cannot be asked."""

    code = "bad_input"
    exit_code = 2
    http_status = 400


class InvalidName(BadInput):
    """A tenant, user, agent, project or space is not a name."""

    code = "invalid_name"

    def __init__(self, what: str, value: object, why: str) -> None:
        self.what, self.value = what, value
        shown = _short(value)
        super().__init__(f"{what} {shown} {why}; give 1-200 bytes of text without controls")


class InvalidId(BadInput):
    """A text is not an id of the kind that was asked for."""

    code = "invalid_id"

    def __init__(self, value: object, *, prefix: str) -> None:
        self.value, self.prefix = value, prefix
        why = "is no id"
        if prefix == "mem" and isinstance(value, str) and value.startswith("evt_"):
            why = "is an event's, which `events` shows; a memory's is asked for"
        super().__init__(
            f"{_short(value)} {why}; one reads {prefix}_ and 32 hex digits, as `list` shows them"
        )


class InvalidTime(BadInput):
    """A text is not an instant with an offset."""

    code = "invalid_time"

    def __init__(
        self, value: object, why: str = "is not an RFC 3339 instant", *, field: str = ""
    ) -> None:
        self.value, self.why, self.field = value, why, field
        named = f"{field}: {_short(value)}" if field else _short(value)
        super().__init__(f"{named} {why}; write it as 2026-03-02T09:00:00+00:00, with its offset")


class InvalidText(BadInput):
    """A text is empty, or no text at all."""

    code = "invalid_text"

    def __init__(self, field: str, why: str) -> None:
        self.field = field
        super().__init__(f"{field} {why}")


class InvalidValue(BadInput):
    """A field is outside its range."""

    code = "invalid_value"

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field, self.value = field, value
        super().__init__(f"{field} is {_short(value)}; it must be {allowed}")


class NothingToEdit(BadInput):
    """An edit names no annotation."""

    code = "nothing_to_edit"

    def __init__(self) -> None:
        super().__init__("nothing is to be changed; name a title, tags, importance or the like")


class InvalidFilter(BadInput):
    """A filter does not read as an expression."""

    code = "invalid_filter"

    def __init__(self, why: str) -> None:
        super().__init__(
            f'{why}; a filter reads {{"kind": "semantic", "importance": {{"gte": 0.5}}}}'
        )


class UnknownField(BadInput):
    """A filter names a field that no memory has, or a request one that it cannot have."""

    code = "unknown_field"

    def __init__(self, field: str, known: tuple[str, ...]) -> None:
        self.field = field
        there = ", ".join(known) or "none"
        super().__init__(f"there is no field {_short(field)} here; there are {there}")


class UnsupportedFilter(BadInput):
    """A store cannot compare this field in this way."""

    code = "unsupported_filter"

    def __init__(self, field: str, operator: str) -> None:
        self.field, self.operator = field, operator
        super().__init__(f"field {_short(field)} cannot be compared by {_short(operator)}")


class InvalidCursor(BadInput):
    """A cursor was not given by this list."""

    code = "invalid_cursor"

    def __init__(self, cursor: str) -> None:
        super().__init__(f"cursor {_short(cursor)} is none of ours; start again without one")


class InvalidFile(BadInput):
    """A file is not what it was taken for."""

    code = "invalid_file"

    def __init__(self, path: str, why: str, *, line: int | None = None) -> None:
        self.path, self.line = path, line
        place = path if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {why}")


class InvalidSetting(BadInput):
    """A setting is unknown or outside its range."""

    code = "invalid_setting"

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        super().__init__(f"setting {name}: {why}")


class NotFound(PinyonError):
    """No memory with this id, as far as this principal can see.

    A foreign id and one that never was are told in the same words, on purpose.
    """

    code = "not_found"
    exit_code = 5
    http_status = 404

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} is not there; `pinyon list` shows what is")


class Conflict(PinyonError):
    """Somebody else was first."""

    code = "conflict"
    exit_code = 6
    http_status = 409


class VersionConflict(Conflict):
    """A memory changed since it was read.

    Or it awaits nothing any more, because somebody else has done that.
    """

    code = "version_conflict"

    def __init__(self, memory_id: str, *, expected: int, actual: int | None) -> None:
        self.memory_id, self.expected, self.actual = memory_id, expected, actual
        found = f"is at version {actual}, not at {expected}"
        if actual is None:
            found = f"is gone, not at {expected}"
        elif actual == expected:
            found = "awaits nothing any more"
        super().__init__(f"{memory_id} {found}; read it again and decide anew")


class AlreadyThere(Conflict):
    """A memory is there that a change counted on not being there."""

    code = "already_there"

    def __init__(self, memory_id: str) -> None:
        self.memory_id = memory_id
        super().__init__(f"{memory_id} is there by now; read it and decide anew")


class PublishedCopy(Conflict):
    """A memory is a copy of another one, and follows it; acts on it would be taken back."""

    code = "published_copy"

    def __init__(self, memory_id: str) -> None:
        self.memory_id = memory_id
        super().__init__(
            f"{memory_id} is a copy that follows what it was published from; its owner changes or "
            "withdraws that, and anybody may write beside it"
        )


class Superseded(Conflict):
    """A memory was replaced by another one, which is the one to act on."""

    code = "superseded"

    def __init__(self, memory_id: str, *, by: str) -> None:
        self.memory_id, self.by = memory_id, by
        super().__init__(f"{memory_id} was superseded by {by}; name that one, or nothing is done")


class NothingToUndo(Conflict):
    """No act on a memory is left that could be taken back."""

    code = "nothing_to_undo"

    def __init__(self, memory_id: str, why: str) -> None:
        self.memory_id = memory_id
        super().__init__(f"nothing to undo at {memory_id}: {why}")


class KeyReused(Conflict):
    """An idempotency key came with another request than the first time."""

    code = "key_reused"
    http_status = 422

    def __init__(self, key: str) -> None:
        super().__init__(
            f"idempotency key {_short(key)} belongs to another request; take a new one"
        )


class SessionUnderWay(Conflict):
    """A session cannot be started in a mode, because of what was said in it already."""

    code = "session_under_way"

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; end it first, or take another name for the session")


class SessionChanged(Conflict):
    """A session ended, or was started in another mode, while something was said in it."""

    code = "session_changed"

    def __init__(self) -> None:
        super().__init__("the session was ended or started anew meanwhile; say it again")


class TemporarySession(Conflict):
    """What was said in a temporary session stays in it."""

    code = "temporary_session"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}: what is said in a temporary session stays in it; say it in another session, "
            "or write it without one"
        )


class LeaseLost(Conflict):
    """A job was cancelled, or is another worker's by now; nothing that belongs to it was done."""

    code = "lease_lost"

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(f"{job_id} was cancelled or given to another worker; let it go")


class NotEmpty(Conflict):
    """A target that must be empty is not."""

    code = "not_empty"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"{path} is not empty; name a folder that does not exist yet")


class Refused(PinyonError):
    """Understood, and not kept."""

    code = "refused"
    exit_code = 7
    http_status = 422


class TooLarge(Refused):
    """More than one memory, or one request, may hold."""

    code = "too_large"
    http_status = 413

    def __init__(self, field: str, *, size: int, limit: int, unit: str, hint: str) -> None:
        self.field, self.size, self.limit = field, size, limit
        super().__init__(f"{field} has {size:,} {unit}, at most {limit:,} fit; {hint}")


class WasForgotten(Refused):
    """Something was captured again that somebody asked to forget."""

    code = "was_forgotten"

    def __init__(self, forgotten_at: str) -> None:
        self.forgotten_at = forgotten_at
        super().__init__(
            f"this was forgotten at {forgotten_at} and is not captured again; `pinyon write` keeps "
            "it on purpose"
        )


class Sensitive(Refused):
    """A field holds what the tenant's policy refuses; what it is, is not repeated."""

    code = "sensitive"

    def __init__(self, field: str, category: str) -> None:
        self.field, self.category = field, category
        super().__init__(
            f"{field} holds a {category}, which is refused here; leave it out, or let the setting "
            "PINYON_GATE redact it"
        )


class NotWanted(Refused):
    """Its user does not want it kept; of a topic it is not said which."""

    code = "not_wanted"

    def __init__(self, reason: NotKept) -> None:
        self.reason = reason
        super().__init__(_NOT_WANTED[reason])


_NOT_WANTED: Mapping[NotKept, str] = {
    "paused": "the user paused memory; `pinyon consent --resume` lets it keep things again",
    "session_off": "nothing is kept of this session, which is off or over; name another one",
    "recalled": "it is what memory itself had brought; keep what was said around it",
    "topic": "it speaks of a topic that the user never wants kept; `pinyon consent` lists them",
}


class Unauthenticated(PinyonError):
    """There is no credential, or it is none that opens anything here.

    One that was revoked, one that has expired and one that never was are told in the same words.
    """

    code = "unauthenticated"
    exit_code = 4
    http_status = 401

    def __init__(self, why: str = "no credential was given") -> None:
        super().__init__(
            f"{why}; send `Authorization: Bearer pyn_…`, with a key that `pinyon keys create` made"
        )


class Forbidden(PinyonError):
    """This principal may not write there."""

    code = "forbidden"
    exit_code = 4
    http_status = 403

    def __init__(self, space: str) -> None:
        self.space = space
        super().__init__(f"this principal may not write to {space}")


class NotAllowed(Forbidden):
    """What was asked is nothing for this credential's role, or for the user it speaks for."""

    code = "not_allowed"

    def __init__(self, why: str) -> None:
        self.space = ""
        PinyonError.__init__(self, why)


class Unavailable(PinyonError):
    """Nothing is wrong with the request; the place must be mended or waited for."""

    code = "unavailable"
    exit_code = 8
    http_status = 503


class StoreBusy(Unavailable):
    """Another process holds the space for too long."""

    code = "store_busy"

    def __init__(self, waited_s: float) -> None:
        self.waited_s = waited_s
        super().__init__(f"another process has been writing for {waited_s:.0f} s; try again")


class StoreCorrupt(Unavailable):
    """A file of the store cannot be read."""

    code = "store_corrupt"

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        super().__init__(
            f"{path} cannot be read ({why}); run `pinyon doctor`, then `pinyon verify --fix`, "
            "or `pinyon restore` from a backup; other spaces are not affected"
        )


class StoreTooNew(Unavailable):
    """A file was written by a newer Pinyon."""

    code = "store_too_new"

    def __init__(self, path: str, *, found: int, known: int) -> None:
        self.path, self.found, self.known = path, found, known
        super().__init__(
            f"{path} has schema {found}, this Pinyon knows up to {known}; upgrade Pinyon"
        )


class StoreReadOnly(Unavailable):
    """The home cannot be written, or its disk is full."""

    code = "store_read_only"

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        super().__init__(f"cannot write to {path} ({why}); free space or mend its permissions")


class StoreClosed(Unavailable):
    """A store or client was used after it was closed."""

    code = "store_closed"

    def __init__(self) -> None:
        super().__init__("this client is closed; open another")


class CopiesBehind(Unavailable):
    """Copies in other spaces have not been taken back; to go on would leave them there."""

    code = "copies_behind"

    def __init__(self, space: str) -> None:
        self.space = space
        super().__init__(
            f"copies in {space} cannot be taken back now, and nothing was forgotten; try again"
        )


class ModelUnavailable(Unavailable):
    """A model cannot be loaded, or fails; what can be done without it goes on."""

    code = "model_unavailable"

    def __init__(self, model: str, why: str) -> None:
        self.model = model
        super().__init__(f"model {model} cannot be used ({why}); run `pinyon models doctor`")


class BadModelOutput(Unavailable):
    """A chat model answered what cannot be read, and again after it was told why."""

    code = "bad_model_output"

    def __init__(self, model: str, why: str, *, tokens: int = 0) -> None:
        self.model, self.why, self.tokens = model, why, tokens
        super().__init__(
            f"what model {model} answered cannot be read ({why}), and nothing was made of it; try "
            "again, or set a larger model in PINYON_CHAT"
        )


class OtherModel(Unavailable):
    """A space's vectors were made by another model; vectors of two never meet."""

    code = "other_model"

    def __init__(self, space: str, *, serving: str, asked: str) -> None:
        self.space, self.serving, self.asked = space, serving, asked
        super().__init__(
            f"{space} has vectors of {serving}, not of {asked}; run `pinyon reembed`, or set the "
            "model that it was built with"
        )


class IssuerUnavailable(Unavailable):
    """The keys by which an issuer's tokens are checked cannot be fetched; API keys go on."""

    code = "issuer_unavailable"

    def __init__(self, url: str, why: str) -> None:
        self.url = url
        super().__init__(
            f"the keys of the issuer at {url} cannot be fetched ({why}); see whether it runs, and "
            "correct PINYON_JWT_JWKS_URL; API keys go on being accepted"
        )


class BudgetSpent(Unavailable):
    """What models may cost in a day is spent; what needs one waits for the next day."""

    code = "budget_spent"
    http_status = 429

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        hours, minutes = divmod(-(-retry_after_s // 60), 60)
        super().__init__(
            f"today's budget for chat models is spent; it begins anew in {hours} h {minutes} min. "
            "Wait, raise PINYON_BUDGET, or go on without a model: PINYON_CHAT=off"
        )


class RateLimited(Unavailable):
    """A credential makes more requests than it may."""

    code = "rate_limited"
    http_status = 429

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"too many requests; try again in {retry_after_s} s")


class ServerUnreachable(Unavailable):
    """No Pinyon answers at an address, or not in time."""

    code = "server_unreachable"

    def __init__(self, url: str, why: str) -> None:
        self.url = url
        super().__init__(f"no Pinyon answers at {url} ({why}); is `pinyon serve` running there?")


class ForeignHit(PinyonError):
    """A store answered with another space's memory; the request is stopped rather than answered."""

    code = "foreign_hit"

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"the store returned {memory_id} of another space; please report this bug")


def errors_by_code() -> Mapping[str, type[PinyonError]]:
    """Return every error class under its code."""

    def walk(cls: type[PinyonError]) -> list[type[PinyonError]]:
        return [cls, *(below for child in cls.__subclasses__() for below in walk(child))]

    return {cls.code: cls for cls in walk(PinyonError)}


def _short(value: object) -> str:
    """Return a value as it may stand in a message: its beginning, never somebody's whole text."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
