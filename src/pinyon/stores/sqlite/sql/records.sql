-- name: insert_memory
INSERT INTO memory ({columns})
VALUES ({values});

-- name: replace_memory
UPDATE memory
   SET ({columns}) = ({values})
 WHERE seq = ?;

-- name: evolve_memory
UPDATE memory
   SET ({columns}) = ({values})
 WHERE seq = ?;

-- name: keep_version
INSERT INTO version (seq, replaced_at_us, {columns})
SELECT seq, :replaced_at_us, {columns}
  FROM memory
 WHERE seq = :seq;

-- name: insert_version
INSERT INTO version (seq, replaced_at_us, {columns})
VALUES (?, ?, {values});

-- name: drop_versions
DELETE FROM version
 WHERE seq = :seq;

-- name: seq_of
SELECT seq, version
  FROM memory
 WHERE id = :id;

-- name: any_of_hash
SELECT 1
  FROM memory
 WHERE content_hash = :content_hash
 LIMIT 1;

-- name: equal_memory
SELECT id
  FROM memory AS m
 WHERE {where}
 ORDER BY seq
 LIMIT 1;

-- name: get_memories
-- json_each keeps the asked order.
SELECT {columns}
  FROM json_each(:ids) AS asked
  JOIN memory AS m ON m.id = unhex(asked.value)
 ORDER BY asked.key;

-- name: get_memories_known
SELECT {columns}
  FROM json_each(:ids) AS asked
  JOIN memory AS m ON m.id = unhex(asked.value)
  LEFT JOIN version AS v
    ON v.seq = m.seq AND v.updated_at_us <= :known_at_us AND v.replaced_at_us > :known_at_us
 WHERE v.seq IS NOT NULL OR m.updated_at_us <= :known_at_us
 ORDER BY asked.key;

-- name: scan_newest
SELECT {columns}, m.seq
  FROM memory AS m
 WHERE m.seq < :after AND {where}
 ORDER BY m.seq DESC
 LIMIT :limit;

-- name: scan_oldest
SELECT {columns}, m.seq
  FROM memory AS m
 WHERE m.seq > :after AND {where}
 ORDER BY m.seq
 LIMIT :limit;

-- name: scan_newest_known
SELECT {columns}, m.seq
  FROM memory AS m
  LEFT JOIN version AS v
    ON v.seq = m.seq AND v.updated_at_us <= :known_at_us AND v.replaced_at_us > :known_at_us
 WHERE m.seq < :after AND (v.seq IS NOT NULL OR m.updated_at_us <= :known_at_us) AND {where}
 ORDER BY m.seq DESC
 LIMIT :limit;

-- name: scan_oldest_known
SELECT {columns}, m.seq
  FROM memory AS m
  LEFT JOIN version AS v
    ON v.seq = m.seq AND v.updated_at_us <= :known_at_us AND v.replaced_at_us > :known_at_us
 WHERE m.seq > :after AND (v.seq IS NOT NULL OR m.updated_at_us <= :known_at_us) AND {where}
 ORDER BY m.seq
 LIMIT :limit;

-- name: versions_of
SELECT {columns}
  FROM version AS v
  JOIN memory AS m ON m.seq = v.seq
 WHERE m.id = :id
 ORDER BY v.version;

-- name: chain_of
-- UNION, not UNION ALL: a damaged chain that bites its own tail still ends.
WITH RECURSIVE chain (seq, id, superseded_by) AS (
    SELECT seq, id, superseded_by
      FROM memory
     WHERE id = :id
     UNION
    SELECT m.seq, m.id, m.superseded_by
      FROM chain AS c
      JOIN memory AS m
        ON m.id = c.superseded_by
        OR m.superseded_by = c.id
        OR m.seq IN (SELECT seq FROM link WHERE target = c.id AND relation = 'supersedes')
        OR m.id IN (SELECT target FROM link WHERE seq = c.seq AND relation = 'supersedes')
)
SELECT {columns}
  FROM chain AS c
  JOIN memory AS m ON m.seq = c.seq
 ORDER BY m.seq;

-- name: dependants_of
SELECT l.relation, m.id
  FROM link AS l
  JOIN memory AS m ON m.seq = l.seq
 WHERE l.target = :id AND l.relation <> 'follows'
 ORDER BY m.seq;

-- name: followers_of
SELECT id
  FROM memory
 WHERE previous = :previous
 ORDER BY seq;

