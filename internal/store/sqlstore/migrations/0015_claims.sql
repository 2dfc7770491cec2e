-- segel: expanding level 1
--
-- A request with an Idempotency-Key is claimed by a row of its own, which ends with the process that answers it; an answer is kept in
-- the transaction of the effect. Keys are stored as keyed hashes and answers are sealed (decision 0013). Answers of before are
-- found by their key in clear until they run out. Those with a guest's link, which is a secret, go at once, and claims too: the
-- program that held them has ended.

-- +goose Up
CREATE TABLE claim (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    idempotency_key TEXT NOT NULL, -- keyed hash
    token TEXT NOT NULL,
    process TEXT NOT NULL,
    claimed_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    PRIMARY KEY (account, path, idempotency_key)
);
CREATE INDEX claim_process ON claim (process);
CREATE INDEX claim_age ON claim (claimed_at);

DELETE FROM answer WHERE NOT done OR path LIKE '%/guest-link-docs';
ALTER TABLE answer DROP COLUMN done;
ALTER TABLE answer RENAME COLUMN claimed_at TO kept_at;
ALTER TABLE answer ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT FALSE;
