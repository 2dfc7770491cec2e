-- The register of serials: every one that was bought or found in the account, and what became of it. UNIQUE refuses what
-- must never be, whatever the program believes: a serial twice, or two serials on one placement.

-- +goose Up
CREATE TABLE serial (
    serial TEXT PRIMARY KEY,
    organisation TEXT NOT NULL,   -- empty: nobody's so far
    state TEXT NOT NULL,
    document BIGINT NOT NULL,     -- 0: of none
    placement BIGINT NOT NULL,
    source BYTEA NOT NULL,
    former BIGINT NOT NULL,       -- the document that let go of it last; 0: none
    let_go BIGINT NOT NULL,
    problem TEXT NOT NULL,
    evidence_key TEXT NOT NULL,   -- empty: none; the other three are NULL then
    evidence_size BIGINT,
    evidence_digest BYTEA,
    evidence_sums BYTEA,
    taken_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    CHECK (document = 0 OR document <> former)
);
CREATE UNIQUE INDEX serial_placement ON serial (document, placement) WHERE state IN ('bound', 'affixed');
CREATE INDEX serial_document ON serial (document) WHERE document <> 0;
CREATE INDEX serial_former ON serial (former) WHERE former <> 0;
CREATE INDEX serial_free ON serial (organisation, changed_at, serial) WHERE state = 'free';
CREATE INDEX serial_changed ON serial (organisation, changed_at, serial);
CREATE INDEX serial_age ON serial (changed_at, serial);

-- The calls to the stamp office that cost or cannot be undone. Number counts them for each stamp; those of before this
-- table came are not in it.
CREATE TABLE attempt (
    document BIGINT NOT NULL,
    position BIGINT NOT NULL,     -- of the stamp
    number BIGINT NOT NULL,
    organisation TEXT NOT NULL,
    call TEXT NOT NULL,
    order_id TEXT NOT NULL,
    serial TEXT NOT NULL,
    source BYTEA NOT NULL,
    made_at BIGINT NOT NULL,
    answered_at BIGINT NOT NULL,  -- 0: it is open
    outcome TEXT NOT NULL,
    code TEXT NOT NULL,
    said TEXT NOT NULL,
    evidence_key TEXT NOT NULL,   -- empty: none; the other three are NULL then
    evidence_size BIGINT,
    evidence_digest BYTEA,
    evidence_sums BYTEA,
    PRIMARY KEY (document, position, number)
);
CREATE INDEX attempt_organisation ON attempt (organisation, made_at);
CREATE INDEX attempt_age ON attempt (made_at);
CREATE INDEX attempt_order ON attempt (order_id);
CREATE INDEX attempt_serial ON attempt (serial) WHERE serial <> '';
CREATE INDEX attempt_open ON attempt (made_at) WHERE answered_at = 0;
CREATE UNIQUE INDEX attempt_evidence ON attempt (evidence_key) WHERE evidence_key <> '';

ALTER TABLE stamp ADD COLUMN let_go BIGINT NOT NULL DEFAULT 0;
ALTER TABLE stamp ADD COLUMN asked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE stamp ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
CREATE INDEX stamp_order ON stamp (order_id) WHERE order_id <> '';
CREATE INDEX stamp_requested ON stamp (document) WHERE state = 'requested';

ALTER TABLE quota_entry ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE quota_entry ADD COLUMN person_name TEXT NOT NULL DEFAULT '';
ALTER TABLE quota_entry ADD COLUMN person_email TEXT NOT NULL DEFAULT '';
CREATE INDEX quota_entry_age ON quota_entry (made_at);

-- What stamps have is in the register too. A document that was canceled lets go of what it had not affixed.
INSERT INTO serial (serial, organisation, state, document, placement, source, former, let_go, problem, evidence_key, taken_at, changed_at)
    SELECT s.serial, d.organisation,
        CASE WHEN s.state = 'affixed' THEN 'affixed' WHEN d.state IN ('processing', 'failed') THEN 'bound' ELSE 'taken' END,
        CASE WHEN s.state = 'affixed' OR d.state IN ('processing', 'failed') THEN d.id ELSE 0 END,
        CASE WHEN s.state = 'affixed' OR d.state IN ('processing', 'failed') THEN s.placement ELSE 0 END,
        s.source,
        CASE WHEN s.state = 'affixed' OR d.state IN ('processing', 'failed') THEN 0 ELSE d.id END,
        CASE WHEN s.state = 'affixed' OR d.state IN ('processing', 'failed') THEN 0 ELSE 1 END,
        s.problem, '',
        CASE WHEN s.affixed_at <> 0 THEN s.affixed_at ELSE d.finalized_at END,
        CASE WHEN s.affixed_at <> 0 THEN s.affixed_at WHEN d.ended_at <> 0 THEN d.ended_at ELSE d.finalized_at END
    FROM stamp s JOIN document d ON d.id = s.document WHERE s.serial IS NOT NULL;
UPDATE stamp SET serial = NULL WHERE serial IN (SELECT serial FROM serial WHERE state = 'taken');
