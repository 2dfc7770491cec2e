-- segel: expanding level 1
--
-- Who is invited to become a member of an organisation (decision 0063). A link works only with the secret that is derived from the master key and
-- from its row. No digest in the log covers the rows: events there tell who invited whom, and who accepted.

-- +goose Up
CREATE TABLE invitation (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    language TEXT NOT NULL,
    inviter TEXT NOT NULL,
    inviter_name TEXT NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ending TEXT NOT NULL,
    ended_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX invitation_open ON invitation (organisation, email_folded) WHERE ending = '';
CREATE INDEX invitation_organisation ON invitation (organisation, created_at) WHERE ending = '';
CREATE INDEX invitation_expiry ON invitation (expires_at);
