-- segel: expanding level 1
--
-- Files that arrive in parts and can be continued after the line was cut (decision 0050). No digest in the log covers them: they
-- are not documents yet. What arrived is compared with its digest when it becomes one.

-- +goose Up
CREATE TABLE resumable_upload (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    filename TEXT NOT NULL,
    size BIGINT NOT NULL,      -- bytes of the whole file
    announced BYTEA NOT NULL,  -- SHA-256 of it as the client said, or 32 zeros
    received BIGINT NOT NULL,  -- bytes of all parts
    digest BYTEA NOT NULL,     -- SHA-256 of them
    midstate BYTEA NOT NULL,   -- state of that hash before padding
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    document BIGINT NOT NULL,  -- what was made of it; 0: nothing
    ended BOOLEAN NOT NULL     -- its blobs are being removed
);
CREATE INDEX resumable_upload_organisation ON resumable_upload (organisation, person);
CREATE INDEX resumable_upload_expiry ON resumable_upload (expires_at);

CREATE TABLE resumable_part (
    upload TEXT NOT NULL REFERENCES resumable_upload (id),
    begins BIGINT NOT NULL,    -- offset in the file
    file_key TEXT NOT NULL UNIQUE,
    file_size BIGINT NOT NULL,
    file_digest BYTEA NOT NULL,
    file_sums BYTEA NOT NULL,
    PRIMARY KEY (upload, begins)
);
