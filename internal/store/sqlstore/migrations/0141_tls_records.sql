-- segel: expanding level 2
--
-- What nodes share about the TLS certificate of their listener if an ACME server issues it (decision 0104): the account, the certificate with its
-- key, the open challenges, and when the next order may begin. The content is sealed under the master key, which is elsewhere. No digest in the log
-- covers it: what is missing is ordered again.

-- +goose Up
CREATE TABLE tls_record (
    name TEXT PRIMARY KEY,
    content BYTEA NOT NULL,
    stored_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE tls_record;
