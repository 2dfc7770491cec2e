-- segel: expanding level 1
--
-- Messages to people, ordered by the commit that makes them necessary, and the links in them (decision 0051). No digest in the log
-- covers the rows: each delivery is an event there. A link works only with the secret that is derived from the master key.

-- +goose Up
CREATE TABLE notice (
    id TEXT PRIMARY KEY,
    document BIGINT NOT NULL,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    person TEXT NOT NULL,
    kind TEXT NOT NULL,
    by_name TEXT NOT NULL,
    state TEXT NOT NULL,
    ordered_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    done_at BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    address TEXT NOT NULL,
    problem TEXT NOT NULL
);
CREATE INDEX notice_document ON notice (document, id);
CREATE INDEX notice_state ON notice (state, id);
CREATE INDEX notice_due ON notice (due_at) WHERE state = 'ordered';

CREATE TABLE mailed_link (
    document BIGINT NOT NULL,
    person TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    PRIMARY KEY (document, person)
);
