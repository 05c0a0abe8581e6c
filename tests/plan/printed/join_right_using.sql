SELECT c2 AS c0, c1, c3 AS c2
FROM (
  SELECT c0, c1
  FROM t
) AS l
RIGHT JOIN u AS r(c2, c3)
ON (c0 = c2)
