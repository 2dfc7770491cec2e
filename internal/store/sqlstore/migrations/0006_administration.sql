-- What administrators look at. A report is JSON: contract.Reconciliation, whose members are added to and never renamed.

-- +goose Up
CREATE TABLE reconciliation (
    number BIGINT PRIMARY KEY,
    made_at BIGINT NOT NULL,
    report TEXT NOT NULL
);

-- Whom a certificate is made out to: his identifier, which begins the subject's text.
ALTER TABLE certificate ADD COLUMN holder TEXT NOT NULL DEFAULT '';
UPDATE certificate SET holder = substr(subject, 14, 36) WHERE subject LIKE 'SERIALNUMBER=%';
CREATE INDEX certificate_end ON certificate (not_after, serial);
CREATE INDEX certificate_holder ON certificate (holder);

CREATE INDEX event_type ON event (type, leaf);
CREATE INDEX document_failed ON document (id) WHERE state = 'failed';
