"""The protocol: an MCP server over tools, resources and prompts that know nothing of it.

Built on the low level of the SDK, by which each request comes with its context and each answer is
ours to the byte: schemas stay flat, what is not known is refused, and an error is one of ours.
"""

import logging
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from pinyon import __version__
from pinyon.errors import PinyonError
from pinyon.surfaces.encode import error_message
from pinyon.surfaces.mcp import prompts, resources
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.tool import Tool

NAME = "pinyon"
LISTS_HOLD_MS = 60 * 60 * 1000
"""How long a client may take the lists for fresh: they change with a release."""
TELLS_OF_ITSELF = frozenset({"initialize", "server/discover"})
"""Methods by which a server tells what it is, in the one era of the protocol and in the other."""

LEARNS = "settle_episodes"
"""The tool without which the prompt that hands over what waits is of no use."""

PLAIN = "text/plain"

log = logging.getLogger("pinyon.mcp")

Context: TypeAlias = ServerRequestContext[Any, Any]
AskedOf: TypeAlias = Callable[[Context], Asked]


class _Handlers:
    """What the server answers to each method."""

    def __init__(self, tools: Sequence[Tool], asked_of: AskedOf) -> None:
        self._tools = {one.name: one for one in tools}
        self._asked_of = asked_of
        self._described = [types.Tool.model_validate(one.described()) for one in tools]
        has_more = any(one.name == LEARNS for one in tools)
        self._prompts = {one.name: one for one in prompts.offered(more=has_more)}

    async def list_tools(self, _ctx: Context, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._described)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool of this name; there are {known}"
            )
        try:
            reply = await tool.call(self._asked_of(ctx), params.arguments or {})
        except Exception as error:  # noqa: BLE001 - told by code; a bug is logged without a text
            return _told(told_of(error, where=tool.name), is_error=True)
        return _told(reply.text, structured_content=reply.data)

    async def list_resources(self, _ctx: Context, _params: object) -> types.ListResourcesResult:
        profile = types.Resource(
            uri=resources.PROFILE,
            name="profile",
            description=resources.ABOUT_PROFILE,
            mime_type=PLAIN,
        )
        return types.ListResourcesResult(resources=[profile])

    async def list_templates(
        self, _ctx: Context, _params: object
    ) -> types.ListResourceTemplatesResult:
        one = types.ResourceTemplate(
            uri_template=resources.TEMPLATE,
            name="memory",
            description=resources.ABOUT_MEMORY,
            mime_type=PLAIN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[one])

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            text = await resources.read(self._asked_of(ctx), params.uri)
        except Exception as error:  # noqa: BLE001 - as above
            raise _protocol_error(error, where="resources/read") from None
        content = types.TextResourceContents(uri=params.uri, text=text, mime_type=PLAIN)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, _ctx: Context, _params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=one.name,
                    description=one.about,
                    arguments=[
                        types.PromptArgument(name=of, required=True)
                        for of in prompts.arguments_of(one)
                    ],
                )
                for one in self._prompts.values()
            ]
        )

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            known = ", ".join(self._prompts)
            why = f"there is no prompt of this name; there are {known}"
            raise MCPError(types.INVALID_PARAMS, why)
        try:
            text = await prompts.rendered(prompt, params.arguments or {}, self._asked_of(ctx))
        except Exception as error:  # noqa: BLE001 - as above
            raise _protocol_error(error, where=prompt.name) from None
        said = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.about, messages=[said])

    async def say_whose(self, ctx: Context, call_next: Any) -> Any:
        """Put into what the server tells of itself whose memory it is, for this request."""
        result = await call_next(ctx)
        if ctx.method not in TELLS_OF_ITSELF:
            return result
        return {**result, "instructions": prompts.instructions(self._asked_of(ctx).user)}


def server_of(tools: Sequence[Tool], asked_of: AskedOf) -> Server[Any]:
    """Return the server.

    Args:
        tools: What a model may have done.
        asked_of: Tells whose memory a request is about, and what its credential may do.
    """
    handlers = _Handlers(tools, asked_of)
    listed = CacheHint(ttl_ms=LISTS_HOLD_MS, scope="public")
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title="Pinyon",
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        cache_hints={
            "tools/list": listed,
            "prompts/list": listed,
            "resources/list": listed,
            "resources/templates/list": listed,
        },
    )
    # In the place of the SDK's own spans: each operation has one of ours already.
    server.middleware[:] = [handlers.say_whose]
    return server


def told_of(error: Exception, *, where: str) -> str:
    """Return what a client is told of an error: its code, and what to do next; of a bug no word."""
    if isinstance(error, PinyonError) and error.http_status != PinyonError.http_status:
        return f"{error.code}: {error_message(error)}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    log.error("a bug in %s: %s in %s, line %s", where, type(error).__name__, last.name, last.lineno)
    return f"{PinyonError.code}: this is a bug in Pinyon; the server's log says where it lies"


def _protocol_error(error: Exception, *, where: str) -> MCPError:
    is_ours = isinstance(error, PinyonError) and error.http_status < 500
    code = types.INVALID_PARAMS if is_ours else types.INTERNAL_ERROR
    return MCPError(code, told_of(error, where=where))


def _told(text: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], **more)
