SELECT c0, c1
FROM (
  SELECT c0, c1, c2, c3
  FROM (
    SELECT c0, (c1 + CAST(1 AS BIGINT)) AS c1, (c2 > 1) AS c2, c3
    FROM (
      SELECT wt_upper(c0) AS c0, CAST(wt_sum(sum(c1), 'v') AS BIGINT) AS c1, max(c1) AS c2, min(c1) AS c3
      FROM t
      GROUP BY 1
    )
  )
  WHERE c2
  ORDER BY c3 DESC NULLS LAST
)
