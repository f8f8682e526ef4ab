-- What was done on a task is read again when the task is finished.

ALTER TABLE event ADD COLUMN task TEXT NOT NULL DEFAULT '';
CREATE INDEX event_task ON event (task, occurred_at_us) WHERE task <> '';
CREATE INDEX memory_task ON memory (task, occurred_at_us) WHERE task <> '';
