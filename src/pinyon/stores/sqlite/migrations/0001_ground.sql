-- A space: its records, what is derived from them, its journal and its queue, in one file.
-- Instants are microseconds UTC; ids are 16 bytes. Every table has a line in lineage.py.

CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    space TEXT NOT NULL,
    seq INTEGER NOT NULL,
    -- Key of the hashes in this file; dies with the space.
    hash_key BLOB NOT NULL,
    created_at_us INTEGER NOT NULL,
    erased_at_us INTEGER,
    -- The sequence number at which the space was last emptied: what was derived before it is void.
    emptied_seq INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE memory (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- What every question asks comes first: a column is reached through all before it.
    status TEXT NOT NULL,
    shelf TEXT NOT NULL,
    valid_until_us INTEGER,
    expires_at_us INTEGER,
    text TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    trust TEXT NOT NULL,
    session TEXT NOT NULL,
    task TEXT NOT NULL,
    agent TEXT NOT NULL,
    event_type TEXT NOT NULL,
    role TEXT NOT NULL,
    speaker TEXT NOT NULL,
    message_id TEXT NOT NULL,
    language TEXT NOT NULL,
    task_type TEXT NOT NULL,
    document TEXT NOT NULL,
    has_code INTEGER NOT NULL,
    has_error INTEGER NOT NULL,
    entities TEXT NOT NULL,
    occurred_at_us INTEGER,
    created_at_us INTEGER NOT NULL,
    -- One byte, m or e, and the id of a memory or event.
    previous BLOB,
    -- What an annotation or a link may change; `version` keeps the old values of these.
    version INTEGER NOT NULL,
    updated_at_us INTEGER NOT NULL,
    title TEXT NOT NULL,
    keywords TEXT NOT NULL,
    category TEXT NOT NULL,
    project TEXT NOT NULL,
    module TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    importance REAL NOT NULL,
    confidence REAL NOT NULL,
    pinned INTEGER NOT NULL,
    valid_from_us INTEGER,
    superseded_by BLOB,
    superseded_at_us INTEGER,
    outdated_by BLOB,
    -- What no filter asks for, as JSON.
    rest TEXT NOT NULL,
    -- Beside the version: counters, and what background work still owes (1 vectors, 2 consolidation).
    uses INTEGER NOT NULL,
    support INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    last_used_at_us INTEGER NOT NULL,
    last_success_at_us INTEGER,
    awaits INTEGER NOT NULL,
    changed_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_content_hash ON memory (content_hash);
CREATE INDEX memory_session ON memory (session, occurred_at_us) WHERE session <> '';
CREATE INDEX memory_previous ON memory (previous) WHERE previous IS NOT NULL;
CREATE INDEX memory_superseded_by ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_awaits ON memory (seq) WHERE awaits <> 0;
CREATE INDEX memory_changed ON memory (changed_seq);

CREATE TABLE version (
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    updated_at_us INTEGER NOT NULL,
    status TEXT NOT NULL,
    shelf TEXT NOT NULL,
    title TEXT NOT NULL,
    keywords TEXT NOT NULL,
    category TEXT NOT NULL,
    project TEXT NOT NULL,
    module TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    importance REAL NOT NULL,
    confidence REAL NOT NULL,
    pinned INTEGER NOT NULL,
    valid_from_us INTEGER,
    valid_until_us INTEGER,
    expires_at_us INTEGER,
    superseded_by BLOB,
    superseded_at_us INTEGER,
    outdated_by BLOB,
    rest TEXT NOT NULL,
    -- When the next version replaced this one.
    replaced_at_us INTEGER NOT NULL,
    PRIMARY KEY (seq, version)
) STRICT, WITHOUT ROWID;

-- Reverse side of the lists in a memory's `rest`.
CREATE TABLE link (
    target BLOB NOT NULL,
    relation TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (target, relation, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_seq ON link (seq);

-- One row a passage; its rowid is the memory's seq * 64 + the passage's position.
CREATE TABLE passage (
    passage INTEGER PRIMARY KEY,
    tokenizer INTEGER NOT NULL,
    head TEXT NOT NULL,
    body TEXT NOT NULL,
    context TEXT NOT NULL
) STRICT;

-- Our tokens are set apart by blanks; every other character belongs to a token.
CREATE VIRTUAL TABLE keyword USING fts5 (
    head, body, context,
    content = 'passage', content_rowid = 'passage',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
INSERT INTO keyword (keyword, rank) VALUES ('secure-delete', 1);
INSERT INTO keyword (keyword, rank) VALUES ('rank', 'bm25(2.0, 1.0, 0.5)');
-- Fewer segments to look into: a tenth off each question, for little at a write.
INSERT INTO keyword (keyword, rank) VALUES ('automerge', 2);
CREATE VIRTUAL TABLE keyword_terms USING fts5vocab (keyword, row);

CREATE TABLE model (
    model INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dim INTEGER NOT NULL,
    token_dim INTEGER NOT NULL
) STRICT;
-- Half floats, and int8 per token; apart, so that filling the matrix does not read past tokens.
CREATE TABLE dense (
    passage INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE TABLE token (
    passage INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    vectors BLOB NOT NULL
) STRICT;

CREATE TABLE gone (
    id BLOB PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX gone_seq ON gone (seq);

CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    session TEXT NOT NULL,
    role TEXT NOT NULL,
    event_type TEXT NOT NULL,
    text TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    speaker TEXT NOT NULL,
    message_id TEXT NOT NULL,
    parent TEXT NOT NULL,
    previous BLOB,
    occurred_at_us INTEGER NOT NULL,
    offset_min INTEGER NOT NULL,
    created_at_us INTEGER NOT NULL,
    metadata TEXT NOT NULL
) STRICT;
CREATE INDEX event_session ON event (session, occurred_at_us);
CREATE INDEX event_content_hash ON event (content_hash);
CREATE INDEX event_previous ON event (previous) WHERE previous IS NOT NULL;

CREATE TABLE job (
    id BLOB PRIMARY KEY,
    task TEXT NOT NULL,
    payload TEXT NOT NULL,
    priority INTEGER NOT NULL,
    dedupe_key TEXT NOT NULL,
    run_at_us INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    lease_until_us INTEGER,
    last_error TEXT NOT NULL
) STRICT;
CREATE INDEX job_due ON job (state, priority, run_at_us);
CREATE UNIQUE INDEX job_dedupe ON job (dedupe_key)
    WHERE dedupe_key <> '' AND state IN ('waiting', 'leased');

CREATE TABLE once (
    key BLOB PRIMARY KEY,
    request BLOB NOT NULL,
    answer TEXT NOT NULL,
    at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX once_at ON once (at_us);

CREATE TABLE actor (
    actor INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    surface TEXT NOT NULL,
    UNIQUE (name, surface)
) STRICT;
CREATE TABLE journal (
    n INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    action TEXT NOT NULL,
    -- One byte for the kind of id, and the id.
    target BLOB NOT NULL,
    keyed_hash BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE INDEX journal_target ON journal (target);
