-- segel: expanding level 1
--
-- Accounts and groups that the directory of an organisation manages (SCIM 2.0, decision 0079). The secret of a directory is stored as its SHA-256. A person
-- without a row in scim_user has no attributes but those of their account.

-- +goose Up
CREATE TABLE scim_token (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    hash BYTEA NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL
);

CREATE TABLE scim_user (
    person TEXT PRIMARY KEY REFERENCES users (id),
    external_id TEXT NOT NULL,
    given_name TEXT NOT NULL,
    family_name TEXT NOT NULL,
    deleted BOOLEAN NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE INDEX scim_user_external ON scim_user (external_id);

CREATE TABLE scim_group (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    external_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    edits BIGINT NOT NULL
);
CREATE UNIQUE INDEX scim_group_name ON scim_group (organisation, name_folded);

CREATE TABLE scim_member (
    scim_group TEXT NOT NULL REFERENCES scim_group (id),
    person TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (scim_group, person)
);
CREATE INDEX scim_member_person ON scim_member (person);
