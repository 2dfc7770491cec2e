-- segel: expanding level 2
--
-- What is kept about calls to the stamp office, of installations that keep it in the database (decision 0094). office_entry has the journals of sandbox
-- offices, whose lines are docs/formats/office-journal.md: rows are added with consecutive numbers and never change. office_record has what an
-- office returned with a serial and is needed to affix it; retired_at is 0 until its stamp was returned. No digest in the log covers them.

-- +goose Up
CREATE TABLE office_entry (
    office TEXT NOT NULL,
    number BIGINT NOT NULL,
    content TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (office, number)
);
CREATE TABLE office_record (
    serial TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    retired_at BIGINT NOT NULL
);
CREATE INDEX office_record_retired ON office_record (retired_at);

-- +goose Down
DROP TABLE office_record;
DROP TABLE office_entry;
