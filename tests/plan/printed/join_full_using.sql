SELECT coalesce(c0, c2) AS c0, c0 AS c1, c2, c3
FROM (
  SELECT c0, c1
  FROM t
) AS l
FULL JOIN u AS r(c2, c3)
ON (c0 = c2)
