-- What was forgotten, and what keeps it from coming back.

CREATE TABLE receipt (
    id BLOB PRIMARY KEY,
    at_us INTEGER NOT NULL,
    -- JSON: ids, ids of what was masked, counts by name, keyed hashes, sessions.
    ids TEXT NOT NULL,
    masked TEXT NOT NULL,
    counts TEXT NOT NULL,
    hashes TEXT NOT NULL,
    sessions TEXT NOT NULL,
    complete INTEGER NOT NULL
) STRICT;
CREATE INDEX receipt_open ON receipt (at_us) WHERE complete = 0;

CREATE TABLE forgotten (
    hash BLOB PRIMARY KEY,
    at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_document ON memory (document) WHERE document <> '';

-- Which episodes a memory outdates.
INSERT INTO link (target, relation, seq)
SELECT outdated_by, 'outdated', seq FROM memory WHERE outdated_by IS NOT NULL;
