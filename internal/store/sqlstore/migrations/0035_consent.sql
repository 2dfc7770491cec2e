-- segel: expanding level 1
--
-- Consent texts (decision 0056). Texts are only added. An acceptance says which version a person accepted, and with which document.

-- +goose Up
CREATE TABLE consent_text (
    organisation TEXT NOT NULL REFERENCES organisation (id),
    version BIGINT NOT NULL,
    text_id TEXT NOT NULL,
    text_en TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (organisation, version)
);
CREATE TABLE consent_policy (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    version BIGINT NOT NULL,
    required BOOLEAN NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE TABLE consent_acceptance (
    person TEXT NOT NULL,
    organisation TEXT NOT NULL,
    version TEXT NOT NULL,
    language TEXT NOT NULL,
    digest BYTEA NOT NULL,
    document BIGINT NOT NULL,
    accepted_at BIGINT NOT NULL,
    PRIMARY KEY (person, organisation, version)
);
