-- segel: expanding level 2
--
-- Calls that wait for a lease, and whose turn it is (decision 0095). Ticket names a call of a node; organisation is for whom it waits, and empty if for none. The lowest turn is
-- next, and of equal ones the lowest place. Turn of a lease is that of the call that took it last. A row whose node has ended counts no more. No digest in the log covers them.

-- +goose Up
CREATE TABLE lease_wait (
    resource TEXT NOT NULL,
    ticket TEXT NOT NULL,
    holder TEXT NOT NULL,
    organisation TEXT NOT NULL,
    turn BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (resource, ticket)
);
ALTER TABLE lease ADD COLUMN organisation TEXT NOT NULL DEFAULT '';
ALTER TABLE lease ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE lease DROP COLUMN turn;
ALTER TABLE lease DROP COLUMN organisation;
DROP TABLE lease_wait;
