"""One credential's way to a server: requests go out by it, and errors come back as ours."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pinyon import wire
from pinyon.errors import (
    InvalidSetting,
    InvalidText,
    PinyonError,
    ServerUnreachable,
    StoreClosed,
)
from pinyon.remote.sending import json_of

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 60.0
LINES = "application/x-ndjson"


class Speaking:
    """Sends requests in the name of a credential, and of whom it acts for."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        names: Mapping[str, str | None],
        http: "httpx2.AsyncClient | None" = None,
    ) -> None:
        self.url, self._key, self._names = url.rstrip("/"), key, dict(names)
        self._http, self._owns_http = http, http is None
        self._is_closed = False

    def for_another(self, **names: str | None) -> "Speaking":
        """Return the way of the same credential for others, through the same connections."""
        named = {**self._names, **names}
        return Speaking(self.url, self._key, names=named, http=self._speaking())

    async def ask(  # noqa: PLR0913 - what a request is made of
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
        """Return what a server answers to an operation: the value that the operation gives.

        Args:
            operation: Its name.
            method: `GET`, `POST`, ...
            path: Below `/v1/`.
            body: What goes as JSON.
            query: What goes behind the path; `None` is left out.
            key: An idempotency key.
            version: The version that must still hold.
            lines: What goes as a stream, in the place of a body.

        Raises:
            PinyonError: What the server told.
            ServerUnreachable: No Pinyon of this version answers there.
        """
        headers = {}
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
            raise ServerUnreachable(self.url, why) from error

    async def json(self, path: str) -> Any:
        """Return what a server answers, as JSON; see `ask` for what is raised."""
        return json.loads((await self._sent(self._request("GET", path))).content)

    async def lines(self, path: str, query: Mapping[str, object]) -> AsyncIterator[str]:
        """Yield the lines of an answer as they come; see `ask` for what is raised."""
        response = await self._sent(self._request("GET", path, query=query), stream=True)
        try:
            async for line in response.aiter_lines():
                yield line
        except _http().HTTPError as error:
            raise ServerUnreachable(self.url, f"the answer broke off: {error}") from error
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Let go of the connections, if they are no other's. Closing twice is closing once."""
        self._is_closed = True
        if self._owns_http and self._http is not None:
            http, self._http = self._http, None
            await http.aclose()

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
            content = json_of(body).encode("utf-8", "surrogatepass")
        params = {name: value for name, value in (query or {}).items() if value is not None}
        # A stream takes as long as there is something to send.
        timeout = _http().Timeout(TIMEOUT_S, read=None if lines is not None else TIMEOUT_S)
        return self._speaking().build_request(
            method,
            f"{self.url}/v1/{path}",
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
            raise ServerUnreachable(self.url, why) from error
        raise _error_of(response, self.url)

    def _speaking(self) -> "httpx2.AsyncClient":
        if self._is_closed:
            raise StoreClosed
        if self._http is None:
            httpx2 = _http()
            self._http = httpx2.AsyncClient(trust_env=False, follow_redirects=False)
        return self._http


def _http() -> Any:
    try:
        import httpx2  # noqa: PLC0415 - only where a server is asked
    except ImportError:
        needed = "pinyon.connect needs httpx2: pip install 'pinyon[endpoint]'"
        raise InvalidSetting("url", needed) from None
    return httpx2


def _header(what: str, value: str) -> str:
    if not isinstance(value, str) or not value.isascii() or not value.isprintable():
        raise InvalidText(what, "is sent as a header here: printable ASCII, please")
    return value


def _error_of(response: "httpx2.Response", url: str) -> PinyonError:
    try:
        told = json.loads(response.content)
        return wire.error_of(told["code"], told["detail"], told.get("facts", {}))
    except (ValueError, KeyError, TypeError):
        why = f"it answers with status {response.status_code} and no problem of ours"
        return ServerUnreachable(url, why)
