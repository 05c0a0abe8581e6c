SELECT c0, c1
FROM (
  SELECT c0, (c1 * 10) AS c1, c1 AS c2, c2 AS c3, c3 AS c4, c4 AS c5
  FROM t
)
WHERE (c1 > 10)
  AND (c2 < 4)
