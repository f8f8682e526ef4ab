-- name: put_job
INSERT INTO job (
    id, task, payload, priority, dedupe_key, run_at_us, state, attempts, lease_until_us, last_error
)
VALUES (
    :id, :task, :payload, :priority, :dedupe_key, :run_at_us, :state, :attempts, :lease_until_us,
    :last_error
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
          last_error;

-- name: renew_job
UPDATE job
   SET lease_until_us = :until_us
 WHERE id = :id AND state = 'leased' AND attempts = :attempts
RETURNING id;

-- name: list_jobs
SELECT id, task, payload, priority, dedupe_key, run_at_us, state, attempts, lease_until_us,
       last_error
  FROM job
 WHERE :state IS NULL OR state = :state
 ORDER BY rowid;

-- name: cancel_job
UPDATE job
   SET state = 'cancelled', lease_until_us = NULL
 WHERE id = :id AND state IN ('waiting', 'leased')
RETURNING id;

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
