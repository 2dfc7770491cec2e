-- segel: expanding level 1
--
-- How often passwords and new passwords were tried (decision 0069), so that all processes of an installation and restarts share the counts. A key is the hash of
-- what is counted; a row whose spent_until has passed means the same as none. No digest in the log covers them.

-- +goose Up
CREATE TABLE try_count (
    kind TEXT NOT NULL,
    key BYTEA NOT NULL,
    spent_until BIGINT NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE INDEX try_count_spent ON try_count (kind, spent_until);

-- +goose Down
DROP TABLE try_count;
