-- segel: expanding level 1
--
-- Evidence certificates count as storage of their organisation (decision 0054), also those that exist.

-- +goose Up
UPDATE storage SET bytes = bytes + COALESCE((SELECT CAST(SUM(e.file_size) AS BIGINT) FROM evidence e JOIN document d ON d.id = e.document
    WHERE d.organisation = storage.organisation), 0);
