-- segel: expanding level 1
--
-- Logins as their owners see them, and what organisations demand of accounts (decision 0070). A family of tokens that a program of an
-- earlier release opened has no session until it is refreshed. No digest in the log covers sessions, like the tokens that they describe.

-- +goose Up
CREATE TABLE session (
    family TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    factor TEXT NOT NULL DEFAULT 'password',
    created_at BIGINT NOT NULL,
    proved_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ip TEXT NOT NULL,
    user_agent TEXT NOT NULL
);
CREATE INDEX session_person ON session (person, last_used_at);
CREATE TABLE account_policy (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    policy TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);
