-- When the newest timestamp of a completed document is to be renewed. What was completed before is looked at at once.

-- +goose Up
CREATE TABLE renewal (
    document BIGINT PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    due_at BIGINT NOT NULL
);
CREATE INDEX renewal_due ON renewal (due_at, document);
INSERT INTO renewal (document, due_at) SELECT id, ended_at FROM document WHERE state = 'completed';
