-- segel: expanding level 1
--
-- Labels of organisations, and the documents that have them (decision 0088). They are not evidence: no digest in the log covers them, and the log has an event of
-- each change of a label.

-- +goose Up
CREATE TABLE label (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    colour TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (organisation, name_folded)
);
CREATE TABLE document_label (
    organisation TEXT NOT NULL,
    label TEXT NOT NULL REFERENCES label (id) ON DELETE CASCADE,
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    PRIMARY KEY (label, document)
);
CREATE INDEX document_label_document ON document_label (document);

-- +goose Down
DROP TABLE document_label;
DROP TABLE label;
