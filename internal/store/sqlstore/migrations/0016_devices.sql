-- segel: expanding level 1
--
-- Devices and addresses from which somebody logged in. A device is known by the SHA-256 of a secret that it keeps; an address
-- stands for its network, see internal/identity. Logins from them are not held up when others try passwords on the account.

-- +goose Up
CREATE TABLE known_device (
    person TEXT NOT NULL,
    hash BYTEA NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (person, hash)
);
CREATE INDEX known_device_age ON known_device (used_at);

CREATE TABLE known_address (
    person TEXT NOT NULL,
    address TEXT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (person, address)
);
CREATE INDEX known_address_age ON known_address (used_at);

-- What the documents of an organisation take together: drafts, and bytes of stored files. Every commit keeps it.
CREATE TABLE storage (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    drafts BIGINT NOT NULL,
    bytes BIGINT NOT NULL
);
INSERT INTO storage (organisation, drafts, bytes)
    SELECT d.organisation, SUM(CASE WHEN d.state = 'draft' THEN 1 ELSE 0 END), SUM(d.original_size + COALESCE(
        (SELECT SUM(r.file_size) FROM revision r WHERE r.document = d.id AND r.file_key <> d.original_key), 0))
    FROM document d GROUP BY d.organisation;
