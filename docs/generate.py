"""Write the pages that are made from the code or from runs, or check that they are fresh.

    python docs/generate.py           writes docs/reference/{settings,errors,cli,...}.md
    python docs/generate.py --check   fails if one of them is not what the code says

What a page says depends on what is committed alone: not on the terminal, the locale or the machine.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from generator.cli import cli_page
from generator.errors import errors_page
from generator.filters import filters_page
from generator.markdown import COMMAND
from generator.mcp import mcp_page
from generator.metrics import metrics_page
from generator.operations import operations_page
from generator.promises import promises_page
from generator.quality import quality_page
from generator.rest import examples_json, rest_page
from generator.settings import settings_page

DOCS = Path(__file__).parent

PAGES: Mapping[str, Callable[[], str]] = {
    # First: the page of the API shows what the description says.
    "../src/pinyon/surfaces/rest/examples.json": examples_json,
    "reference/cli.md": cli_page,
    "reference/errors.md": errors_page,
    "reference/filters.md": filters_page,
    "reference/mcp.md": mcp_page,
    "reference/metrics.md": metrics_page,
    "reference/operations.md": operations_page,
    "reference/promises.md": promises_page,
    "reference/rest.md": rest_page,
    "reference/settings.md": settings_page,
    "explanation/how-good-is-it.md": quality_page,
}


def stale() -> list[str]:
    """Return the names of the pages that are not what the code says."""
    found = []
    for name, made in PAGES.items():
        page = DOCS / name
        if not page.is_file() or page.read_text("utf-8") != made():
            found.append(name)
    return found


def main(arguments: Sequence[str]) -> int:
    """Write the pages; with `--check`, only say which are not fresh."""
    if list(arguments) == ["--check"]:
        found = stale()
        for name in found:
            sys.stderr.write(f"docs/{name} is not what the code says; run `{COMMAND}`\n")
        return 1 if found else 0
    if arguments:
        sys.stderr.write(f"usage: {COMMAND} [--check]\n")
        return 2
    for name, made in PAGES.items():
        (DOCS / name).write_text(made(), "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
