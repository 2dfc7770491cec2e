-- segel: expanding level 2
--
-- Backups (decision 0101). While one has neither ended nor expired, no file is deleted that a document referred to: the backup may still have to copy it.
-- Completed_at is 0 for one that is under way or ended early. No digest in the log covers them.

-- +goose Up
CREATE TABLE backup_run (
    id TEXT PRIMARY KEY,
    destination TEXT NOT NULL,
    began_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    completed_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE backup_run;
