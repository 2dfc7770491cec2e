-- segel: expanding level 2
--
-- What nodes share and only one may have at a time (decision 0095): slots of stamp adapters, purchases. Holder is the node that has it; empty, or a node that
-- has ended: it is free. Fence rises each time it is taken, so that a former holder cannot release what another one has. No digest in the log covers them.

-- +goose Up
CREATE TABLE lease (
    resource TEXT NOT NULL,
    number BIGINT NOT NULL,
    holder TEXT NOT NULL,
    fence BIGINT NOT NULL,
    PRIMARY KEY (resource, number)
);

-- +goose Down
DROP TABLE lease;
