-- The lowest number that an update may give to a new object, above every reference of the file. 0 is not known: the file
-- is read for it when the next revision is made.

-- +goose Up
ALTER TABLE revision ADD COLUMN next_object BIGINT NOT NULL DEFAULT 0;
