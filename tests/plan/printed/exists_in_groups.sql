SELECT c0, c1
FROM (
  SELECT c0, CAST(wt_sum(sum((c1 + c5)), '+(v, subquery)') AS BIGINT) AS c1
  FROM (
    SELECT c0, c1, c2, c3, c4, (SELECT min(c1) AS c0 FROM u) AS c5
    FROM t
  )
  GROUP BY 1
) AS o1
WHERE EXISTS (SELECT c0, c1 FROM u WHERE (c0 = o1.c0))
