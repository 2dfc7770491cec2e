-- segel: expanding level 1
--
-- Signers who passed their part to another person (decision 0057), as JSON; empty: none. The events of the document tell the same.

-- +goose Up
ALTER TABLE document ADD COLUMN delegations TEXT NOT NULL DEFAULT '';
