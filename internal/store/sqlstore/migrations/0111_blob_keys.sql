-- segel: expanding level 2
--
-- Keys of organisations under which their files are encrypted (decision 0096), each sealed under the master key. A row never changes, and none is deleted: the
-- header of each file names the key that it needs.

-- +goose Up
CREATE TABLE blob_key (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    generation BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (organisation, generation)
);

-- +goose Down
DROP TABLE blob_key;
