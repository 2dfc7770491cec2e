-- segel: expanding level 1
--
-- Organisations that operators suspended or closed (decision 0062). One without a row is active, as all were before. Programs of earlier releases
-- do not read it, and let the people of such an organisation in.

-- +goose Up
CREATE TABLE organisation_state (
    id TEXT PRIMARY KEY REFERENCES organisation (id),
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);
