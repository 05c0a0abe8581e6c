SELECT
  count(*) FILTER (WHERE (c1 > 1)) AS c0,
  count(DISTINCT c0) AS c1,
  CAST(wt_sum(sum(c1) FILTER (WHERE (c0 = 'a')), 'v') AS BIGINT) AS c2,
  coalesce(list(c0) FILTER (WHERE c0 IS NOT NULL), []) AS c3
FROM t
