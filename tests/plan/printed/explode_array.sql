SELECT c0, unnest(c3) AS c1
FROM t
