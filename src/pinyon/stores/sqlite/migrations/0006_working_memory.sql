-- When sessions ended, by a keyed hash of their names: what was said before is no working memory.

CREATE TABLE session_ended (
    hash BLOB PRIMARY KEY,
    at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
