-- segel: expanding level 1
--
-- The picture of a person's initials, which boxes for initials show instead of the picture of their signature (decision 0047).

-- +goose Up
CREATE TABLE initials_specimen (
    person TEXT PRIMARY KEY,
    image BYTEA NOT NULL
);
