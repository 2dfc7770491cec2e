-- segel: expanding level 1
--
-- Sessions of several accounts of one person that were opened in one client, each with its own proof (decision 0064). Those of a chain can switch to
-- one another. Programs of earlier releases open sessions without one.

-- +goose Up
ALTER TABLE session ADD COLUMN chain TEXT NOT NULL DEFAULT '';
CREATE INDEX session_chain ON session (chain) WHERE chain <> '';
