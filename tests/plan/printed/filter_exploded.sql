SELECT c0, c1
FROM (
  SELECT c0, unnest(c3) AS c1
  FROM t
)
WHERE (c1 > 1)
