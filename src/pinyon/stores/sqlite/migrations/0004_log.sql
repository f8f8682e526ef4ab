-- What happened is found by its words, and read again in the order in which it happened.
-- The words of events that are there already are filled in by filling.py.

-- One row an event that may be found; `event` is its seq.
CREATE TABLE event_words (
    event INTEGER PRIMARY KEY,
    tokenizer INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE keyword_event USING fts5 (
    body,
    content = 'event_words', content_rowid = 'event',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
INSERT INTO keyword_event (keyword_event, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE keyword_event_terms USING fts5vocab (keyword_event, row);

CREATE INDEX event_at ON event (occurred_at_us, created_at_us, id);
CREATE INDEX event_message ON event (session, message_id) WHERE message_id <> '';
CREATE INDEX memory_turn ON memory (occurred_at_us, created_at_us, id) WHERE kind = 'episodic';
CREATE INDEX memory_message ON memory (session, message_id) WHERE message_id <> '';

-- Until now every one was a message that did not say otherwise, whoever brought it.
UPDATE event
   SET event_type = CASE lower(role) WHEN 'thought' THEN 'thought' WHEN 'tool_call' THEN 'tool_call'
                    ELSE 'tool_result' END
 WHERE event_type = 'message'
   AND lower(role) IN ('thought', 'tool', 'function', 'tool_call', 'tool_result');
UPDATE memory
   SET event_type = CASE lower(role) WHEN 'thought' THEN 'thought' WHEN 'tool_call' THEN 'tool_call'
                    WHEN 'tool' THEN 'tool_result' WHEN 'function' THEN 'tool_result'
                    WHEN 'tool_result' THEN 'tool_result' ELSE 'message' END
 WHERE kind = 'episodic' AND event_type = '';
