"""Write the reference pages that are made from the code, or check that they are fresh.

    python docs/generate.py           writes docs/reference/{settings,errors,cli,...}.md
    python docs/generate.py --check   fails if one of them is not what the code says

What a page says depends on the code alone: not on the terminal, the locale or the machine.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from generator.cli import cli_page
from generator.errors import errors_page
from generator.filters import filters_page
from generator.markdown import COMMAND
from generator.operations import operations_page
from generator.promises import promises_page
from generator.settings import settings_page

REFERENCE = Path(__file__).parent / "reference"

PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "errors.md": errors_page,
    "filters.md": filters_page,
    "operations.md": operations_page,
    "promises.md": promises_page,
    "settings.md": settings_page,
}


def stale() -> list[str]:
    """Return the names of the pages that are not what the code says."""
    found = []
    for name, made in PAGES.items():
        page = REFERENCE / name
        if not page.is_file() or page.read_text("utf-8") != made():
            found.append(name)
    return found


def main(arguments: Sequence[str]) -> int:
    """Write the pages; with `--check`, only say which are not fresh."""
    if list(arguments) == ["--check"]:
        found = stale()
        for name in found:
            sys.stderr.write(f"docs/reference/{name} is not what the code says; run `{COMMAND}`\n")
        return 1 if found else 0
    if arguments:
        sys.stderr.write(f"usage: {COMMAND} [--check]\n")
        return 2
    for name, made in PAGES.items():
        (REFERENCE / name).write_text(made(), "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
