-- segel: expanding level 2
--
-- Which documents are templates, and whom of their people, and of those of drafts, a person is to fill in (decision 0093): a JSON list of the identifiers in participant. A document that is neither
-- a template nor has placeholders has no row. A template is a draft to programs of earlier releases, and a placeholder is a guest without an
-- address; no list of theirs has templates, because those are in the list "template" of their owner and of their team.

-- +goose Up
CREATE TABLE document_template (
    document BIGINT PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    template BOOLEAN NOT NULL,
    placeholders TEXT NOT NULL
);

-- +goose Down
DROP TABLE document_template;
