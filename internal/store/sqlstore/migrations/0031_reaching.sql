-- segel: expanding level 1
--
-- How the people of a document are reached, the codes that are sent to the mailboxes of guests, and what the sessions of guests have
-- proved (decision 0052). A code is derived from its row and the master key: the row alone does not tell it. No digest in the log covers
-- the rows, which events there describe: finalized, code_ordered, mailbox_verified.

-- +goose Up
ALTER TABLE document ADD COLUMN delivery TEXT NOT NULL DEFAULT '';

CREATE TABLE guest_code (
    document BIGINT NOT NULL,
    person TEXT NOT NULL,
    digest BYTEA NOT NULL,
    nonce BYTEA NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    ordered BIGINT NOT NULL,
    day_began BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (document, person)
);

CREATE TABLE proved_mailbox (
    token BYTEA PRIMARY KEY,
    address TEXT NOT NULL,
    digest BYTEA NOT NULL,
    proved_at BIGINT NOT NULL
);
