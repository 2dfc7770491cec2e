-- What was verified about whom a certificate is made out to, who named a guest, the organisation, and the e-mail that was
-- given: it stands in no certificate any more, and certificates are found by it. Of those made before, nothing is recorded.

-- +goose Up
ALTER TABLE certificate ADD COLUMN assurance TEXT NOT NULL DEFAULT '';
ALTER TABLE certificate ADD COLUMN named_by TEXT NOT NULL DEFAULT '';
ALTER TABLE certificate ADD COLUMN organisation TEXT NOT NULL DEFAULT '';
ALTER TABLE certificate ADD COLUMN email TEXT NOT NULL DEFAULT '';
