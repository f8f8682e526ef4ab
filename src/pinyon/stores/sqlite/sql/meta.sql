-- name: put_meta
INSERT INTO meta (one, space, seq, hash_key, created_at_us)
VALUES (1, :space, 0, :hash_key, :created_at_us);

-- name: read_meta
SELECT space, seq, hash_key, created_at_us, erased_at_us, emptied_seq, serving
  FROM meta;

-- name: read_mark
-- As others are told the number: it goes on from when the space was made, so that whoever knows those
-- of a space that was erased never sees one of them again in the space that takes its place.
SELECT iif(seq, created_at_us + seq, 0)
  FROM meta;

-- name: move_seq
UPDATE meta
   SET seq = seq + 1
RETURNING seq;

-- name: mark_erased
-- The number goes on, so that whoever keeps something derived sees that it is void.
UPDATE meta
   SET seq = seq + (seq > 0), emptied_seq = seq + (seq > 0), hash_key = :hash_key,
       erased_at_us = :erased_at_us, serving = NULL;

-- name: unmark_erased
UPDATE meta
   SET erased_at_us = NULL;

-- name: serve_if_none
UPDATE meta
   SET serving = :model
 WHERE serving IS NULL;

-- name: serve
UPDATE meta
   SET serving = :model;

-- name: name_space
-- Of a copy: see alike.py.
UPDATE meta
   SET space = :space;
