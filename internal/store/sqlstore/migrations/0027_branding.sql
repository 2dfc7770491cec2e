-- segel: expanding level 1
--
-- How an organisation presents itself to the guests of its documents and on signatures: a colour, and a logo that the service
-- encoded (decision 0049).

-- +goose Up
CREATE TABLE branding (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    colour TEXT NOT NULL,  -- #rrggbb; empty: that of the service
    logo TEXT NOT NULL,    -- SHA-256 of the picture in hexadecimal, which is its address; empty: none
    image BYTEA NOT NULL,  -- PNG or JPEG; empty: none
    changed_at BIGINT NOT NULL
);
CREATE INDEX branding_logo ON branding (logo);
