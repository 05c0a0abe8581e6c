SELECT
  c0,
  CASE WHEN ((CAST(CAST(c1 AS BIGINT) >> CAST((0 & 63) AS BIGINT) AS BIGINT) & CAST(1 AS BIGINT)) = CAST(1 AS BIGINT)) THEN CAST(1 AS TINYINT) ELSE CAST(0 AS TINYINT) END AS c1,
  c2
FROM (
  SELECT c5 AS c0, c6 AS c1, CAST(wt_sum(sum(c1), 'v') AS BIGINT) AS c2
  FROM (
    SELECT
      c0,
      c1,
      c2,
      c3,
      c4,
      CASE WHEN ((c5 & CAST(1 AS BIGINT)) = CAST(0 AS BIGINT)) THEN c0 ELSE CAST(NULL AS VARCHAR) END AS c5,
      c5 AS c6
    FROM (
      SELECT c0, c1, c2, c3, c4, unnest([CAST(0 AS BIGINT), CAST(1 AS BIGINT)]) AS c5
      FROM t
    )
  )
  GROUP BY 1, 2
)
