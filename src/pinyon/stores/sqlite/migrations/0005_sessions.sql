-- Sessions that are not simply normal, and how it went with what was recalled.

CREATE TABLE session (
    name TEXT PRIMARY KEY,
    mode TEXT NOT NULL,
    started_at_us INTEGER NOT NULL,
    last_turn_at_us INTEGER NOT NULL,
    -- Of a temporary one: since when it is being forgotten.
    ended_at_us INTEGER
) STRICT, WITHOUT ROWID;

-- Temporary sessions that are over, by a keyed hash of their names: a late turn is not kept.
CREATE TABLE session_over (
    hash BLOB PRIMARY KEY,
    at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE feedback (
    n INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    query TEXT NOT NULL,
    session TEXT NOT NULL
) STRICT;
CREATE INDEX feedback_seq ON feedback (seq);
CREATE INDEX feedback_session ON feedback (session) WHERE session <> '';
