-- Which conversation ended last is asked at the beginning of the next one.

CREATE INDEX memory_summary ON memory (occurred_at_us, created_at_us, id)
 WHERE event_type = 'summary';
