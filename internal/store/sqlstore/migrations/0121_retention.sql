-- segel: expanding level 2
--
-- Retention and legal holds (decision 0102). An organisation without a row of retention keeps completed documents for ever. While a row of legal_hold has no lifted_at, what it covers is
-- neither deleted nor erased: one document, or all of the organisation if document is 0. removal_notice has the documents of whose removal their owner was told; no digest in the log covers it.
-- removed_document says that the files of a document were removed. Their keys begin with 'removed/' from then on.

-- +goose Up
CREATE TABLE retention (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    years BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE TABLE legal_hold (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    document BIGINT NOT NULL,
    reason TEXT NOT NULL,
    set_at BIGINT NOT NULL,
    lifted_at BIGINT NOT NULL
);
CREATE INDEX legal_hold_lasting ON legal_hold (organisation, document) WHERE lifted_at = 0;
CREATE TABLE removal_notice (
    document BIGINT PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    organisation TEXT NOT NULL,
    person TEXT NOT NULL,
    announced_at BIGINT NOT NULL
);
CREATE INDEX removal_notice_person ON removal_notice (organisation, person, announced_at);
CREATE TABLE removed_document (
    document BIGINT PRIMARY KEY REFERENCES document (id),
    removed_at BIGINT NOT NULL,
    years BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    evidence BYTEA NOT NULL
);
CREATE INDEX document_kept ON document (organisation, ended_at) WHERE state = 'completed' AND substr(original_key, 1, 8) <> 'removed/';
CREATE INDEX revision_removed ON revision (digest) WHERE substr(file_key, 1, 8) = 'removed/';

-- +goose Down
DROP INDEX revision_removed;
DROP INDEX document_kept;
DROP TABLE removed_document;
DROP TABLE removal_notice;
DROP TABLE legal_hold;
DROP TABLE retention;
