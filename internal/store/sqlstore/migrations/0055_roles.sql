-- segel: expanding level 1
--
-- The roles of accounts (decision 0074). An account without a row is an admin if its user is, and else a sender, as before. Programs of
-- earlier releases do not read it.

-- +goose Up
CREATE TABLE account_role (
    person TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);
-- The list of the documents of an organisation that were sent, for its admins and auditors.
CREATE INDEX document_organisation ON document (organisation, id) WHERE finalized_at <> 0;
