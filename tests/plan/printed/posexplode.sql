SELECT CAST(unnest(range(len(items))) AS INTEGER) AS c0, unnest(items) AS c1, c0 AS c2
FROM (
  SELECT c0, [c1, 0] AS items
  FROM t
)
