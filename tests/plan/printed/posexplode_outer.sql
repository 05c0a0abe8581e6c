SELECT
  c1 AS c0,
  CAST(unnest(CASE WHEN len(c3) > 0 THEN range(len(c3)) ELSE [NULL] END) AS INTEGER) AS c1,
  unnest(CASE WHEN len(c3) > 0 THEN c3 ELSE [NULL] END) AS c2
FROM t
