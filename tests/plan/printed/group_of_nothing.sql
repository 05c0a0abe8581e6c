SELECT count(*) AS c0, CAST(wt_sum(sum(c1), 'v') AS BIGINT) AS c1
FROM t
WHERE (c0 = 'zz')