-- name: pending
SELECT {columns}
  FROM memory AS m
 WHERE m.awaits & {bit}
 ORDER BY m.seq
 LIMIT :limit;

-- name: turn_before_memory
SELECT occurred_at_us, created_at_us, id, text
  FROM memory
 WHERE session = :session AND session <> '' AND occurred_at_us <= :at_us AND kind = 'episodic'
   AND event_type <> 'summary'
 ORDER BY occurred_at_us DESC, created_at_us DESC, id DESC
 LIMIT 1;

-- name: turn_before_event
SELECT occurred_at_us, created_at_us, id, text
  FROM event
 WHERE session = :session AND session <> '' AND occurred_at_us <= :at_us
 ORDER BY occurred_at_us DESC, created_at_us DESC, id DESC
 LIMIT 1;

-- name: count_memory
UPDATE memory
   SET uses = uses + :uses,
       support = support + :support,
       successes = successes + :successes,
       failures = failures + :failures,
       last_used_at_us = max(last_used_at_us, coalesce(:used_at_us, 0)),
       last_success_at_us = CASE
           WHEN :succeeded_at_us IS NULL THEN last_success_at_us
           ELSE max(coalesce(last_success_at_us, :succeeded_at_us), :succeeded_at_us)
       END
 WHERE id = :id
RETURNING seq;

-- name: expose_memory
UPDATE memory
   SET uses = uses + 1,
       last_used_at_us = max(last_used_at_us, :at_us)
 WHERE id = :id
RETURNING seq;

-- name: put_exposure
INSERT INTO exposure (seq, at_us, session, surface)
VALUES (:seq, :at_us, :session, :surface);

-- name: drop_old_exposures
DELETE FROM exposure
 WHERE at_us < :before_us;

-- name: exposures_of
SELECT e.at_us, e.session, e.surface
  FROM memory AS m
  JOIN exposure AS e ON e.seq = m.seq
 WHERE m.id = :id
 ORDER BY e.at_us, e.rowid;

-- name: settle_memory
UPDATE memory
   SET awaits = awaits & ~:bit
 WHERE id = :id AND (awaits & :bit OR NOT :is_first)
RETURNING seq;

-- name: owe_memory
UPDATE memory
   SET awaits = awaits | :bit
 WHERE id = :id
RETURNING seq;

-- name: touch_memory
UPDATE memory
   SET changed_seq = :changed_seq
 WHERE seq = :seq;

-- name: put_passage
INSERT INTO passage (passage, tokenizer, head, body, context)
VALUES (:passage, :tokenizer, :head, :body, :context);

-- name: index_passage
INSERT INTO keyword (rowid, head, body, context)
VALUES (:passage, :head, :body, :context);

-- name: unindex_passages
INSERT INTO keyword (keyword, rowid, head, body, context)
SELECT 'delete', passage, head, body, context
  FROM passage
 WHERE passage BETWEEN :first AND :last;

-- name: drop_passages
DELETE FROM passage
 WHERE passage BETWEEN :first AND :last;

-- name: put_link
INSERT INTO link (target, relation, seq)
VALUES (:target, :relation, :seq)
ON CONFLICT DO NOTHING;

-- name: drop_links
DELETE FROM link
 WHERE seq = :seq;

-- name: model_of
INSERT INTO model (fingerprint, dim, token_dim)
VALUES (:fingerprint, :dim, :token_dim)
ON CONFLICT (fingerprint) DO UPDATE
   SET token_dim = max(token_dim, excluded.token_dim)
RETURNING model, dim;

-- name: put_dense
INSERT INTO dense (passage, model, vector)
VALUES (:passage, :model, :vector);

-- name: put_token
INSERT INTO token (passage, model, piece, vectors)
VALUES (:passage, :model, :piece, :vectors);

-- name: put_turn_token
INSERT INTO turn_token (event, model, vectors)
VALUES (:event, :model, :vectors)
ON CONFLICT (event, model) DO UPDATE
   SET vectors = excluded.vectors;

-- name: drop_dense
DELETE FROM dense
 WHERE passage BETWEEN :first AND :last AND (:model IS NULL OR model = :model);

-- name: drop_token
DELETE FROM token
 WHERE passage BETWEEN :first AND :last AND (:model IS NULL OR model = :model);

-- name: drop_other_dense
DELETE FROM dense
 WHERE model <> :model;

