-- segel: expanding level 1
--
-- The language and the time zone of an organisation (decision 0075). Empty, or no row: those of the service.

-- +goose Up
CREATE TABLE organisation_locale (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    language TEXT NOT NULL,
    zone TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE organisation_locale;
