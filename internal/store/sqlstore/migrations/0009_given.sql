-- Whose password was given to him by an admin has to choose his own before he does anything else. The first account of
-- all came with a printed password, which nobody gave.

-- +goose Up
ALTER TABLE users ADD COLUMN given BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users SET given = must_reset WHERE id <> (SELECT id FROM users ORDER BY created_at, id LIMIT 1);
