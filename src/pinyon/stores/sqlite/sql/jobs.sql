-- name: put_job
INSERT INTO job (
    id, task, payload, priority, dedupe_key, run_at_us, state, attempts, lease_until_us, last_error,
    forgiven
)
VALUES (
    :id, :task, :payload, :priority, :dedupe_key, :run_at_us, :state, :attempts, :lease_until_us,
    :last_error, :forgiven
);

-- name: equal_job
SELECT id
  FROM job
 WHERE dedupe_key = :dedupe_key AND dedupe_key <> '' AND state IN ('waiting', 'leased');

-- name: lease_job
UPDATE job
   SET state = 'leased', attempts = attempts + 1, lease_until_us = :until_us
 WHERE id = (
    SELECT id
      FROM job
     WHERE run_at_us <= :now_us
       AND (:tasks IS NULL OR task IN (SELECT value FROM json_each(:tasks)))
       AND (state = 'waiting' OR (state = 'leased' AND lease_until_us <= :now_us))
     ORDER BY priority, run_at_us, id
     LIMIT 1
 )
RETURNING id, task, payload, priority, dedupe_key, run_at_us, state, attempts, lease_until_us,
          last_error, forgiven;

-- name: renew_job
UPDATE job
   SET lease_until_us = :until_us
 WHERE id = :id AND state = 'leased' AND attempts = :attempts
RETURNING id;

-- name: list_jobs
SELECT id, task, payload, priority, dedupe_key, run_at_us, state, attempts, lease_until_us,
       last_error, forgiven
  FROM job
 WHERE :state IS NULL OR state = :state
 ORDER BY rowid;

-- name: cancel_job
UPDATE job
   SET state = 'cancelled', lease_until_us = NULL
 WHERE id = :id AND state IN ('waiting', 'leased')
RETURNING id;

-- name: retry_job
UPDATE job
   SET state = 'waiting', run_at_us = min(run_at_us, :now_us), forgiven = attempts
 WHERE id = :id
   AND state IN ('waiting', 'dead', 'cancelled')
   AND (state = 'waiting' OR NOT EXISTS (
        SELECT 1
          FROM job AS twin
         WHERE twin.dedupe_key = job.dedupe_key
           AND twin.dedupe_key <> ''
           AND twin.state IN ('waiting', 'leased')
   ))
RETURNING run_at_us;

-- name: give_back_job
UPDATE job
   SET state = 'waiting', run_at_us = :run_at_us, lease_until_us = NULL, forgiven = forgiven + 1
 WHERE id = :id AND state = 'leased' AND attempts = :attempts
RETURNING run_at_us;

-- name: next_job
-- Runs on files that were not migrated yet: it names no column that was added later.
SELECT min(iif(state = 'waiting', run_at_us, max(run_at_us, lease_until_us)))
  FROM job
 WHERE state IN ('waiting', 'leased')
   AND (:tasks IS NULL OR task IN (SELECT value FROM json_each(:tasks)));

-- name: scheduled_jobs
SELECT dedupe_key
  FROM job
 WHERE dedupe_key GLOB 'every:*' AND state IN ('waiting', 'leased');

-- name: count_awaited
SELECT count(*)
  FROM (SELECT 1 FROM memory WHERE awaits & {bit} LIMIT :most);

-- name: drop_ended_jobs
DELETE FROM job
 WHERE rowid < (SELECT max(rowid) FROM job) - :kept AND state IN ('done', 'cancelled');

-- name: finish_job
UPDATE job
   SET state = :state,
       lease_until_us = NULL,
       last_error = :last_error,
       run_at_us = coalesce(:retry_at_us, run_at_us)
 WHERE id = :id AND state = 'leased' AND attempts = :attempts
RETURNING id;

-- name: measure_jobs
SELECT state, count(*), min(run_at_us)
  FROM job
 GROUP BY state;
