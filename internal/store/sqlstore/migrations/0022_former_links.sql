-- segel: expanding level 1
--
-- The hashes of guest links that were replaced or revoked, so that their holder can be told why a link does not open the document any
-- more (decision 0003). They open nothing, so no digest in the log covers them.

-- +goose Up
CREATE TABLE former_link (
    hash BYTEA PRIMARY KEY,
    document BIGINT NOT NULL,
    person TEXT NOT NULL,
    ended_at BIGINT NOT NULL,
    revoked BOOLEAN NOT NULL -- else it was replaced by a newer one
);
