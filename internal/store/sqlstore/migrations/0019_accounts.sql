-- segel: expanding level 1
--
-- An e-mail address has one account in each organisation, not one in all (decision 0036). SQLite cannot take a constraint
-- from a table, so the table is made again. The constraint begins with the address, so that its index also finds all accounts
-- of an address. No table refers to users by a foreign key.

-- +goose Up
CREATE TABLE users_new (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    admin BOOLEAN NOT NULL,
    password TEXT NOT NULL,
    must_reset BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    given BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE (email_folded, organisation)
);
INSERT INTO users_new (id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, created_at, given)
    SELECT id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, created_at, given FROM users;
DROP TABLE users;
ALTER TABLE users_new RENAME TO users;
CREATE INDEX users_by_name ON users (organisation, name_folded, id);
