-- segel: expanding level 2
--
-- Files that nothing referred to and that were taken out of the store of files (decision 0089). A transaction that would refer to one is refused. The row is committed before the file is moved,
-- and stays: keys are never used again. No digest in the log covers the rows.

-- +goose Up
CREATE TABLE collected_file (
    file_key TEXT PRIMARY KEY,
    collected_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE collected_file;
