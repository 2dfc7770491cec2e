-- segel: expanding level 1
--
-- When the service reminds people of a document by itself (decision 0055): derived from the rest of the row by each change.

-- +goose Up
ALTER TABLE document ADD COLUMN remind_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX document_remind ON document (remind_at, id) WHERE remind_at <> 0;
