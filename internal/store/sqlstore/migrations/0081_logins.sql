-- segel: expanding level 1
--
-- Logins, logouts and failed logins (decision 0073), counted by account, network and period. They are deleted after half a year, so no digest in the log
-- covers them. login_report has when the admins of an organisation were last told of many failed ones.

-- +goose Up
CREATE TABLE login (
    organisation TEXT NOT NULL,
    person TEXT NOT NULL,
    kind TEXT NOT NULL,
    period BIGINT NOT NULL,
    network TEXT NOT NULL,
    factor TEXT NOT NULL,
    ip TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    times BIGINT NOT NULL,
    PRIMARY KEY (organisation, person, kind, period, network, factor)
);
CREATE INDEX login_last ON login (last_at);
CREATE INDEX login_organisation ON login (organisation, last_at);
CREATE INDEX login_person ON login (person, last_at);
CREATE TABLE login_report (
    organisation TEXT PRIMARY KEY,
    at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE login_report;
DROP TABLE login;
