-- segel: expanding level 1
--
-- Requests for a new password that wait for the job which orders the messages, and the links in those messages (decision 0071). A link works
-- only with the secret that is derived from the master key. No digest in the log covers the rows: events there tell what was asked and changed.

-- +goose Up
CREATE TABLE password_request (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    language TEXT NOT NULL,
    ip TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    requested_at BIGINT NOT NULL
);
CREATE TABLE password_reset (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX password_reset_person ON password_reset (person);
CREATE INDEX password_reset_expiry ON password_reset (expires_at);
