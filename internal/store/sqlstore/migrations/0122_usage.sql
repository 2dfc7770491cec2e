-- segel: expanding level 2
--
-- What an organisation stores, beside the number of its drafts and of all bytes (decision 0103): its documents, and the bytes of uploaded files and of evidence certificates. The rest of bytes
-- is what was signed. A release before this one does not count: segel fsck --repair does, once none of them runs any more.

-- +goose Up
ALTER TABLE storage ADD COLUMN documents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE storage ADD COLUMN originals BIGINT NOT NULL DEFAULT 0;
ALTER TABLE storage ADD COLUMN evidence BIGINT NOT NULL DEFAULT 0;
UPDATE storage SET documents = (SELECT COUNT(*) FROM document d WHERE d.organisation = storage.organisation),
    originals = (SELECT CAST(COALESCE(SUM(d.original_size), 0) AS BIGINT) FROM document d WHERE d.organisation = storage.organisation AND substr(d.original_key, 1, 8) <> 'removed/'),
    evidence = (SELECT CAST(COALESCE(SUM(e.file_size), 0) AS BIGINT) FROM evidence e JOIN document d ON d.id = e.document
        WHERE d.organisation = storage.organisation AND substr(e.file_key, 1, 8) <> 'removed/');

-- +goose Down
ALTER TABLE storage DROP COLUMN evidence;
ALTER TABLE storage DROP COLUMN originals;
ALTER TABLE storage DROP COLUMN documents;
