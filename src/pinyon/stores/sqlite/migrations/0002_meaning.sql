-- Vectors of two models beside each other, of turns that are no memories, and who was given what.

-- While a space is re-embedded, one model's vectors answer and another's are being made.
CREATE TABLE dense_by_model (
    passage INTEGER NOT NULL,
    model INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
INSERT INTO dense_by_model (passage, model, vector) SELECT passage, model, vector FROM dense;
DROP TABLE dense;
ALTER TABLE dense_by_model RENAME TO dense;
CREATE UNIQUE INDEX dense_passage ON dense (passage, model);

CREATE TABLE token_by_model (
    passage INTEGER NOT NULL,
    model INTEGER NOT NULL,
    vectors BLOB NOT NULL
) STRICT;
INSERT INTO token_by_model (passage, model, vectors) SELECT passage, model, vectors FROM token;
DROP TABLE token;
ALTER TABLE token_by_model RENAME TO token;
CREATE UNIQUE INDEX token_passage ON token (passage, model);

-- Of an event that a memory follows; they go with the last that does.
CREATE TABLE turn_token (
    event BLOB NOT NULL,
    model INTEGER NOT NULL,
    vectors BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX turn_token_event ON turn_token (event, model);

-- The model whose vectors answer.
ALTER TABLE meta ADD COLUMN serving INTEGER;
UPDATE meta SET serving = (SELECT max(model) FROM dense);

CREATE TABLE exposure (
    seq INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    session TEXT NOT NULL,
    surface TEXT NOT NULL
) STRICT;
CREATE INDEX exposure_seq ON exposure (seq, at_us);
CREATE INDEX exposure_at ON exposure (at_us);

-- What awaits vectors is few, what awaits consolidation may be all: they are looked for apart.
DROP INDEX memory_awaits;
CREATE INDEX memory_awaits_vectors ON memory (seq) WHERE awaits & 1;
CREATE INDEX memory_awaits_consolidation ON memory (seq) WHERE awaits & 2;
