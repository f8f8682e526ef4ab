"""The library's front door over a network: the same operations, done by a server.

It holds no rule of the product: it sends what it was asked, and gives back the values that the
server answers. See `pinyon.client.MemoryClient`, which it is the twin of.
"""

import json
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack
from urllib.parse import quote

import anyio

from pinyon import wire
from pinyon.blocking import BlockingMemoryClient
from pinyon.domain.answers import (
    CatalogDocument,
    CatalogImported,
    EventListing,
    Exported,
    FedBack,
    Forgotten,
    History,
    Imported,
    Listing,
    Noted,
    Published,
    Recall,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.consent import Consent
from pinyon.domain.draft import Annotations, Details, Draft, When
from pinyon.domain.event import EventType
from pinyon.domain.feedback import Outcome
from pinyon.domain.filter import Filter, written_filter
from pinyon.domain.ids import memory_id as read_memory_id
from pinyon.domain.ids import turn_id as read_turn_id
from pinyon.domain.memory import Kind, Memory, Shelf
from pinyon.domain.principal import Principal
from pinyon.domain.question import AsOf, Filters, Meant, Narrowing, RecallContext
from pinyon.domain.receipt import Receipt
from pinyon.domain.session import Session, SessionMode
from pinyon.domain.space import Scope, Space
from pinyon.errors import (
    InvalidSetting,
    InvalidText,
    InvalidValue,
    PinyonError,
    ServerUnreachable,
    StoreClosed,
)
from pinyon.moving.documents import read_texts
from pinyon.moving.jsonl import read_row
from pinyon.ports.client import Progress, Rows

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 60.0
LINES = "application/x-ndjson"


class RemoteMemoryClient:
    """What one principal remembers, at a server. Use it as `MemoryClient`.

    Its methods are those of `pinyon.ports.client.Operations`, and raise the same errors; beside
    those `Unauthenticated`, `NotAllowed`, `RateLimited` and `ServerUnreachable`.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        names: Mapping[str, str | None],
        http: "httpx2.AsyncClient | None" = None,
    ) -> None:
        """Take what `pinyon.connect` was given; nothing is sent yet.

        Args:
            url: Where the server is.
            key: The credential.
            names: The user, agent and project that a header names each, where one is named.
            http: Through what to speak; by default an own one, which ends with this client.
        """
        self._url, self._key, self._names = url.rstrip("/"), key, dict(names)
        self._http, self._owns_http = http, http is None
        self._principal: Principal | None = None
        self._is_closed = False
        self._shell: BlockingMemoryClient | None = None

    @property
    def principal(self) -> Principal:
        """Whom this client speaks for, as the server says; known once it was entered or asked."""
        if self._principal is None:
            raise ServerUnreachable(self._url, "it was not asked yet; enter the client first")
        return self._principal

    def acting_for(self, user: str, *, agent: str | None = None) -> "RemoteMemoryClient":
        """Return a client for another user of the tenant; it takes a service's key.

        It ends with this one; closing it closes nothing.
        """
        names = {**self._names, "user": user, "agent": agent}
        return RemoteMemoryClient(self._url, self._key, names=names, http=self._speaking())

    # ── operations ───────────────────────────────────────────────────────────────────────────

    async def remember(
        self,
        text: str,
        *,
        recallable: bool | None = None,
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Keep what was said, before it is answered."""
        body = {"text": text, "recallable": recallable, **details}
        written: Written = await self._ask("remember", "POST", "memory/events", body, key=key)
        return written

    async def write(
        self,
        text: str,
        *,
        kind: Kind = "semantic",
        scope: Scope = "own",
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Write a fact, a procedure or a catalog entry, perhaps in the place of others."""
        body = {"text": text, "kind": kind, "scope": scope, **details}
        written: Written = await self._ask("write", "POST", "memory", body, key=key)
        return written

    async def write_many(
        self, drafts: Sequence[Draft], *, scope: Scope = "own", key: str | None = None
    ) -> tuple[Written, ...]:
        """Write up to 1,000 memories: all of them, or none."""
        body = {"memories": [_sent_draft(draft) for draft in drafts], "scope": scope}
        written: tuple[Written, ...] = await self._ask(
            "write_many", "POST", "memory/batch", body, key=key
        )
        return written

    async def recall(
        self, question: str, *, k: int = 10, given: bool = False, **narrowing: Unpack[Narrowing]
    ) -> Recall:
        """Return the memories that answer a question, best first; or none, and why."""
        body = {"query": question, "k": k, "given": given, **_sent_narrowing(narrowing)}
        recall: Recall = await self._ask("recall", "POST", "memory/search", body)
        return recall

    async def core_facts(self) -> tuple[Memory, ...]:
        """Return what an agent should know whatever is asked: at most 24, the weightiest first."""
        memories: tuple[Memory, ...] = await self._ask("core_facts", "GET", "memory/core")
        return memories

    async def warm(self) -> Warmed:
        """Load the model and the vectors, so that the first question need not wait for them."""
        warmed: Warmed = await self._ask("warm", "POST", "memory/warm")
        return warmed

    async def why_not(
        self, memory_id: str, question: str, *, k: int = 10, **narrowing: Unpack[Narrowing]
    ) -> WhyNot:
        """Return what becomes of one memory when a question is asked."""
        body = {"query": question, "k": k, **_sent_narrowing(narrowing)}
        answer: WhyNot = await self._ask("why_not", "POST", _of(memory_id, "why-not"), body)
        return answer

    async def show(self, memory_id: str) -> Memory:
        """Return one memory whole."""
        memory: Memory = await self._ask("show", "GET", _of(memory_id))
        return memory

    async def list(
        self,
        *,
        kinds: Sequence[Kind] = (),
        filters: Filters | None = None,
        scope: Scope = "own",
        shelf: Shelf = "open",
        cursor: str | None = None,
        limit: int = 50,
    ) -> Listing:
        """Return the memories of one space, newest first, whatever their status."""
        asked: dict[str, object] = {
            "kind": [*kinds],
            "scope": scope,
            "shelf": shelf,
            "limit": limit,
            "cursor": cursor,
            "filter": None if filters is None else _json(_sent_filter(filters)),
        }
        listing: Listing = await self._ask("list", "GET", "memory", query=asked)
        return listing

    async def events(
        self,
        *,
        session: str | None = None,
        query: str = "",
        types: Sequence[EventType] = (),
        scope: Scope = "own",
        cursor: str | None = None,
        limit: int = 50,
    ) -> EventListing:
        """Return what was said and done: in its order, or what a query's words find."""
        asked: dict[str, object] = {
            "session": session,
            "query": query,
            "type": [*types],
            "scope": scope,
            "cursor": cursor,
            "limit": limit,
        }
        listing: EventListing = await self._ask("events", "GET", "memory/events", query=asked)
        return listing

    async def history(self, memory_id: str) -> History:
        """Return what a memory superseded, how it changed, and who changed it."""
        history: History = await self._ask("history", "GET", _of(memory_id, "history"))
        return history

    async def edit(
        self, memory_id: str, *, version: int | None = None, **annotations: Unpack[Annotations]
    ) -> Memory:
        """Set annotations of a memory; what it says never changes in place."""
        return await self._act("edit", "PATCH", _of(memory_id), {**annotations}, version=version)

    async def retract(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Say that a memory was never true; it stays as history."""
        return await self._act("retract", "POST", _of(memory_id, "retract"), version=version)

    async def end(self, memory_id: str, *, at: When = None, version: int | None = None) -> Memory:
        """Say that a memory was true until an instant, by default now, and has no successor."""
        return await self._act("end", "POST", _of(memory_id, "end"), {"at": at}, version=version)

    async def hide(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take a memory out of recall; `release` or `undo` brings it back."""
        return await self._act("hide", "POST", _of(memory_id, "hide"), version=version)

    async def release(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Put a hidden, archived or quarantined memory back where recall looks."""
        return await self._act("release", "POST", _of(memory_id, "release"), version=version)

    async def undo(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take back the last act on a memory: superseding, retracting, ending or hiding it."""
        return await self._act("undo", "POST", _of(memory_id, "undo"), version=version)

    async def forget(
        self,
        ids: str | Sequence[str] = (),
        *,
        scope: Scope = "own",
        dry_run: bool = False,
        confirmed: bool = False,
        **meant: Unpack[Meant],
    ) -> Forgotten:
        """Erase what is named, with all that rests on it alone, and answer with a receipt."""
        named = [read_turn_id(one) for one in ((ids,) if isinstance(ids, str) else ids)]
        body = {"ids": named, "scope": scope, "dry_run": dry_run, "confirmed": confirmed, **meant}
        forgotten: Forgotten = await self._ask("forget", "POST", "memory/forget", body)
        return forgotten

    async def receipts(self, *, scope: Scope = "own") -> tuple[Receipt, ...]:
        """Return what is left of what was forgotten in a space, oldest first."""
        asked = {"scope": scope}
        found: tuple[Receipt, ...] = await self._ask(
            "receipts", "GET", "memory/receipts", query=asked
        )
        return found

    async def start_session(self, session: str, *, mode: SessionMode = "normal") -> Session:
        """Say what becomes of what is said in a session: kept, kept in it only, or not kept."""
        body = {"session": session, "mode": mode}
        started: Session = await self._ask("start_session", "POST", "sessions", body)
        return started

    async def end_session(self, session: str) -> Forgotten:
        """End a session; of a temporary one everything is forgotten."""
        body = {"session": session}
        forgotten: Forgotten = await self._ask("end_session", "POST", "sessions/end", body)
        return forgotten

    async def list_sessions(self) -> tuple[Session, ...]:
        """Return the sessions that were started and go on, oldest first."""
        found: tuple[Session, ...] = await self._ask("list_sessions", "GET", "sessions")
        return found

    async def consent(self) -> Consent:
        """Return what the user lets memory keep."""
        consent: Consent = await self._ask("consent", "GET", "consent")
        return consent

    async def set_consent(
        self, *, paused: bool | None = None, never: Sequence[str] | None = None
    ) -> Consent:
        """Say what memory may keep of the user; what is not named stays as it was."""
        body = {"paused": paused, "never": never}
        consent: Consent = await self._ask("set_consent", "PATCH", "consent", body)
        return consent

    async def feedback(
        self,
        ids: str | Sequence[str],
        outcome: Outcome,
        *,
        query: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Noted:
        """Say how it went with memories that were recalled."""
        named = [ids] if isinstance(ids, str) else ids
        body = {"ids": named, "outcome": outcome, "query": query, "session": session}
        noted: Noted = await self._ask("feedback", "POST", "memory/feedback", body, key=key)
        return noted

    async def export_feedback(self, *, scope: Scope = "own") -> AsyncIterator[FedBack]:
        """Return what was asked and how it went with what was recalled, oldest first."""
        headers = {"Accept": wire.MEDIA_TYPE}
        request = self._request("GET", "memory/feedback", query={"scope": scope}, headers=headers)
        async for line in self._streamed(request):
            yield wire.unpack_bit("export_feedback", line)

    async def publish(self, memory_id: str, *, scope: Scope = "project") -> Published:
        """Copy a memory into a space that others read, with whose it is."""
        body = {"scope": scope}
        published: Published = await self._ask("publish", "POST", _of(memory_id, "publish"), body)
        return published

    async def withdraw(self, memory_id: str, *, scope: Scope | None = None) -> Published:
        """Take back the copies of a memory: those in one space, or all."""
        body = {"scope": scope}
        left: Published = await self._ask("withdraw", "POST", _of(memory_id, "withdraw"), body)
        return left

    async def export(self, *, scope: Scope = "own") -> AsyncIterator[Exported]:
        """Return everything that a space holds, oldest first, without loss."""
        request = self._request("GET", "memory/export", query={"scope": scope})
        space: Space | None = None
        number = 0
        async for line in self._streamed(request):
            number += 1
            row = json.loads(line)
            if space is None:
                space = Space.parse(str(row.get("space")))
            read = read_row(row, space, name=self._url, line=number)
            if isinstance(read, Exported):
                yield read

    async def import_rows(
        self,
        rows: Rows,
        *,
        scope: Scope = "own",
        name: str = "import",
        progress: Progress | None = None,
    ) -> Imported:
        """Keep the rows of an export, or plain ones; what is there already is not doubled."""
        asked = {"scope": scope, "name": name}
        lines = _lines_of(rows, progress)
        imported: Imported = await self._ask(
            "import_rows", "POST", "memory/import", query=asked, lines=lines
        )
        return imported

    async def import_catalog(
        self,
        path: Path | str,
        *,
        scope: Scope = "shared",
        name: str | None = None,
        progress: Progress | None = None,
    ) -> CatalogImported:
        """Make the catalog equal to the documents of a folder, or to one document.

        They are read here, and sent.
        """
        read = await anyio.to_thread.run_sync(read_texts, Path(path), name)
        asked = {
            "name": read.name,
            "scope": scope,
            "is_whole": read.is_whole,
            "skipped": read.skipped,
        }
        rows = ({"name": of, "text": text} for of, text in read.texts.items())
        imported: CatalogImported = await self._ask(
            "import_catalog", "PUT", "catalog", query=asked, lines=_lines_of(rows, progress)
        )
        return imported

    async def list_catalog(self, *, scope: Scope = "shared") -> tuple[CatalogDocument, ...]:
        """Return the documents of a catalog, by what they were imported as and by name."""
        asked = {"scope": scope}
        found: tuple[CatalogDocument, ...] = await self._ask(
            "list_catalog", "GET", "catalog", query=asked
        )
        return found

    # ── how it is asked ──────────────────────────────────────────────────────────────────────

    async def _act(
        self,
        operation: str,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        version: int | None,
    ) -> Memory:
        memory: Memory = await self._ask(operation, method, path, body, version=version)
        return memory

    async def _ask(  # noqa: PLR0913 - what a request is made of
        self,
        operation: str,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        query: Mapping[str, object] | None = None,
        key: str | None = None,
        version: int | None = None,
        lines: AsyncIterator[bytes] | None = None,
    ) -> Any:
        headers = {"Accept": wire.MEDIA_TYPE}
        if key is not None:
            headers["Idempotency-Key"] = _header("key", key)
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        request = self._request(method, path, body=body, query=query, headers=headers, lines=lines)
        response = await self._sent(request)
        try:
            return wire.unpack(operation, response.content)
        except ValueError as error:
            why = "it answers in another form; are client and server of one version?"
            raise ServerUnreachable(self._url, why) from error

    def _request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        lines: AsyncIterator[bytes] | None = None,
    ) -> "httpx2.Request":
        sent = {
            "Authorization": f"Bearer {self._key}",
            "Accept": wire.MEDIA_TYPE,
            **(headers or {}),
        }
        for what, name in self._names.items():
            if name is not None:
                sent[f"Pinyon-{what.capitalize()}"] = quote(name, safe="")
        content: bytes | AsyncIterator[bytes] | None = lines
        if lines is not None:
            sent["Content-Type"] = LINES
        elif body is not None:
            sent["Content-Type"] = "application/json"
            content = _json(body).encode("utf-8", "surrogatepass")
        params = {name: value for name, value in (query or {}).items() if value is not None}
        # A stream takes as long as there is something to send.
        timeout = _http().Timeout(TIMEOUT_S, read=None if lines is not None else TIMEOUT_S)
        return self._speaking().build_request(
            method,
            f"{self._url}/v1/{path}",
            params=params,  # type: ignore[arg-type]
            headers=sent,
            content=content,
            timeout=timeout,
        )

    async def _sent(self, request: "httpx2.Request", *, stream: bool = False) -> "httpx2.Response":
        try:
            response = await self._speaking().send(request, stream=stream)
            if response.is_success:
                return response
            await response.aread()
        except _http().HTTPError as error:
            why = str(error) or type(error).__name__
            raise ServerUnreachable(self._url, why) from error
        raise _error_of(response, self._url)

    async def _streamed(self, request: "httpx2.Request") -> AsyncIterator[str]:
        """Yield the lines of an answer as they come.

        Raises:
            ServerUnreachable: It broke off before its end.
        """
        response = await self._sent(request, stream=True)
        try:
            async for line in response.aiter_lines():
                yield line
        except _http().HTTPError as error:
            raise ServerUnreachable(self._url, f"the answer broke off: {error}") from error
        finally:
            await response.aclose()

    def _speaking(self) -> "httpx2.AsyncClient":
        if self._is_closed:
            raise StoreClosed
        if self._http is None:
            httpx2 = _http()
            self._http = httpx2.AsyncClient(trust_env=False, follow_redirects=False)
        return self._http

    # ── life ─────────────────────────────────────────────────────────────────────────────────

    async def open(self) -> None:
        """Ask the server whom this client speaks for.

        Raises:
            Unauthenticated: The key opens nothing there.
            ServerUnreachable: No Pinyon answers there.
        """
        response = await self._sent(self._request("GET", "me"))
        self._principal = _principal_of(json.loads(response.content))

    async def close(self) -> None:
        """Let go of the connections. Closing twice is closing once."""
        self._is_closed = True
        if self._owns_http and self._http is not None:
            http, self._http = self._http, None
            await http.aclose()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def __enter__(self) -> BlockingMemoryClient:
        self._shell = BlockingMemoryClient(self)
        return self._shell.__enter__()

    def __exit__(self, *exc: object) -> None:
        if self._shell is not None:
            self._shell.close()


def _http() -> Any:
    try:
        import httpx2  # noqa: PLC0415 - only where a server is asked
    except ImportError:
        needed = "pinyon.connect needs httpx2: pip install 'pinyon[endpoint]'"
        raise InvalidSetting("url", needed) from None
    return httpx2


def _of(memory_id: str, act: str = "") -> str:
    path = f"memory/{read_memory_id(memory_id)}"
    return f"{path}/{act}" if act else path


def _json(value: object) -> str:
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValue("argument", type(value).__name__, f"plain JSON ({error})") from None


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset | tuple) or hasattr(value, "__iter__"):
        return [*value]
    raise TypeError(f"{type(value).__name__} is not plain")


def _header(what: str, value: str) -> str:
    if not isinstance(value, str) or not value.isascii() or not value.isprintable():
        raise InvalidText(what, "is sent as a header here: printable ASCII, please")
    return value


def _sent_draft(draft: Draft) -> dict[str, object]:
    if not isinstance(draft, Draft):
        raise InvalidValue("draft", draft, "a pinyon.Draft")
    usual = Draft(text="")
    fields = {name: getattr(draft, name) for name in Draft.__slots__}
    return {
        name: value
        for name, value in fields.items()
        if name == "text" or value != getattr(usual, name)
    }


def _sent_narrowing(narrowing: Narrowing) -> dict[str, object]:
    sent: dict[str, object] = {**narrowing}
    filters, as_of, context = (sent.get(name) for name in ("filters", "as_of", "context"))
    if filters is not None:
        sent["filters"] = _sent_filter(filters)
    if isinstance(as_of, AsOf):
        sent["as_of"] = {"valid": as_of.valid, "known": as_of.known}
    if isinstance(context, RecallContext):
        sent["context"] = {name: getattr(context, name) for name in RecallContext.__slots__}
    return sent


def _sent_filter(filters: object) -> object:
    return written_filter(filters) if isinstance(filters, Filter) else filters


async def _lines_of(rows: Rows, progress: Progress | None) -> AsyncIterator[bytes]:
    count = 0
    if isinstance(rows, AsyncIterable):
        async for row in rows:
            count += 1
            yield _line(row, count, progress)
    else:
        for row in rows:
            count += 1
            yield _line(row, count, progress)


def _line(row: Mapping[str, object] | None, count: int, progress: Progress | None) -> bytes:
    if progress is not None:
        progress(count)
    return b"\n" if row is None else _json(row).encode("utf-8", "surrogatepass") + b"\n"


def _principal_of(told: Mapping[str, Any]) -> Principal:
    return Principal(
        tenant=told["tenant"],
        user=told["user"] or "",
        agent=told["agent"],
        project=told["project"],
        reads=tuple(Space.parse(space) for space in told["reads"]),
        writes=tuple(Space.parse(space) for space in told["writes"]),
        role=told["role"],
        credential_id=told["credential_id"],
    )


def _error_of(response: "httpx2.Response", url: str) -> PinyonError:
    try:
        told = json.loads(response.content)
        return wire.error_of(told["code"], told["detail"], told.get("facts", {}))
    except (ValueError, KeyError, TypeError):
        why = f"it answers with status {response.status_code} and no problem of ours"
        return ServerUnreachable(url, why)
