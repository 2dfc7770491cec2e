-- segel: expanding level 1
--
-- API keys (decision 0081), the access tokens that were issued for them, and the networks from which they were used. Secrets are stored as their SHA-256.

-- +goose Up
CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    hash BYTEA NOT NULL UNIQUE,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    person TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    hint TEXT NOT NULL,
    scopes TEXT NOT NULL,
    networks TEXT NOT NULL,
    test BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL
);
CREATE INDEX api_key_person ON api_key (person, created_at);
CREATE INDEX api_key_organisation ON api_key (organisation, created_at);

CREATE TABLE api_key_token (
    hash BYTEA PRIMARY KEY,
    key TEXT NOT NULL REFERENCES api_key (id),
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX api_key_token_expiry ON api_key_token (expires_at);

CREATE TABLE api_key_network (
    key TEXT NOT NULL REFERENCES api_key (id),
    network TEXT NOT NULL,
    refused BOOLEAN NOT NULL,
    first_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (key, network, refused)
);
