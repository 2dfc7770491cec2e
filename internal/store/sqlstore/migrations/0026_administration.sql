-- segel: expanding level 1
--
-- Disabled accounts, in a table of their own: the columns of a user's record never change (docs/formats/record.md). Programs of earlier
-- releases do not read it; the tokens of a disabled account end in the same transaction.
-- The indexes are for the lists of administrators: people of all organisations by name, and the log by time and by person.

-- +goose Up
CREATE TABLE disabled_account (
    person TEXT PRIMARY KEY,
    disabled_at BIGINT NOT NULL
);
CREATE INDEX users_all_by_name ON users (name_folded, id);
CREATE INDEX event_time ON event (at, leaf);
CREATE INDEX event_type_time ON event (type, at, leaf);
CREATE INDEX event_person ON event (person, leaf) WHERE person <> '';
CREATE INDEX event_email ON event (lower(email), leaf) WHERE email <> '';
