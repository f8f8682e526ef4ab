-- name: create_registry
CREATE TABLE IF NOT EXISTS space (
    name TEXT PRIMARY KEY,
    created_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS head (
    name TEXT PRIMARY KEY,
    n INTEGER NOT NULL,
    mac BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- name: list_spaces
SELECT name
  FROM space
 ORDER BY name;

-- name: put_space
INSERT INTO space (name, created_at_us)
VALUES (:name, :created_at_us)
ON CONFLICT DO NOTHING;

-- name: drop_space
DELETE FROM space
 WHERE name = :name;

-- name: find_head
SELECT n, mac
  FROM head
 WHERE name = :name;

-- name: put_head
-- An older head never replaces a newer one.
INSERT INTO head (name, n, mac)
VALUES (:name, :n, :mac)
ON CONFLICT (name) DO UPDATE
   SET n = excluded.n, mac = excluded.mac
 WHERE excluded.n > n;

-- name: drop_head
DELETE FROM head
 WHERE name = :name;
