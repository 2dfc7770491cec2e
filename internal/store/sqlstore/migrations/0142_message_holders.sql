-- segel: expanding level 2
--
-- Who sends a message or a delivery to a webhook now (decision 0095). Holder is the name of the process, and empty while nothing is sent. If the node ends, the row is due at once. Before
-- held_until, by the clock of the database, no other process begins, whatever its own clock says; 0: only due_at counts. A release before this one looks at due_at alone. No digest in the
-- log covers them.

-- +goose Up
ALTER TABLE notice ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE notice ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
CREATE INDEX notice_holder ON notice (holder) WHERE holder <> '';
ALTER TABLE webhook_delivery ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook_delivery ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
CREATE INDEX webhook_delivery_holder ON webhook_delivery (holder) WHERE holder <> '';

-- +goose Down
DROP INDEX webhook_delivery_holder;
ALTER TABLE webhook_delivery DROP COLUMN held_until;
ALTER TABLE webhook_delivery DROP COLUMN holder;
DROP INDEX notice_holder;
ALTER TABLE notice DROP COLUMN held_until;
ALTER TABLE notice DROP COLUMN holder;
