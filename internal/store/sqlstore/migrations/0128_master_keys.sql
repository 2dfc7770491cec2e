-- segel: expanding level 2
--
-- Which master keys values may be sealed under (decision 0110), by identifier: the keys themselves are elsewhere. An installation whose master key was never
-- exchanged has no row. A row with used_at 0 announces a key that seals nothing yet; from retired_at on nothing is sealed under a key. Derived keys were
-- derived from the first master key; they stay the same when it is exchanged, and are sealed like other values. Master_keys of a node are the identifiers of
-- its master keys, separated by spaces, that which seals first; empty: of a release that does not know more than one.

-- +goose Up
CREATE TABLE master_key (
    id TEXT PRIMARY KEY,
    announced_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    retired_at BIGINT NOT NULL
);

CREATE TABLE derived_key (
    purpose TEXT PRIMARY KEY,
    sealed BYTEA NOT NULL
);

ALTER TABLE node ADD COLUMN master_keys TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE node DROP COLUMN master_keys;
DROP TABLE derived_key;
DROP TABLE master_key;
