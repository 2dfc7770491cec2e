-- One set of migrations serves both databases. SQLite takes PostgreSQL's names of types. What the two spell
-- differently stays out of here: numbers are drawn from counters of our own.
--
-- Times are microseconds since 1970 UTC, 0 for none. Folded columns hold text as fold makes it, because the
-- databases do not agree on what upper and lower case are.

-- +goose Up
CREATE TABLE organisation (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    admin BOOLEAN NOT NULL,
    password TEXT NOT NULL,
    must_reset BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX users_by_name ON users (organisation, name_folded, id);

CREATE TABLE specimen (
    person TEXT PRIMARY KEY,
    image BYTEA NOT NULL
);

CREATE TABLE token (
    hash BYTEA PRIMARY KEY,
    kind TEXT NOT NULL,
    person TEXT NOT NULL,
    document BIGINT NOT NULL, -- 0: of no document
    family TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX token_family ON token (family);
CREATE INDEX token_person ON token (person, document);
CREATE INDEX token_expiry ON token (expires_at);

CREATE TABLE guest_link (
    hash BYTEA PRIMARY KEY,
    document BIGINT NOT NULL,
    person TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (document, person)
);

CREATE TABLE credential (
    id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    sealed_key BYTEA NOT NULL,
    not_after BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX credential_holder ON credential (holder, created_at);

CREATE TABLE credential_chain (
    credential TEXT NOT NULL REFERENCES credential (id) ON DELETE CASCADE,
    position BIGINT NOT NULL, -- 0: the leaf
    der BYTEA NOT NULL,
    PRIMARY KEY (credential, position)
);

CREATE TABLE certificate (
    serial TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    der BYTEA NOT NULL,
    issued_at BIGINT NOT NULL,
    not_after BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL,
    reason BIGINT NOT NULL
);
CREATE INDEX certificate_revoked ON certificate (revoked_at) WHERE revoked_at <> 0;

CREATE TABLE answer (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body BYTEA NOT NULL,
    done BOOLEAN NOT NULL,
    status BIGINT NOT NULL,
    header TEXT NOT NULL, -- JSON
    content BYTEA NOT NULL,
    claimed_at BIGINT NOT NULL,
    PRIMARY KEY (account, path, idempotency_key)
);
CREATE INDEX answer_age ON answer (claimed_at);

-- The one row holds the number that was given last, so that none is given twice even when its document has
-- gone, and numbers ascend in the order of commits.
CREATE TABLE document_number (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    last BIGINT NOT NULL
);
INSERT INTO document_number (id, last) VALUES (1, 0);

CREATE TABLE document (
    id BIGINT PRIMARY KEY,
    version BIGINT NOT NULL,
    organisation TEXT NOT NULL REFERENCES organisation (id),
    owner TEXT NOT NULL,
    owner_name TEXT NOT NULL,
    owner_email TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    title_folded TEXT NOT NULL,
    filename TEXT NOT NULL,
    state TEXT NOT NULL,
    mode TEXT NOT NULL,
    parallel BOOLEAN NOT NULL,
    pages BIGINT NOT NULL,
    original_key TEXT NOT NULL,
    original_size BIGINT NOT NULL,
    original_digest BYTEA NOT NULL,
    original_sums BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    finalized_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_signed_at BIGINT NOT NULL,
    reminded_at BIGINT NOT NULL,
    restamping BOOLEAN NOT NULL,
    specimen BOOLEAN NOT NULL,
    reason TEXT NOT NULL,
    due_at BIGINT NOT NULL,    -- when it expires; 0: it cannot any more
    waits_since BIGINT NOT NULL -- since when the service owes it work; 0: it owes none
);
CREATE INDEX document_due ON document (due_at) WHERE due_at <> 0;
CREATE INDEX document_original ON document (original_key);
CREATE INDEX document_waits ON document (waits_since) WHERE waits_since <> 0;

CREATE TABLE participant (
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    role TEXT NOT NULL,
    number BIGINT NOT NULL,
    guest BOOLEAN NOT NULL,
    field TEXT NOT NULL,
    viewed_at BIGINT NOT NULL,
    signed_at BIGINT NOT NULL,
    intent_at BIGINT NOT NULL,
    PRIMARY KEY (document, position),
    UNIQUE (document, person)
);

CREATE TABLE placement (
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    page BIGINT NOT NULL,
    llx DOUBLE PRECISION NOT NULL,
    lly DOUBLE PRECISION NOT NULL,
    urx DOUBLE PRECISION NOT NULL,
    ury DOUBLE PRECISION NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (document, position)
);

-- A serial is paid for and belongs to one placement for life; a second use of either is refused here, whatever
-- the program believes.
CREATE TABLE stamp (
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    placement BIGINT NOT NULL,
    state TEXT NOT NULL,
    order_id TEXT NOT NULL,
    serial TEXT UNIQUE, -- NULL until bound
    source BYTEA NOT NULL,
    attempts BIGINT NOT NULL,
    problem TEXT NOT NULL,
    affixed_at BIGINT NOT NULL,
    PRIMARY KEY (document, position),
    UNIQUE (document, placement)
);

CREATE TABLE revision (
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    file_key TEXT NOT NULL UNIQUE,
    file_size BIGINT NOT NULL,
    file_digest BYTEA NOT NULL,
    file_sums BYTEA NOT NULL,
    begins BIGINT NOT NULL,
    ends BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    midstate BYTEA NOT NULL,
    person TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (document, position)
);

-- A document in somebody's list. Day is that of its making in Asia/Jakarta, in days since 1970.
CREATE TABLE box (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    document BIGINT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    day BIGINT NOT NULL,
    PRIMARY KEY (person, box, document)
);
CREATE INDEX box_state ON box (person, box, state, document);
CREATE INDEX box_document ON box (document);

-- How many rows of box there are, so that no list counts them.
CREATE TABLE box_count (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    state TEXT NOT NULL,
    day BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (person, box, state, day)
);

CREATE TABLE quota (
    organisation TEXT NOT NULL REFERENCES organisation (id),
    unit TEXT NOT NULL,
    granted BIGINT NOT NULL,
    reserved BIGINT NOT NULL CHECK (reserved >= 0),
    spent BIGINT NOT NULL,
    entries BIGINT NOT NULL, -- number of the last entry
    PRIMARY KEY (organisation, unit)
);

-- The ledger that quota sums up. Only appended to.
CREATE TABLE quota_entry (
    organisation TEXT NOT NULL,
    unit TEXT NOT NULL,
    number BIGINT NOT NULL,
    op TEXT NOT NULL,
    amount BIGINT NOT NULL,
    document BIGINT NOT NULL, -- 0: of no document
    reason TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (organisation, unit, number),
    FOREIGN KEY (organisation, unit) REFERENCES quota (organisation, unit)
);

-- Events outlive their documents. Leaf is their number in the Merkle log, in the order of commits.
CREATE TABLE event (
    leaf BIGINT PRIMARY KEY,
    type TEXT NOT NULL,
    document BIGINT NOT NULL, -- 0: of no document
    at BIGINT NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    ip TEXT NOT NULL,
    details TEXT NOT NULL -- JSON
);
CREATE INDEX event_document ON event (document, leaf);

-- The one row is locked by whoever appends, so that the log's order is that of the commits.
CREATE TABLE log_size (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    size BIGINT NOT NULL
);
INSERT INTO log_size (id, size) VALUES (1, 0);

CREATE TABLE log_hash (
    position BIGINT PRIMARY KEY,
    hash BYTEA NOT NULL
);
