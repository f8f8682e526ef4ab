-- name: events_to_fill
-- Of a file that is being migrated: with the columns that there were then.
SELECT id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
       occurred_at_us, offset_min, created_at_us, metadata, '', seq
  FROM event
 WHERE seq > :after
 ORDER BY seq
 LIMIT :limit;

-- name: event_seq
SELECT seq
  FROM event
 WHERE id = :id;

-- name: put_event_words
INSERT INTO event_words (event, tokenizer, body)
VALUES (:event, :tokenizer, :body);

-- name: index_event
INSERT INTO keyword_event (rowid, body)
VALUES (:event, :body);

-- name: unindex_event
INSERT INTO keyword_event (keyword_event, rowid, body)
SELECT 'delete', event, body
  FROM event_words
 WHERE event = :event;

-- name: drop_event_words
DELETE FROM event_words
 WHERE event = :event;

-- name: find_events
-- CROSS JOIN keeps the index outermost; rank alone is what FTS5 sorts by itself.
SELECT e.id, e.session, e.role, e.event_type, e.text, e.content_hash, e.speaker, e.message_id,
       e.parent, e.previous, e.occurred_at_us, e.offset_min, e.created_at_us, e.metadata, e.task,
       e.seq, k.rank, ' ' || w.body || ' '
  FROM keyword_event AS k
 CROSS JOIN event AS e ON e.seq = k.rowid
 CROSS JOIN event_words AS w ON w.event = k.rowid
 WHERE k.keyword_event MATCH :match
   AND (:session IS NULL OR e.session = :session)
   AND (:types IS NULL OR e.event_type IN (SELECT value FROM json_each(:types)))
   AND (:speaker = '' OR e.speaker = :speaker)
   AND (:since_us IS NULL OR e.occurred_at_us >= :since_us)
   AND (:until_us IS NULL OR e.occurred_at_us < :until_us)
 ORDER BY k.rank
 LIMIT :limit;

-- name: newest_events
SELECT e.id, e.session, e.role, e.event_type, e.text, e.content_hash, e.speaker, e.message_id,
       e.parent, e.previous, e.occurred_at_us, e.offset_min, e.created_at_us, e.metadata, e.task,
       e.seq
  FROM event AS e
  JOIN event_words AS w ON w.event = e.seq
 WHERE (:session IS NULL OR e.session = :session)
   AND (:types IS NULL OR e.event_type IN (SELECT value FROM json_each(:types)))
   AND (:speaker = '' OR e.speaker = :speaker)
   AND (:since_us IS NULL OR e.occurred_at_us >= :since_us)
   AND (:until_us IS NULL OR e.occurred_at_us < :until_us)
 ORDER BY e.occurred_at_us DESC, e.created_at_us DESC, e.id DESC
 LIMIT :limit;

-- name: event_term_df
SELECT t.term, t.doc
  FROM json_each(:words) AS asked
  JOIN keyword_event_terms AS t ON t.term = asked.value;

-- name: count_event_words
SELECT count(*)
  FROM keyword_event_docsize;  -- narrower than the words themselves

-- name: replay_events
-- The condition is from event_log.py: with a session, SQLite goes by that one's index.
SELECT id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
       occurred_at_us, offset_min, created_at_us, metadata, task, seq
  FROM event
 WHERE {where}
   AND (:types IS NULL OR event_type IN (SELECT value FROM json_each(:types)))
   AND (occurred_at_us, created_at_us, id, 'e') > (:occurred_at_us, :created_at_us, :id, :kind)
   AND occurred_at_us >= :occurred_at_us
 ORDER BY occurred_at_us, created_at_us, id
 LIMIT :limit;

-- name: replay_memories
SELECT {columns}
  FROM memory AS m
 WHERE {where} AND m.kind = 'episodic' AND m.event_type <> 'summary' AND m.shelf <> 'quarantined'
   AND (:types IS NULL OR iif(m.event_type = '', 'message', m.event_type)
        IN (SELECT value FROM json_each(:types)))
   AND (m.occurred_at_us, m.created_at_us, m.id, 'm')
     > (:occurred_at_us, :created_at_us, :id, :kind)
   AND m.occurred_at_us >= :occurred_at_us
 ORDER BY m.occurred_at_us, m.created_at_us, m.id
 LIMIT :limit;

-- name: latest_events
SELECT id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
       occurred_at_us, offset_min, created_at_us, metadata, task, seq
  FROM event
 WHERE session = :session AND session <> ''
   AND created_at_us > :since_us AND occurred_at_us < :before_us
 ORDER BY occurred_at_us DESC, created_at_us DESC, id DESC
 LIMIT :limit;

-- name: latest_memories
SELECT {columns}
  FROM memory AS m
 WHERE m.session = :session AND m.session <> ''
   AND m.kind = 'episodic' AND m.event_type <> 'summary' AND m.shelf <> 'quarantined'
   AND m.created_at_us > :since_us AND m.occurred_at_us < :before_us
 ORDER BY m.occurred_at_us DESC, m.created_at_us DESC, m.id DESC
 LIMIT :limit;

-- name: turns_named
-- Not in order: that would send SQLite through the whole session.
SELECT occurred_at_us, created_at_us, id, x'65'
  FROM event
 WHERE session = :session AND message_id = :message_id AND message_id <> ''
 UNION ALL
SELECT occurred_at_us, created_at_us, id, x'6d'
  FROM memory
 WHERE session = :session AND message_id = :message_id AND message_id <> ''
   AND kind = 'episodic' AND event_type <> 'summary' AND shelf <> 'quarantined'
   AND occurred_at_us IS NOT NULL;

-- name: last_summary
SELECT {columns}
  FROM memory AS m
 WHERE m.event_type = 'summary' AND (:session IS NULL OR m.session = :session)
 ORDER BY m.occurred_at_us DESC, m.created_at_us DESC, m.id DESC
 LIMIT 1;

-- name: task_events
SELECT id, session, role, event_type, text, content_hash, speaker, message_id, parent, previous,
       occurred_at_us, offset_min, created_at_us, metadata, task, seq
  FROM event
 WHERE task = :task AND task <> ''
 ORDER BY occurred_at_us DESC, created_at_us DESC, id DESC
 LIMIT :limit;

-- name: task_memories
SELECT {columns}
  FROM memory AS m
 WHERE m.task = :task AND m.task <> ''
   AND m.kind = 'episodic' AND m.event_type <> 'summary' AND m.shelf <> 'quarantined'
 ORDER BY m.occurred_at_us DESC, m.created_at_us DESC, m.id DESC
 LIMIT :limit;
