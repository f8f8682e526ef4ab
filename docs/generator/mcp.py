"""The page of what is offered over MCP: from the tools, resources and prompts themselves."""

from collections.abc import Mapping
from typing import Any

from generator.markdown import page, section, table
from pinyon.surfaces.mcp import prompts, resources
from pinyon.surfaces.mcp.flat import NUMBER, TEXT, TEXTS, WHOLE, YES_OR_NO
from pinyon.surfaces.mcp.more import MORE
from pinyon.surfaces.mcp.tool import Tool
from pinyon.surfaces.mcp.tools import CORE

HINTS: Mapping[str, str] = {
    "readOnlyHint": "reads only",
    "destructiveHint": "destroys",
    "idempotentHint": "twice is once",
}

FORMS: Mapping[str, str] = {
    TEXT: "text",
    TEXTS: "texts",
    WHOLE: "whole number",
    NUMBER: "number",
    YES_OR_NO: "true or false",
}


def mcp_page() -> str:
    """Return the page of what is offered over MCP."""
    return page(
        "Over MCP",
        """
        What `pinyon mcp` and `/mcp` of a server offer; [how to use it](../howto/use-over-mcp.md)
        says how they are reached. Whose memory it is, no argument says: one that a tool does not
        know is refused.
        """,
        section(
            "Core tools",
            "The six that a model is given. `block` of an answer holds memories within a fence, "
            "each with its id, its date and whose word it is; ids stand beside it for programs.",
            *(_core(one) for one in CORE),
        ),
        section(
            "The rest",
            "With `--tools full`, or `PINYON_MCP_TOOLS=full`, an [operation](operations.md) each, "
            "or a part of one. The answer is that of the [HTTP API](rest.md), within a fence as "
            "text, and as data.",
            table(("tool", "operation", "takes", "what it does"), map(_row, MORE)),
        ),
        section(
            "Resources",
            table(
                ("resource", "what it is"),
                [
                    (f"`{resources.PROFILE}`", resources.ABOUT_PROFILE),
                    (f"`{resources.TEMPLATE}`", resources.ABOUT_MEMORY),
                ],
            ),
        ),
        section(
            "Prompts",
            table(
                ("prompt", "takes", "what it is for"),
                [
                    (f"`{p.name}`", _names(prompts.arguments_of(p)), p.about)
                    for p in prompts.offered(more=True)
                ],
            ),
            *(_quoted(one.name, one.body) for one in prompts.offered(more=True)),
        ),
        section(
            "Instructions",
            "What a server tells a model of itself:",
            f"```text\n{prompts.instructions('sarah')}\n```",
        ),
    )


def _core(tool: Tool) -> str:
    told = tool.described()
    taken = table(("argument", "type", "default", "what it is"), map(_argument, tool.parameters))
    answered = ", ".join(f"`{name}`" for name in told["outputSchema"]["properties"])
    hints = ", ".join(said for hint, said in HINTS.items() if told["annotations"].get(hint))
    about = f"{tool.about} ({hints})" if hints else tool.about
    return f"### {tool.name}\n\n{about}\n\n{taken}\n\nAnswers {answered}."


def _argument(one: Any) -> tuple[str, str, str, str]:
    form = FORMS[one.form] if not one.allowed else ", ".join(f"`{word}`" for word in one.allowed)
    default = "needed" if one.is_required else f"`{one.default}`" if one.default else ""
    return f"`{one.name}`", form, default, one.about


def _row(tool: Tool) -> tuple[str, str, str, str]:
    taken = _names(one.name for one in tool.parameters)
    return f"`{tool.name}`", f"`{tool.operation}`", taken, tool.about


def _names(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _quoted(name: str, text: str) -> str:
    return f"### {name}\n\n```text\n{text}\n```"
