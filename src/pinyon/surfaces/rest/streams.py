"""Routes whose requests or answers are too large to be held: lines of JSON, one by one."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Annotated

import anyio
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from pinyon import wire
from pinyon.domain.answers import FedBack
from pinyon.domain.space import Scope
from pinyon.errors import BadInput, InvalidFile, TooLarge
from pinyon.moving.documents import DOCUMENT_BYTES_MAX, Texts
from pinyon.moving.jsonl import EXPECTED, header, row_of
from pinyon.surfaces import encode
from pinyon.surfaces.rest import guards
from pinyon.surfaces.rest.asking import Reading, Writing
from pinyon.surfaces.rest.problems import wants_values

router = APIRouter(prefix="/v1", tags=["moving"])

LINES = "application/x-ndjson"
LINE_BYTES_MAX = DOCUMENT_BYTES_MAX + 1024 * 1024
STREAM_BYTES_MAX = 1024 * 1024 * 1024
DOCUMENTS_BYTES_MAX = 256 * 1024 * 1024
"""Documents are read whole before anything is changed."""

IMPORT = "/v1/memory/import"
CATALOG = "/v1/catalog"
STREAMS = (("POST", IMPORT), ("PUT", CATALOG))


@router.get("/memory/export", name="export", response_class=Response)
async def export(asked: Reading, scope: Scope = "own") -> Response:
    """Export everything that a space holds, as lines of JSON, without loss."""
    rows = asked.client.export(scope=scope)
    space = asked.client.principal.space(scope, to="read")
    # The first row before the answer begins: what is refused is refused with a status.
    first = await anext(rows, None)

    async def lines() -> AsyncIterator[bytes]:
        yield _line(header(space))
        if first is not None:
            yield _line(row_of(first))
            async for row in rows:
                yield _line(row_of(row))

    name = scope if scope != "own" else "memories"
    disposition = f'attachment; filename="{name}.jsonl"'
    return StreamingResponse(
        lines(), media_type=LINES, headers={"Content-Disposition": disposition}
    )


@router.get("/memory/feedback", name="export_feedback", response_class=Response)
async def export_feedback(request: Request, asked: Reading, scope: Scope = "own") -> Response:
    """Export what was asked and how it went with what was recalled, as JSON lines, for tuning."""
    pairs = asked.client.export_feedback(scope=scope)
    as_values = wants_values(request)
    first = await anext(pairs, None)

    def line_of(pair: FedBack) -> bytes:
        if as_values:
            return wire.pack_bit("export_feedback", pair) + b"\n"
        return _line(encode.fed_back(pair))

    async def lines() -> AsyncIterator[bytes]:
        if first is not None:
            yield line_of(first)
            async for pair in pairs:
                yield line_of(pair)

    return StreamingResponse(lines(), media_type=wire.MEDIA_TYPE if as_values else LINES)


@router.post("/memory/import", name="import_rows")
async def import_rows(
    request: Request,
    asked: Writing,
    scope: Scope = "own",
    name: Annotated[str, Query(max_length=200, description="For messages.")] = "import",
) -> Response:
    """Import an export, or plain rows like {"text": "…"}; doing it twice is doing it once."""
    rows = _rows(request, name, at_most=STREAM_BYTES_MAX)
    imported = await asked.client.import_rows(rows, scope=scope, name=name)
    return asked.answer("import_rows", imported, encode.imported)


@router.put("/catalog", name="import_catalog")
async def import_catalog(
    request: Request,
    asked: Writing,
    name: Annotated[str, Query(max_length=200, description="What it is imported as.")],
    scope: Scope = "shared",
    is_whole: Annotated[
        bool, Query(description="What was imported under this name before and is missing goes.")
    ] = True,
    skipped: Annotated[int, Query(ge=0, description="Files left out, for the answer.")] = 0,
) -> Response:
    """Make a catalog equal to documents, each a line {"name": "a.md", "text": "…"}."""
    texts: dict[str, str] = {}
    async for row in _rows(request, name, at_most=DOCUMENTS_BYTES_MAX):
        if row is not None:
            of, text = _document_of(row, name, len(texts) + 1)
            texts[of] = text
    read = Texts(name=name, texts=texts, is_whole=is_whole, skipped=skipped)
    imported = await asked.client.import_documents(read, scope=scope)
    return asked.answer("import_catalog", imported, encode.catalog_imported)


@router.get("/catalog", name="list_catalog")
async def list_catalog(asked: Reading, scope: Scope = "shared") -> Response:
    """List the documents of a catalog."""
    return asked.answer(
        "list_catalog", await asked.client.list_catalog(scope=scope), encode.catalog
    )


def _document_of(row: Mapping[str, object], name: str, line: int) -> tuple[str, str]:
    match row:
        case {"name": str(of), "text": str(text), **others} if not others:
            return of, text
    raise InvalidFile(name, 'each line is {"name": "a.md", "text": "…"}', line=line)


async def _rows(
    request: Request, name: str, *, at_most: int
) -> AsyncIterator[Mapping[str, object] | None]:
    """Yield the rows of a request's body; `None` for a blank line.

    Raises:
        InvalidFile: A line is no JSON object.
        TooLarge: A line, or the body, is longer than may be.
        BadInput: The next part did not come in time.
    """
    number = 0
    async for line in _lines(request, at_most):
        number += 1
        if not line.strip():
            yield None
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidFile(name, f"it is no JSON; {EXPECTED}", line=number) from None
        if not isinstance(row, dict):
            raise InvalidFile(name, f"it holds no JSON object; {EXPECTED}", line=number)
        yield row


async def _lines(request: Request, at_most: int) -> AsyncIterator[bytes]:
    held, size = b"", 0
    parts = aiter(request.stream())
    while True:
        part: bytes | None = None
        with anyio.move_on_after(guards.BODY_WITHIN_S):
            part = await anext(parts, b"")
            if not part:
                break
        if part is None:
            raise BadInput(f"nothing came for {guards.BODY_WITHIN_S:.0f} s; send it again")
        size += len(part)
        _check("body", size, at_most)
        *lines, held = (held + part).split(b"\n")
        _check("line", len(held), LINE_BYTES_MAX)
        for line in lines:
            yield line
    if held:
        yield held


def _check(what: str, size: int, limit: int) -> None:
    if size > limit:
        raise TooLarge(what, size=size, limit=limit, unit="bytes", hint="send it in parts")


def _line(row: Mapping[str, object]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
