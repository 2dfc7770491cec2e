-- segel: expanding level 2
--
-- The role that the groups of a person gave their account last (decision 0084): a person who leaves those groups loses it. An account whose role an administrator set, or an invitation, has no
-- row. No digest in the log covers the table; roles of accounts have one. Earlier releases did not record where a role came from. Admins and auditors whose provider or directory
-- states groups get a row here, so that they lose the role when they leave the group.

-- +goose Up
CREATE TABLE group_role (
    person TEXT PRIMARY KEY REFERENCES users (id),
    role TEXT NOT NULL
);
INSERT INTO group_role (person, role)
    SELECT u.id, CASE WHEN u.admin THEN 'admin' ELSE 'auditor' END FROM users u JOIN sso s ON s.organisation = u.organisation
    WHERE s.settings LIKE '%"groups":[%' AND (u.admin OR EXISTS (SELECT 1 FROM account_role r WHERE r.person = u.id AND r.role = 'auditor'))
        AND (EXISTS (SELECT 1 FROM sso_identity i WHERE i.person = u.id) OR EXISTS (SELECT 1 FROM scim_member m WHERE m.person = u.id));

-- +goose Down
DROP TABLE group_role;
