SELECT
  c1 AS c0,
  unnest(CASE WHEN len(map_keys(c4)) > 0 THEN map_keys(c4) ELSE [NULL] END) AS c1,
  unnest(CASE WHEN len(map_keys(c4)) > 0 THEN map_values(c4) ELSE [NULL] END) AS c2
FROM t
