-- SQLite has no statistics: of two indexes that fit it takes either. What is asked before each order has to have one that
-- fits better.

-- +goose Up
DROP INDEX serial_free;
CREATE INDEX serial_free ON serial (state, organisation, changed_at, serial) WHERE state = 'free';
CREATE INDEX quota_entry_organisation ON quota_entry (organisation, made_at);
