-- name: last_entry
SELECT n, mac
  FROM journal
 ORDER BY n DESC
 LIMIT 1;

-- name: put_entry
INSERT INTO journal (n, at_us, actor, action, target, keyed_hash, mac)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: actor_of
INSERT INTO actor (name, surface)
VALUES (:name, :surface)
ON CONFLICT (name, surface) DO UPDATE
   SET name = excluded.name
RETURNING actor;

-- name: entries
SELECT j.n, j.at_us, a.name, a.surface, j.action, j.target, j.keyed_hash, j.mac
  FROM journal AS j
  JOIN actor AS a ON a.actor = j.actor
 WHERE j.n > :after
 ORDER BY j.n
 LIMIT :limit;

-- name: entries_of
SELECT j.n, j.at_us, a.name, a.surface, j.action, j.target, j.keyed_hash, j.mac
  FROM journal AS j
  JOIN actor AS a ON a.actor = j.actor
 WHERE j.target = :target AND j.n > :after
 ORDER BY j.n
 LIMIT :limit;
