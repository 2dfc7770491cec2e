-- segel: expanding level 1
--
-- The feed of events for other systems, and webhooks, to which it is sent (decision 0053). The feed is the audit log: an event states the
-- organisation that it concerns, so each commit adds to the feed what it adds to the log, and in the same order. Earlier releases do not
-- state it: what they log is not in the feed. Secrets of webhooks are sealed under the master key.

-- +goose Up
ALTER TABLE event ADD COLUMN organisation TEXT NOT NULL DEFAULT '';
UPDATE event SET organisation = COALESCE((SELECT d.organisation FROM document d WHERE d.id = event.document), '') WHERE document <> 0;
CREATE INDEX event_organisation ON event (organisation, leaf) WHERE organisation <> '';

CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    types TEXT NOT NULL,
    secret BYTEA NOT NULL,
    former_secret BYTEA NOT NULL,
    former_until BIGINT NOT NULL,
    position BIGINT NOT NULL,
    disabled_at BIGINT NOT NULL,
    disabled_for TEXT NOT NULL,
    failing_since BIGINT NOT NULL,
    untold BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    edits BIGINT NOT NULL
);
CREATE INDEX webhook_organisation ON webhook (organisation, id);

CREATE TABLE webhook_delivery (
    webhook TEXT NOT NULL REFERENCES webhook (id),
    number BIGINT NOT NULL,
    organisation TEXT NOT NULL,
    document BIGINT NOT NULL,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    ordered_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    done_at BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    url TEXT NOT NULL,
    sent_at BIGINT NOT NULL,
    took BIGINT NOT NULL,
    body TEXT NOT NULL,
    status BIGINT NOT NULL,
    response TEXT NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due_at) WHERE state = 'ordered';
CREATE INDEX webhook_delivery_order ON webhook_delivery (webhook, document, number) WHERE state = 'ordered';
CREATE INDEX webhook_delivery_newest ON webhook_delivery (webhook, ordered_at, number);
CREATE INDEX webhook_delivery_done ON webhook_delivery (done_at) WHERE state <> 'ordered';
