-- segel: expanding level 1
--
-- The schedule of reminders that new documents of an organisation get (decision 0055), in days; 0: not.

-- +goose Up
CREATE TABLE reminder_schedule (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    after_days BIGINT NOT NULL,
    every_days BIGINT NOT NULL,
    before_days BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);
