SELECT c0, c1, CAST(wt_sum(sum(c1) OVER (), 'count') AS BIGINT) AS c2
FROM (
  SELECT c0, count(*) AS c1
  FROM t
  GROUP BY 1
)
