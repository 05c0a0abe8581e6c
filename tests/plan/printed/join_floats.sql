SELECT c0, c1, c2, c3
FROM floats AS l
JOIN floats AS r(c2, c3)
ON (c0 = c3)
