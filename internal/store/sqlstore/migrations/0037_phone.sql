-- segel: expanding level 1
--
-- By which channel a message was sent, a code was ordered and something was proved (decision 0059). Empty: by mail.

-- +goose Up
ALTER TABLE notice ADD COLUMN channel TEXT NOT NULL DEFAULT '';
ALTER TABLE guest_code ADD COLUMN channel TEXT NOT NULL DEFAULT '';
ALTER TABLE proved_mailbox ADD COLUMN channel TEXT NOT NULL DEFAULT '';
