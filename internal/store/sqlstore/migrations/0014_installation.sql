-- segel: expanding level 1
--
-- The identity of the installation that this database belongs to (docs/formats/installation.md), which binaries may write
-- to it, which binary applied each migration, and when an organisation was given what it starts with.
--
-- Organisations that have a grant already count as given it, also if an operator took it back.

-- +goose Up
CREATE TABLE installation (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    authority BYTEA NOT NULL,     -- SHA-256 of the root certificate; 32 zero bytes until it is made
    created_at BIGINT NOT NULL,
    completed_at BIGINT NOT NULL, -- 0: its keys and blobs are not marked yet
    stamp_office TEXT NOT NULL    -- the kind of stamp office that the service was started with last; empty: not known
);

-- Written by contracting migrations alone.
CREATE TABLE schema_level (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    oldest_writer BIGINT NOT NULL
);
INSERT INTO schema_level (one, oldest_writer) VALUES (1, 1);

CREATE TABLE schema_migration (
    version BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,           -- expanding or contracting; empty for those from before kinds
    level BIGINT NOT NULL,        -- of the first release that has it; 0 for those from before levels
    binary_version TEXT NOT NULL  -- that applied it; empty for those from before
);

ALTER TABLE quota ADD COLUMN initial_at BIGINT NOT NULL DEFAULT 0; -- 0: not decided yet
UPDATE quota SET initial_at = COALESCE((SELECT MIN(e.made_at) FROM quota_entry e
    WHERE e.organisation = quota.organisation AND e.unit = quota.unit AND e.op = 'grant'), 0);
