-- segel: expanding level 2
--
-- The processes that share this database (decision 0095). Times are microseconds by the clock of the database. A node renews expires_at while it lives;
-- ended_at is 0 until it has ended: by itself, or by the node that first found its lease overdue. Session is what its connections are called, so that they
-- can be closed; empty: unknown. Names are never used again. No digest in the log covers them.

-- +goose Up
CREATE TABLE node (
    name TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    release TEXT NOT NULL,
    roles TEXT NOT NULL,
    session TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE node;
