SELECT c0, c1
FROM (
  SELECT c1 AS c0
  FROM t
) AS l
JOIN (
  SELECT c1 AS c0
  FROM u
  LIMIT 1
) AS r(c1)
ON true
