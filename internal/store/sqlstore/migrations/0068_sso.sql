-- segel: expanding level 1
--
-- Logins with the provider of an organisation (OpenID Connect, decision 0084). The secret of the client is sealed under the master key. A domain
-- routes logins once it was granted, to one organisation only. A digest in sso_used is the state of a login, or the identifier of a logout token,
-- that was used: it is refused again by every process.

-- +goose Up
CREATE TABLE sso (
    organisation TEXT PRIMARY KEY REFERENCES organisation (id),
    settings TEXT NOT NULL,
    secret BYTEA NOT NULL,
    changed_at BIGINT NOT NULL,
    edits BIGINT NOT NULL
);

CREATE TABLE sso_domain (
    organisation TEXT NOT NULL REFERENCES organisation (id),
    domain TEXT NOT NULL,
    challenge TEXT NOT NULL,
    claimed_at BIGINT NOT NULL,
    PRIMARY KEY (organisation, domain)
);

CREATE TABLE sso_grant (
    domain TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    granted_at BIGINT NOT NULL,
    granted_by TEXT NOT NULL
);
CREATE INDEX sso_grant_organisation ON sso_grant (organisation);

CREATE TABLE sso_identity (
    organisation TEXT NOT NULL REFERENCES organisation (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES users (id),
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (organisation, issuer, subject)
);
CREATE UNIQUE INDEX sso_identity_person ON sso_identity (person, issuer);

CREATE TABLE sso_login (
    family TEXT PRIMARY KEY,
    organisation TEXT NOT NULL,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    sid TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sso_login_subject ON sso_login (organisation, issuer, subject);
CREATE INDEX sso_login_sid ON sso_login (organisation, issuer, sid) WHERE sid <> '';

CREATE TABLE sso_used (
    digest BYTEA PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
