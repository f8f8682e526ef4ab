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
-- Of spaces that were erased; `space` is a keyed hash of the name.
CREATE TABLE IF NOT EXISTS receipt (
    id BLOB PRIMARY KEY,
    space BLOB NOT NULL,
    at_us INTEGER NOT NULL,
    counts TEXT NOT NULL,
    complete INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS may (
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    permission TEXT NOT NULL,
    PRIMARY KEY (space, holder)
) STRICT, WITHOUT ROWID;
-- `secret_hash` is keyed with what is derived from the home's secret.
CREATE TABLE IF NOT EXISTS api_key (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    holder TEXT,
    agent TEXT,
    project TEXT,
    name TEXT NOT NULL,
    created_at_us INTEGER NOT NULL,
    expires_at_us INTEGER,
    last_used_at_us INTEGER,
    revoked_at_us INTEGER,
    secret_hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
-- What a user lets memory keep; `space` is a keyed hash of the name, `never` a list in JSON.
CREATE TABLE IF NOT EXISTS consent (
    space BLOB PRIMARY KEY,
    paused INTEGER NOT NULL,
    never TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Hints: which spaces seem to have work. A power cut may take them; `mark` moves with each.
CREATE TABLE IF NOT EXISTS work (
    name TEXT PRIMARY KEY,
    due_at_us INTEGER NOT NULL,
    mark INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS work_due ON work (due_at_us);
-- What the spaces spent on models together; see the table of this name in a space's file.
CREATE TABLE IF NOT EXISTS spent (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    day INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;

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

-- name: list_work
SELECT name, due_at_us, mark
  FROM work
 WHERE due_at_us <= :before_us
 ORDER BY due_at_us, name
 LIMIT :limit;

-- name: put_work
INSERT INTO work (name, due_at_us, mark)
VALUES (:name, :due_at_us, :mark)
ON CONFLICT (name) DO UPDATE
   SET due_at_us = min(due_at_us, excluded.due_at_us), mark = excluded.mark;

-- name: settle_work
UPDATE work
   SET due_at_us = :due_at_us
 WHERE name = :name AND mark = :mark
RETURNING name;

-- name: end_work
DELETE FROM work
 WHERE name = :name AND mark = :mark
RETURNING name;

-- name: drop_work
DELETE FROM work
 WHERE name = :name;

-- name: put_erasure
INSERT INTO receipt (id, space, at_us, counts, complete)
VALUES (:id, :space, :at_us, :counts, 0);

-- name: list_erasures
SELECT id, at_us, counts, complete
  FROM receipt
 WHERE space = :space
 ORDER BY at_us, id;

-- name: complete_erasures
UPDATE receipt
   SET complete = 1
 WHERE space = :space;

-- name: list_grants
SELECT space, holder, permission
  FROM may
 WHERE :space IS NULL OR space = :space
 ORDER BY space, holder;

-- name: put_grant
INSERT INTO may (space, holder, permission)
VALUES (:space, :holder, :permission)
ON CONFLICT (space, holder) DO UPDATE
   SET permission = excluded.permission;

-- name: drop_grant
DELETE FROM may
 WHERE space = :space AND holder = :holder
RETURNING holder;

-- name: all_erasures
SELECT id, space, at_us, counts, complete
  FROM receipt
 WHERE :space IS NULL;

-- name: save_erasure
INSERT INTO receipt (id, space, at_us, counts, complete)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: put_key
INSERT INTO api_key
VALUES (:id, :tenant, :role, :holder, :agent, :project, :name,
        :created_at_us, :expires_at_us, :last_used_at_us, :revoked_at_us, :secret_hash);

-- name: put_first_key
-- One statement, so that of two processes that begin at once one is first.
INSERT INTO api_key
SELECT :id, :tenant, :role, :holder, :agent, :project, :name,
       :created_at_us, :expires_at_us, :last_used_at_us, :revoked_at_us, :secret_hash
 WHERE NOT EXISTS (SELECT 1 FROM api_key WHERE tenant = :tenant)
RETURNING id;

-- name: find_key
SELECT id, tenant, role, holder, agent, project, name,
       created_at_us, expires_at_us, last_used_at_us, revoked_at_us, secret_hash
  FROM api_key
 WHERE id = :id;

-- name: list_keys
SELECT id, tenant, role, holder, agent, project, name,
       created_at_us, expires_at_us, last_used_at_us, revoked_at_us, secret_hash
  FROM api_key
 WHERE :tenant IS NULL OR tenant = :tenant
 ORDER BY created_at_us, id;

-- name: revoke_key
UPDATE api_key
   SET revoked_at_us = :at_us
 WHERE id = :id AND revoked_at_us IS NULL
RETURNING id;

-- name: use_keys
-- `used` is JSON: of each key, by the digits of its id, when it was used last.
UPDATE api_key
   SET last_used_at_us = max(ifnull(last_used_at_us, used.value), used.value)
  FROM json_each(:used) AS used
 WHERE api_key.id = unhex(used.key);

-- name: drop_closed_keys
DELETE FROM api_key
 WHERE tenant = :tenant AND holder = :holder
   AND (revoked_at_us IS NOT NULL OR expires_at_us <= :now_us);

-- name: all_keys
SELECT id, tenant, role, holder, agent, project, name,
       created_at_us, expires_at_us, last_used_at_us, revoked_at_us, secret_hash
  FROM api_key
 WHERE :space IS NULL;

-- name: save_key
INSERT INTO api_key
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: find_consent
SELECT paused, never
  FROM consent
 WHERE space = :space;

-- name: put_consent
INSERT INTO consent (space, paused, never)
VALUES (:space, coalesce(:paused, 0), coalesce(:never, '[]'))
ON CONFLICT (space) DO UPDATE
   SET paused = coalesce(:paused, paused), never = coalesce(:never, never)
RETURNING paused, never;

-- name: fold_registry
PRAGMA wal_checkpoint(TRUNCATE);

-- name: all_consents
SELECT space, paused, never
  FROM consent
 WHERE :space IS NULL;

-- name: save_consent
INSERT INTO consent (space, paused, never)
VALUES (?, ?, ?)
ON CONFLICT DO NOTHING;
