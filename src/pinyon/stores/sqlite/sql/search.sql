-- name: keyword
-- CROSS JOIN keeps the index outermost; rank alone is what FTS5 sorts by itself.
SELECT k.rowid, k.rank, ' ' || p.head || ' ' || p.body || ' ',
       iif(p.context = '', '', ' ' || p.context || ' '), m.id
  FROM keyword AS k
 CROSS JOIN memory AS m ON m.seq = k.rowid >> 6
 CROSS JOIN passage AS p ON p.passage = k.rowid
 WHERE k.keyword MATCH :match AND {where}
 ORDER BY k.rank
 LIMIT :limit;

-- name: keyword_known
SELECT k.rowid, k.rank, ' ' || p.head || ' ' || p.body || ' ',
       iif(p.context = '', '', ' ' || p.context || ' '), m.id
  FROM keyword AS k
 CROSS JOIN memory AS m ON m.seq = k.rowid >> 6
 CROSS JOIN passage AS p ON p.passage = k.rowid
  LEFT JOIN version AS v
    ON v.seq = m.seq AND v.updated_at_us <= :known_at_us AND v.replaced_at_us > :known_at_us
 WHERE k.keyword MATCH :match
   AND (v.seq IS NOT NULL OR m.updated_at_us <= :known_at_us) AND {where}
 ORDER BY k.rank
 LIMIT :limit;

-- name: term_df
SELECT t.term, t.doc
  FROM json_each(:words) AS asked
  JOIN keyword_terms AS t ON t.term = asked.value;

-- name: count_passages
SELECT count(*)
  FROM keyword_docsize;  -- one narrow row for each passage; the passages' own are wide

-- name: turns_of
-- Memories that are asked for, and what came before each: a memory, or the id of an event.
SELECT m.id, m.seq, b.seq, iif(substr(m.previous, 1, 1) = x'65', substr(m.previous, 2), NULL)
  FROM json_each(:ids) AS asked
  JOIN memory AS m ON m.id = unhex(asked.value)
  LEFT JOIN memory AS b
    ON b.id = substr(m.previous, 2) AND substr(m.previous, 1, 1) = x'6d';

-- name: token_vectors
-- Of memories the passages around one, of the turns before them the first.
-- Pieces come in their order: both selects read along the index.
SELECT t.passage, t.vectors
  FROM json_each(:near) AS asked
  JOIN token AS t
    ON t.passage BETWEEN max(asked.value - :around, asked.value & ~63)
                     AND min(asked.value + :around, asked.value | 63)
   AND +t.model = :model
 UNION ALL
SELECT t.passage, t.vectors
  FROM json_each(:before) AS asked
  JOIN token AS t ON t.passage = asked.value AND t.model = :model;

-- name: turn_vectors
SELECT t.event, t.vectors
  FROM json_each(:events) AS asked
  JOIN turn_token AS t ON t.event = unhex(asked.value) AND t.model = :model;

-- name: followers
SELECT m.id, m.previous
  FROM json_each(:turns) AS asked
  JOIN memory AS m ON m.previous = unhex(asked.value)
 WHERE {where};

-- name: followers_known
SELECT m.id, m.previous
  FROM json_each(:turns) AS asked
  JOIN memory AS m ON m.previous = unhex(asked.value)
  LEFT JOIN version AS v
    ON v.seq = m.seq AND v.updated_at_us <= :known_at_us AND v.replaced_at_us > :known_at_us
 WHERE (v.seq IS NOT NULL OR m.updated_at_us <= :known_at_us) AND {where};

-- name: lacking
SELECT {columns}, m.seq
  FROM memory AS m
 WHERE m.seq > :after AND m.shelf <> 'quarantined'
   AND NOT EXISTS (
       SELECT 1 FROM dense AS d WHERE d.passage BETWEEN m.seq << 6 AND (m.seq << 6) + 63
          AND d.model = :model)
 ORDER BY m.seq
 LIMIT :limit;

-- name: turns_lacking
SELECT id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
       occurred_at_us, offset_min, created_at_us, metadata, task, seq
  FROM event AS e
 WHERE EXISTS (SELECT 1 FROM memory AS m WHERE m.previous = unhex('65' || hex(e.id)))
   AND NOT EXISTS (SELECT 1 FROM turn_token AS t WHERE t.event = e.id AND t.model = :model)
 ORDER BY seq
 LIMIT :limit;

-- name: allowed
SELECT m.seq
  FROM memory AS m
 WHERE {where};

-- name: allowed_known
SELECT m.seq
  FROM memory AS m
  LEFT JOIN version AS v
    ON v.seq = m.seq AND v.updated_at_us <= :known_at_us AND v.replaced_at_us > :known_at_us
 WHERE (v.seq IS NOT NULL OR m.updated_at_us <= :known_at_us) AND {where};

-- name: find_model
SELECT model, dim
  FROM model
 WHERE fingerprint = :fingerprint;

-- name: fingerprint_of
SELECT fingerprint
  FROM model
 WHERE model = :model;

-- name: dense_changed
-- The plus keeps SQLite from making an index of every vector by its model.
SELECT d.passage, d.vector
  FROM memory AS m
  JOIN dense AS d ON d.passage BETWEEN m.seq << 6 AND (m.seq << 6) + 63
 WHERE m.changed_seq > :seq AND +d.model = :model;

-- name: columns_changed
SELECT seq, kind, status, shelf, trust, valid_from_us, valid_until_us, expires_at_us,
       occurred_at_us, created_at_us, importance, confidence, id, session, content_hash
  FROM memory
 WHERE changed_seq > :seq;

-- name: words_changed
SELECT p.passage, p.head, p.body, p.context
  FROM memory AS m
  JOIN passage AS p ON p.passage BETWEEN m.seq << 6 AND (m.seq << 6) + 63
 WHERE m.changed_seq > :seq;

-- name: is_listed
-- A part of a filter: whether a JSON list, or "" for an empty one, holds a word.
EXISTS (SELECT 1 FROM json_each(iif({column} = '', '[]', {column})) WHERE value = {word});
