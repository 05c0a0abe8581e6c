SELECT c0, (-c1) AS c1, c1 AS c2
FROM (
  SELECT c0, c1
  FROM t
)
