-- Purpose: every column of the public schema that can hold a text, and how to read it.
-- Parameters: none.
-- Rows: table, column, kind (text, array or bytes), the key's columns, each once.
SELECT c.relname, a.attname,
    CASE
        WHEN t.typname = 'bytea' THEN 'bytes'
        WHEN t.typcategory = 'A' THEN 'array'
        ELSE 'text'
    END,
    ARRAY(
        SELECT k.attname::text FROM pg_index AS i
        JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary
        ORDER BY k.attnum
    )
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_type AS e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE c.relnamespace = 'public'::regnamespace
    AND c.relkind IN ('r', 'p', 'm')
    AND NOT c.relispartition
    -- Numbers, moments, truth values, ids and vectors hold no text.
    AND coalesce(e.typcategory, t.typcategory) NOT IN ('N', 'B', 'D', 'T')
    AND coalesce(e.typname, t.typname) NOT IN ('uuid', 'vector', 'halfvec', 'sparsevec')
ORDER BY c.relname, a.attnum
