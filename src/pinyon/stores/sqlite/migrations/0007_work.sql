-- Attempts of a job that do not count, and what a day of background work spent on models.

ALTER TABLE job ADD COLUMN forgiven INTEGER NOT NULL DEFAULT 0;

CREATE TABLE spent (
    -- One row, of the last day on which anything was spent.
    one INTEGER PRIMARY KEY CHECK (one = 1),
    day INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;
