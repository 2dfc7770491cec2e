-- segel: expanding level 1
--
-- Second factors of accounts (decision 0078). What proves a person is a record of the log: the sealed secret of an authenticator app,
-- passkeys and hashes of recovery codes. What changes with each use is in tables of its own, so that logins do not make the log grow.

-- +goose Up
CREATE TABLE authenticator (
    person TEXT PRIMARY KEY,
    secret BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE passkey (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key BYTEA NOT NULL,
    model BYTEA NOT NULL,
    transports TEXT NOT NULL,
    backup_eligible BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX passkey_person ON passkey (person);
CREATE TABLE recovery_code (
    person TEXT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (person, hash)
);
CREATE TABLE passkey_use (
    passkey TEXT PRIMARY KEY,
    sign_count BIGINT NOT NULL,
    backed_up BOOLEAN NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE TABLE code_use (
    person TEXT PRIMARY KEY,
    wrong BIGINT NOT NULL,
    tried_at BIGINT NOT NULL,
    step BIGINT NOT NULL,
    code BYTEA,
    binding BYTEA,
    used_at BIGINT NOT NULL
);
CREATE TABLE used_challenge (
    ticket BYTEA PRIMARY KEY,
    binding BYTEA,
    used_at BIGINT NOT NULL
);
