SELECT c0, c1, (SELECT max(c1) AS c0 FROM u WHERE (c0 = o1.c0)) AS c2
FROM t AS o1
