-- segel: expanding level 1
--
-- How low a quota was when it was last reported: 0, not low; 1, few units are left; 2, none.

-- +goose Up
ALTER TABLE quota ADD COLUMN low BIGINT NOT NULL DEFAULT 0;
