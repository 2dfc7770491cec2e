-- segel: expanding level 2
--
-- Whether the audit log says that this database was restored (event restored). No digest in the log covers the column.

-- +goose Up
ALTER TABLE restoration ADD COLUMN logged BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE restoration DROP COLUMN logged;
