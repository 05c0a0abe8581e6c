SELECT c0, c1, c2
FROM (
  SELECT c2 AS c0, c3 AS c1, c4 AS c2
  FROM (
    SELECT
      c2,
      unnest([struct_extract_at(x, 1) FOR x IN items]) AS c3,
      unnest([struct_extract_at(x, 2) FOR x IN items]) AS c4
    FROM (
      SELECT c2, [{'col0': 'v', 'col1': CAST(c0 AS DOUBLE)}, {'col0': 'd', 'col1': c1}] AS items
      FROM (
        SELECT c1 AS c0, c2 AS c1, c0 AS c2
        FROM t
      )
    )
  )
  WHERE (c4 IS NOT NULL)
)
WHERE (c0 = 'a')
