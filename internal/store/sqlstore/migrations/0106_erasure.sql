-- segel: expanding level 1
--
-- People whose data were asked to be erased (decision 0091). A row of erasure is the intention, and remains: it is why the account is one without a
-- person. done_at is 0 while something is left to erase. asked_by is empty for the command line.
-- erased_guest has the guests whose data were asked to be erased, of the documents that an organisation had then. They have no account.

-- +goose Up
CREATE TABLE erasure (
    person TEXT PRIMARY KEY REFERENCES users (id),
    organisation TEXT NOT NULL REFERENCES organisation (id),
    asked_by TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    done_at BIGINT NOT NULL
);
CREATE INDEX erasure_done ON erasure (done_at);
CREATE TABLE erased_guest (
    document BIGINT NOT NULL,
    person TEXT NOT NULL,
    erased_at BIGINT NOT NULL,
    PRIMARY KEY (document, person)
);

-- +goose Down
DROP TABLE erased_guest;
DROP TABLE erasure;
