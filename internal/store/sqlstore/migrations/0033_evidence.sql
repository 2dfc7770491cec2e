-- segel: expanding level 1
--
-- The evidence certificate of a completed document (decision 0054): a file that is derived from the document, its events and its pages.
-- Each row is stated in the audit log, like its file.

-- +goose Up
CREATE TABLE evidence (
    document BIGINT PRIMARY KEY REFERENCES document (id),
    file_key TEXT NOT NULL UNIQUE,
    file_size BIGINT NOT NULL,
    file_digest BYTEA NOT NULL,
    file_sums BYTEA NOT NULL,
    made_at BIGINT NOT NULL
);
