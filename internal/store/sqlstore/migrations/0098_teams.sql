-- segel: expanding level 1
--
-- Teams of organisations, their members, and the documents that are shared with them (decision 0086). A team that was deleted keeps its row, which the
-- documents name, and has no members. A document that is not shared has no row in document_team. The list of a team is in box, with the team in place of
-- a person.

-- +goose Up
CREATE TABLE team (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX team_name ON team (organisation, name_folded) WHERE deleted_at = 0;
CREATE TABLE team_member (
    team TEXT NOT NULL REFERENCES team (id),
    person TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (team, person)
);
CREATE INDEX team_member_person ON team_member (person);
CREATE TABLE document_team (
    document BIGINT PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    team TEXT NOT NULL REFERENCES team (id)
);

-- +goose Down
DROP TABLE document_team;
DROP TABLE team_member;
DROP TABLE team;
