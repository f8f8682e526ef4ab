"""Standard output, kept for the protocol.

Whoever reads it takes each line for a message. A library that prints, in Python or below it, must
not come between: from here on whatever is printed goes to standard error.

This loads nothing but what Python has loaded already; it runs before anything else is imported.
"""

import os
import sys

_kept: list[int] = []


def keep_stdout() -> int:
    """Return standard output as a file descriptor of its own; printing goes to stderr from now on.

    The second time it returns the same.
    """
    if not _kept:
        own = os.dup(1)
        # What was printed before and lies in Python's buffer goes the same way.
        os.dup2(2, 1)
        sys.stdout.flush()
        _kept.append(own)
    return _kept[0]
