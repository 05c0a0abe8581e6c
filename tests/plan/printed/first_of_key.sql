SELECT c0, c1
FROM (
  SELECT c0, c1, row_number() OVER () AS n
  FROM (
    SELECT c0, c1
    FROM t
  )
)
QUALIFY row_number() OVER (PARTITION BY c0 ORDER BY n) = 1
ORDER BY n
