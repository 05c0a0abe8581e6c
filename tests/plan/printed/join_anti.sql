SELECT c0, c1
FROM (
  SELECT c0, c1
  FROM t
) AS l
ANTI JOIN u AS r(c2, c3)
ON (c0 = c2)
