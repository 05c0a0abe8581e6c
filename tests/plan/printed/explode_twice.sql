SELECT c5 AS c0, c6 AS c1, (c5 + c6) AS c2
FROM (
  SELECT c5, unnest(c3) AS c6
  FROM (
    SELECT c3, unnest(c3) AS c5
    FROM t
  )
)
