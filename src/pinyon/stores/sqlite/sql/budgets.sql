-- name: spend
-- Gives a row where it was counted. Of an earlier day nothing counts any more.
INSERT INTO spent (one, day, calls, tokens)
SELECT 1, :day, max(0, :calls), max(0, :tokens)
 WHERE :calls <= :calls_max AND :tokens <= :tokens_max
ON CONFLICT (one) DO UPDATE
   SET day = max(day, excluded.day),
       calls = max(0, :calls + iif(day < excluded.day, 0, calls)),
       tokens = max(0, :tokens + iif(day < excluded.day, 0, tokens))
 WHERE :calls + iif(day < excluded.day, 0, calls) <= :calls_max
   AND :tokens + iif(day < excluded.day, 0, tokens) <= :tokens_max
RETURNING one;

-- name: read_spent
SELECT calls, tokens
  FROM spent
 WHERE day = :day;
