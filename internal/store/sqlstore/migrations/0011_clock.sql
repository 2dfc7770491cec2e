-- What the clock is compared with: the latest time of an event, and that of the latest timestamp in a committed document, of
-- those since an operator confirmed the clock. The one row of the log has them, since every append locks it anyway.
--
-- A credential is not used before it begins. Those of before this migration begin a minute before they were made.

-- +goose Up
ALTER TABLE log_size ADD COLUMN latest_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE log_size ADD COLUMN timestamp_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE log_size ADD COLUMN timestamp_accuracy BIGINT NOT NULL DEFAULT 0; -- microseconds
UPDATE log_size SET latest_at = COALESCE((SELECT MAX(at) FROM event), 0);

ALTER TABLE credential ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0;
UPDATE credential SET not_before = created_at;
