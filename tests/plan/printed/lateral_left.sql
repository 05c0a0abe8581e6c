SELECT c1 AS c0, c5 AS c1
FROM (
  SELECT c0, c1, c2, c3, c4, c5
  FROM t AS o1
  LEFT JOIN LATERAL (
    SELECT (c1 + o1.c1) AS c0
    FROM u
    WHERE ((c0 = o1.c0) AND (c1 > 5))
  ) AS r(c5) ON true
)
