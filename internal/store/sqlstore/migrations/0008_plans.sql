-- As 0007: what every reconciliation asks has to have an index that fits better than that of the primary key.

-- +goose Up
DROP INDEX stamp_requested;
CREATE INDEX stamp_requested ON stamp (state, document, position) WHERE state = 'requested';
