-- segel: expanding level 1
--
-- Accounts that guests created after they had verified their mailbox (decision 0061). Such an account opens the documents that name this
-- mailbox as a guest's, and no address but this one: users.email proves nothing.

-- +goose Up
CREATE TABLE mailbox_account (
    person TEXT PRIMARY KEY REFERENCES users (id),
    mailbox TEXT NOT NULL UNIQUE,
    proved_at BIGINT NOT NULL
);
