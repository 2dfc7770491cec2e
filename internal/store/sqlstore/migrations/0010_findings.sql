-- What was found in a document's file, JSON: a list of {code, page, args, refused, accepted}, whose members are added to
-- and never renamed. Files that came in before were not looked at.

-- +goose Up
ALTER TABLE document ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';
ALTER TABLE document ADD COLUMN examined BOOLEAN NOT NULL DEFAULT FALSE;
