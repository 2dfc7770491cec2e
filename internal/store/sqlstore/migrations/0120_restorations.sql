-- segel: expanding level 2
--
-- When this database was restored from a backup (decision 0101), and which state of the log it began again with. Orders of duty stamps that were placed between the snapshot and the
-- loss are not in the database, so the stamp office is asked for them. No digest in the log covers them.

-- +goose Up
CREATE TABLE restoration (
    number BIGINT PRIMARY KEY,
    backup TEXT NOT NULL,
    snapshot_at BIGINT NOT NULL,
    restored_at BIGINT NOT NULL,
    events BIGINT NOT NULL
);

-- +goose Down
DROP TABLE restoration;
