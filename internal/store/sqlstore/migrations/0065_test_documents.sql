-- segel: expanding level 1
--
-- Documents that were made with a test key (decision 0082). A row is added with its document and never changes. Programs of earlier releases do not read
-- it: no test key works until they have ended, because they know no keys.

-- +goose Up
CREATE TABLE test_document (
    document BIGINT PRIMARY KEY
);
