SELECT c0
FROM nothing
WHERE true
