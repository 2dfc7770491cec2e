-- segel: expanding level 2
--
-- The files of the embedded authority, and the mark of the installation, of installations that keep them in the database (decision 0094). Keys in them
-- are sealed under the master key, which is elsewhere. Rows are added and never change. The row with the mark is the last one.

-- +goose Up
CREATE TABLE key_file (
    name TEXT PRIMARY KEY,
    content BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE key_file;
