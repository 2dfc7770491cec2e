-- segel: expanding level 2
--
-- The messages of one organisation in the order in which its admins list them. Without the index, each page read the messages of all organisations.

-- +goose Up
CREATE INDEX notice_organisation ON notice (organisation, id);

-- +goose Down
DROP INDEX notice_organisation;
