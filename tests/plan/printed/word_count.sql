SELECT c0, count(*) AS c1
FROM (
  SELECT unnest(string_split(c0, ' ')) AS c0
  FROM lines
)
GROUP BY 1
