SELECT 1 AS c0
FROM (
  SELECT 1 AS none
  FROM t
  WHERE false
  HAVING count(*) >= 0
)
