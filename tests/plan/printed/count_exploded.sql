SELECT count(*) AS c0
FROM (
  SELECT c0, unnest(c3) AS c1
  FROM t
)
