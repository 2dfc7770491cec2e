-- segel: expanding level 1
--
-- What a notice about an account says (decision 0071), as JSON. Such a notice has the document 0.

-- +goose Up
ALTER TABLE notice ADD COLUMN account TEXT NOT NULL DEFAULT '';
