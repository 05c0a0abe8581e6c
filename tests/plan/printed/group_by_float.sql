SELECT (c2 + CAST(0 AS DOUBLE)) AS c0, count(*) AS c1, CAST(wt_sum(sum(c1), 'v') AS BIGINT) AS c2
FROM t
GROUP BY 1
