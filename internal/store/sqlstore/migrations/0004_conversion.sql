-- Word documents have no revision until they are converted. Warnings are JSON, a list of {field, code, args}.

-- +goose Up
ALTER TABLE document ADD COLUMN conversion TEXT NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN conversion_problem TEXT NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN conversion_warnings TEXT NOT NULL DEFAULT '[]';
