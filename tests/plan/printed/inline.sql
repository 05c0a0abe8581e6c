SELECT
  unnest([struct_extract_at(x, 1) FOR x IN items]) AS c0,
  unnest([struct_extract_at(x, 2) FOR x IN items]) AS c1
FROM (
  SELECT [{'p': c1, 'q': c0}] AS items
  FROM t
)
