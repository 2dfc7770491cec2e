-- segel: expanding level 2
--
-- Ticket names the call that took a lease last (decision 0095), so that a call that did not learn the outcome of its commit finds its lease, or gives it
-- back; empty: the call had no name. No digest in the log covers it.

-- +goose Up
ALTER TABLE lease ADD COLUMN ticket TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE lease DROP COLUMN ticket;
