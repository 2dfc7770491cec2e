-- segel: expanding level 1
--
-- The signatures that are missing, by person, from which the lists find what waits, and the documents of a person by e-mail address
-- (decision 0045). Addresses are ASCII, so lower() is the same in both databases.

-- +goose Up
CREATE INDEX participant_unsigned ON participant (person, document) WHERE role = 'signer' AND signed_at = 0;
CREATE INDEX participant_email ON participant (lower(email), document);
CREATE INDEX document_owner_email ON document (lower(owner_email), id);
