-- name: create_keyword
CREATE VIRTUAL TABLE keyword USING fts5 (
    head, body, context,
    content = 'passage', content_rowid = 'passage',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- name: drop_keyword
DROP TABLE IF EXISTS keyword;

-- name: secure_keyword
INSERT INTO keyword (keyword, rank) VALUES ('secure-delete', 1);

-- name: rank_keyword
INSERT INTO keyword (keyword, rank) VALUES ('rank', 'bm25(2.0, 1.0, 0.5)');

-- name: merge_keyword
INSERT INTO keyword (keyword, rank) VALUES ('automerge', 2);

-- name: create_keyword_event
CREATE VIRTUAL TABLE keyword_event USING fts5 (
    body,
    content = 'event_words', content_rowid = 'event',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- name: drop_keyword_event
DROP TABLE IF EXISTS keyword_event;

-- name: secure_keyword_event
INSERT INTO keyword_event (keyword_event, rank) VALUES ('secure-delete', 1);

-- name: rebuild_keyword_event
INSERT INTO keyword_event (keyword_event) VALUES ('rebuild');

-- name: check_keyword_event
INSERT INTO keyword_event (keyword_event, rank) VALUES ('integrity-check', 1);

-- name: rebuild_keyword
INSERT INTO keyword (keyword) VALUES ('rebuild');

-- name: check_keyword
-- With rank 1 it also compares the index with the table that it was made from.
INSERT INTO keyword (keyword, rank) VALUES ('integrity-check', 1);

-- name: all_seqs
SELECT seq
  FROM memory;

-- name: count_orphans
-- Table and condition are from the list in verify.py.
SELECT count(*)
  FROM {table}
 WHERE {condition};

-- name: drop_orphans
DELETE FROM {table}
 WHERE {condition};

-- name: passages_of
SELECT passage & 63, tokenizer, head, body, context
  FROM passage
 WHERE passage BETWEEN :first AND :last
 ORDER BY passage;

-- name: links_held
SELECT target, relation
  FROM link
 WHERE seq = :seq;

-- name: turn_text
SELECT text FROM memory WHERE :kind = 'm' AND id = :id
 UNION ALL
SELECT text FROM event WHERE :kind = 'e' AND id = :id;

-- name: last_hash
SELECT keyed_hash
  FROM journal
 WHERE target = :target AND action <> 'erase'
 ORDER BY n DESC
 LIMIT 1;

-- name: event_words_of
SELECT tokenizer, body
  FROM event_words
 WHERE event = :event;

-- name: missing
-- What the journal last says was put or changed, and no table holds.
SELECT j.target
  FROM journal AS j
 WHERE j.action <> 'erase' AND substr(j.target, 1, 1) IN (x'6d', x'65')
   AND NOT EXISTS (SELECT 1 FROM journal AS k WHERE k.target = j.target AND k.n > j.n)
   AND NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.id = substr(j.target, 2))
   AND NOT EXISTS (SELECT 1 FROM event AS e WHERE e.id = substr(j.target, 2));

-- name: has_entry
SELECT 1
  FROM journal
 WHERE n = :n AND mac = :mac;
