SELECT
  unnest([struct_extract(x, 'p') FOR x IN items]) AS c0,
  unnest([struct_extract(x, 'q') FOR x IN items]) AS c1
FROM (
  SELECT [{'p': c1, 'q': c0}] AS items
  FROM t
)
