"""The page of errors."""

from collections.abc import Iterator

from generator.markdown import first_line, page, table
from pinyon.errors import PinyonError


def errors_page() -> str:
    """Return the page of errors."""
    tree = list(_errors(PinyonError))
    rows = [
        (
            f"`{error.code}`",
            f"`{error.__name__}`",
            "" if error is PinyonError else f"`{error.__mro__[1].__name__}`",
            str(error.exit_code),
            str(error.http_status),
            first_line(error),
        )
        for error in tree
    ]
    return page(
        "Errors",
        """
        Everything that Pinyon raises on purpose is a `pinyon.PinyonError`. Each class has a `code`
        that stays the same from release to release; decide by it, never by the message. To catch a
        group of errors, catch the class that they are one of: `pinyon.errors.BadInput`,
        `pinyon.errors.Conflict` and so on.

        The command line prints `code: message` on stderr, or with `--json` one line of JSON,
        `{"error": {"code": …, "message": …}}`, and exits with the number in the column *exit*.
        Three more numbers come from the command line itself: 2 where a command or an option does
        not exist, 3 where a gate of `pinyon eval` failed, and 130 where it was interrupted. A bug,
        which is anything else, exits with 1.

        A server answers with the status in the column *HTTP* and `application/problem+json`, in
        which `code` and `detail` say the same.
        """,
        table(("code", "class", "is a", "exit", "HTTP", "meaning"), rows),
    )


def _errors(error: type[PinyonError]) -> Iterator[type[PinyonError]]:
    yield error
    for below in error.__subclasses__():
        if below.__module__ == PinyonError.__module__:
            yield from _errors(below)
