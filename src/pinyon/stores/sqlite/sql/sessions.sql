-- name: list_sessions
SELECT name, mode, started_at_us, last_turn_at_us, ended_at_us
  FROM session
 ORDER BY started_at_us, name;

-- name: put_session
INSERT INTO session (name, mode, started_at_us, last_turn_at_us, ended_at_us)
VALUES (:name, :mode, :started_at_us, :last_turn_at_us, :ended_at_us)
ON CONFLICT (name) DO UPDATE
   SET mode = excluded.mode, started_at_us = excluded.started_at_us,
       last_turn_at_us = excluded.last_turn_at_us, ended_at_us = excluded.ended_at_us;

-- name: in_session
UPDATE session
   SET last_turn_at_us = max(last_turn_at_us, :at_us)
 WHERE name = :name AND mode = :mode AND ended_at_us IS NULL
RETURNING name;

-- name: mode_of_session
SELECT mode
  FROM session
 WHERE name = :name;

-- name: put_session_over
INSERT INTO session_over (hash, at_us)
VALUES (:hash, :at_us)
ON CONFLICT (hash) DO UPDATE
   SET at_us = excluded.at_us;

-- name: drop_session_over
DELETE FROM session_over
 WHERE hash = :hash;

-- name: find_session_over
SELECT at_us
  FROM session_over
 WHERE hash = :hash;

-- name: put_session_ended
INSERT INTO session_ended (hash, at_us)
VALUES (:hash, :at_us)
ON CONFLICT (hash) DO UPDATE
   SET at_us = max(at_us, excluded.at_us);

-- name: find_session_ended
SELECT at_us
  FROM session_ended
 WHERE hash = :hash;

-- name: put_feedback
INSERT INTO feedback (seq, at_us, outcome, query, session)
VALUES (:seq, :at_us, :outcome, :query, :session);

-- name: drop_old_feedback
DELETE FROM feedback
 WHERE n IN (SELECT n FROM feedback ORDER BY n DESC LIMIT -1 OFFSET :kept);

-- name: drop_feedback_of_memory
DELETE FROM feedback
 WHERE seq = :seq;

-- name: drop_feedback_of_session
DELETE FROM feedback
 WHERE session = :session;

-- name: asked_in_feedback
SELECT n, query
  FROM feedback
 WHERE query <> '';

-- name: drop_feedback
DELETE FROM feedback
 WHERE n = :n;

-- name: list_feedback
SELECT m.id, f.outcome, f.query, f.session, f.at_us, f.n
  FROM feedback AS f
  JOIN memory AS m ON m.seq = f.seq
 WHERE f.n > :after
 ORDER BY f.n
 LIMIT :limit;
