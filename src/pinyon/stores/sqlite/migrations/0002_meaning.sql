-- Vectors of two models beside each other, of turns that are no memories, and who was given what.

-- Vectors of a preview are dropped and made anew: they were half floats, one row a passage.
UPDATE memory
   SET awaits = awaits | 1
 WHERE seq IN (SELECT passage >> 6 FROM dense);
DROP TABLE dense;
DROP TABLE token;
DELETE FROM model;

-- While a space is re-embedded, one model's vectors answer and another's are being made.
-- A vector is a float32 scale and a byte a number.
CREATE TABLE dense (
    passage INTEGER NOT NULL,
    model INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX dense_passage ON dense (passage, model);

-- In pieces: a page takes four of them, and of whole ones often only one.
CREATE TABLE token (
    passage INTEGER NOT NULL,
    model INTEGER NOT NULL,
    piece INTEGER NOT NULL,
    vectors BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX token_passage ON token (passage, model, piece);

-- Of an event that a memory follows; they go with the last that does.
CREATE TABLE turn_token (
    event BLOB NOT NULL,
    model INTEGER NOT NULL,
    vectors BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX turn_token_event ON turn_token (event, model);

-- The model whose vectors answer.
ALTER TABLE meta ADD COLUMN serving INTEGER;

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
