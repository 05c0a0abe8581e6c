SELECT c0, c1, c2, c3
FROM (
  SELECT c0, c1
  FROM t
) AS l
JOIN u AS r(c2, c3)
ON (c0 = c2)
