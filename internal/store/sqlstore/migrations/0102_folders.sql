-- segel: expanding level 1
--
-- Folders, and the documents in them (decision 0088). A space is whose lists they sort: that of a person has the person's identifier. No digest in the log covers them.

-- +goose Up
CREATE TABLE folder (
    id TEXT PRIMARY KEY,
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (space, name_folded)
);
CREATE TABLE folder_document (
    space TEXT NOT NULL,
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    folder TEXT NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
    PRIMARY KEY (document, space)
);
CREATE INDEX folder_document_folder ON folder_document (folder, document);

-- +goose Down
DROP TABLE folder_document;
DROP TABLE folder;
