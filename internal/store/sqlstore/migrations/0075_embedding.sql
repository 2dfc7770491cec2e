-- segel: expanding level 1
--
-- The origins in whose pages those of an organisation may be shown in frames, separated by spaces, and the addresses of such pages (decision
-- 0080). No digest in the log covers the addresses: events of their documents tell who asked for one and that it was opened.

-- +goose Up
CREATE TABLE embedding (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    origins TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE embed_address (
    hash BYTEA PRIMARY KEY,
    organisation TEXT NOT NULL,
    document BIGINT NOT NULL,
    person TEXT NOT NULL,
    purpose TEXT NOT NULL,
    origins TEXT NOT NULL,
    requester TEXT NOT NULL,
    requester_name TEXT NOT NULL,
    requester_email TEXT NOT NULL,
    session TEXT NOT NULL,
    api_key TEXT NOT NULL,
    key_name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    origin TEXT NOT NULL
);
CREATE INDEX embed_address_document ON embed_address (document, person);
CREATE INDEX embed_address_expiry ON embed_address (expires_at);

-- +goose Down
DROP TABLE embed_address;
DROP TABLE embedding;
