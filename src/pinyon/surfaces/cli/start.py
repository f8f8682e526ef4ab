"""Where the program begins: before it loads anything, it keeps stdout for a protocol."""

import sys

from pinyon.surfaces.mcp.stdout import keep_stdout

WRITES_FOR_PEOPLE = frozenset({"config", "install", "uninstall", "--help"})
"""What `pinyon mcp` takes that serves nobody."""


def run() -> None:
    """Run the program."""
    if sys.argv[1:2] == ["mcp"] and not WRITES_FOR_PEOPLE.intersection(sys.argv):
        keep_stdout()
    from pinyon.surfaces.cli.main import run as run_program  # noqa: PLC0415 - it loads all the rest

    run_program()
