SELECT c0
FROM (
  SELECT 'a
b' AS c0
)
WHERE (c0 = 'a
b')
