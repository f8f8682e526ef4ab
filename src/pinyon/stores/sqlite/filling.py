"""What a migration has to fill in that no SQL can make: words are split in Python."""

from collections.abc import Callable, Mapping

import apsw

from pinyon.stores.sqlite.connection import get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import to_event
from pinyon.text.event_words import event_words
from pinyon.text.tokens import TOKENIZER

_PAGE = 500


def fill_event_words(connection: apsw.Connection) -> None:
    """Make the words of every event, and the index over them, inside the caller's transaction."""
    after = 0
    while True:
        rows = get_rows(connection, query("events_to_fill"), after=after, limit=_PAGE)
        for row in rows:
            words = event_words(to_event(row))
            if words is not None:
                values = {"event": row[-1], "tokenizer": TOKENIZER, "body": words}
                connection.execute(query("put_event_words"), values)
        if len(rows) < _PAGE:
            break
        after = rows[-1][-1]
    connection.execute(query("rebuild_keyword_event"))


FILLED: Mapping[int, Callable[[apsw.Connection], None]] = {4: fill_event_words}
"""By the number of a migration, what follows its script in the same transaction."""