-- name: drop_other_token
DELETE FROM token
 WHERE model <> :model;

-- name: drop_other_turn_token
DELETE FROM turn_token
 WHERE model <> :model;

-- name: drop_other_models
DELETE FROM model
 WHERE model <> :model;

-- name: find_event
SELECT 1
  FROM event
 WHERE id = :id;

-- name: put_event
INSERT INTO event (
    id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
    occurred_at_us, offset_min, created_at_us, metadata, task
)
VALUES (
    :id, :session, :role, :event_type, :text, :content_hash, :speaker, :message_id, :parent,
    :previous, :occurred_at_us, :offset_min, :created_at_us, :metadata, :task
)
ON CONFLICT (id) DO UPDATE
   SET session = excluded.session, role = excluded.role, event_type = excluded.event_type,
       text = excluded.text, content_hash = excluded.content_hash, speaker = excluded.speaker,
       message_id = excluded.message_id, parent = excluded.parent, previous = excluded.previous,
       occurred_at_us = excluded.occurred_at_us, offset_min = excluded.offset_min,
       created_at_us = excluded.created_at_us, metadata = excluded.metadata,
       task = excluded.task
RETURNING seq;

-- name: equal_event
SELECT id
  FROM event
 WHERE content_hash = :content_hash AND session = :session AND role = :role
   AND event_type = :event_type
   AND CASE
       WHEN :message_id <> '' OR message_id <> '' THEN message_id = :message_id
       ELSE abs(occurred_at_us - :occurred_at_us) <= :within_us
   END
 ORDER BY seq
 LIMIT 1;

-- name: scan_events
SELECT id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
       occurred_at_us, offset_min, created_at_us, metadata, task, seq
  FROM event
 WHERE seq > :after AND (:session IS NULL OR session = :session)
 ORDER BY seq
 LIMIT :limit;

-- name: once_answer
SELECT request, answer
  FROM once
 WHERE key = :key;

-- name: put_once
INSERT INTO once (key, request, answer, at_us)
VALUES (:key, :request, :answer, :at_us);

-- name: drop_old_once
DELETE FROM once
 WHERE at_us < :before_us;

-- name: changed_since
SELECT id
  FROM memory
 WHERE changed_seq > :seq;

-- name: gone_since
SELECT id
  FROM gone
 WHERE seq > :seq;

-- name: mark_gone
INSERT INTO gone (id, seq)
VALUES (:id, :seq)
ON CONFLICT (id) DO UPDATE
   SET seq = excluded.seq;

-- name: unmark_gone
DELETE FROM gone
 WHERE id = :id;

-- name: count_rows
SELECT (SELECT count(*) FROM memory) AS memories,
       (SELECT count(*) FROM event) AS events;

-- name: put_receipt
INSERT INTO receipt (id, at_us, ids, masked, counts, hashes, sessions, complete)
VALUES (:id, :at_us, :ids, :masked, :counts, :hashes, :sessions, :complete)
ON CONFLICT (id) DO UPDATE
   SET ids = excluded.ids, masked = excluded.masked, counts = excluded.counts,
       hashes = excluded.hashes, sessions = excluded.sessions, complete = excluded.complete;

-- name: receipt_hashes
SELECT hashes
  FROM receipt
 WHERE id = :id;

-- name: put_forgotten
INSERT INTO forgotten (hash, at_us)
VALUES (:hash, :at_us)
ON CONFLICT (hash) DO UPDATE
   SET at_us = max(at_us, excluded.at_us);

-- name: find_forgotten
SELECT at_us
  FROM forgotten
 WHERE hash = :hash;

-- name: list_receipts
SELECT id, at_us, ids, masked, counts, hashes, sessions, complete
  FROM receipt
 ORDER BY at_us, id;

-- name: open_receipts
SELECT count(*)
  FROM receipt
 WHERE complete = 0;

-- name: complete_receipts
-- Those of whose copies none is on its way any more.
UPDATE receipt
   SET complete = 1
 WHERE complete = 0
   AND NOT EXISTS (
       SELECT 1 FROM job
        WHERE task = 'follow' AND state IN ('waiting', 'leased'));

-- name: turn_hash
SELECT content_hash FROM memory WHERE :kind = 'm' AND id = :id
 UNION ALL
SELECT content_hash FROM event WHERE :kind = 'e' AND id = :id;
