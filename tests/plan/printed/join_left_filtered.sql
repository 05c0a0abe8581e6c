SELECT c0, c1, c2, c3
FROM (
  SELECT c0, c1
  FROM t
) AS l
LEFT JOIN u AS r(c2, c3)
ON ((c0 = c2) AND (c3 > 6))
WHERE (c1 < 3)
