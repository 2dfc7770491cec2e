-- segel: expanding level 1
--
-- Counts by ranges of document numbers, so that a page by number is found without reading the pages before it, and the titles of
-- such a range together, so that a search reads ranges instead of documents (decision 0006).

-- +goose Up

-- How many rows of a list have document numbers in [start, start + 524288), in a state; the empty state: in all of them.
CREATE TABLE box_span (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    start BIGINT NOT NULL,
    state TEXT NOT NULL,
    amount BIGINT NOT NULL,
    first_day BIGINT NOT NULL, -- no row is of an earlier day, or a later one than last_day; rows that left do not change it
    last_day BIGINT NOT NULL,
    checksum BIGINT NOT NULL,  -- sum over the documents: two sets of documents have different sums
    edits BIGINT NOT NULL,     -- how often a title was changed
    split BOOLEAN NOT NULL DEFAULT FALSE, -- of the empty state: box_leaf counts these rows too
    PRIMARY KEY (person, box, start, state)
);

-- The same for [start, start + 4096), of spans that have many rows.
CREATE TABLE box_leaf (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    start BIGINT NOT NULL,
    state TEXT NOT NULL,
    amount BIGINT NOT NULL,
    first_day BIGINT NOT NULL,
    last_day BIGINT NOT NULL,
    checksum BIGINT NOT NULL,
    edits BIGINT NOT NULL,
    PRIMARY KEY (person, box, start, state)
);

INSERT INTO box_span (person, box, start, state, amount, first_day, last_day, checksum, edits)
    SELECT person, box, document - document % 524288, state, COUNT(*), MIN(day), MAX(day),
        CAST(SUM(((document % 524288 + 1) * (document % 524288 + 1) * 15485863) % 1099511627689) AS BIGINT), 0
    FROM box GROUP BY 1, 2, 3, 4;
INSERT INTO box_span (person, box, start, state, amount, first_day, last_day, checksum, edits, split)
    SELECT person, box, start, '', SUM(amount), MIN(first_day), MAX(last_day), CAST(SUM(checksum) AS BIGINT), 0, SUM(amount) >= 64
    FROM box_span GROUP BY 1, 2, 3;
INSERT INTO box_leaf (person, box, start, state, amount, first_day, last_day, checksum, edits)
    SELECT b.person, b.box, b.document - b.document % 4096, b.state, COUNT(*), MIN(b.day), MAX(b.day),
        CAST(SUM(((b.document % 524288 + 1) * (b.document % 524288 + 1) * 15485863) % 1099511627689) AS BIGINT), 0
    FROM box_span s JOIN box b ON b.person = s.person AND b.box = s.box AND b.document >= s.start AND b.document < s.start + 524288
    WHERE s.state = '' AND s.split GROUP BY 1, 2, 3, 4;
INSERT INTO box_leaf (person, box, start, state, amount, first_day, last_day, checksum, edits)
    SELECT person, box, start, '', SUM(amount), MIN(first_day), MAX(last_day), CAST(SUM(checksum) AS BIGINT), 0 FROM box_leaf GROUP BY 1, 2, 3;

-- The folded titles of the documents of a list in a leaf, see docs/formats/titles.md. They are used only while amount, checksum and
-- edits are those of box_leaf; otherwise the documents are read, and the titles are stored again.
CREATE TABLE box_titles (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    start BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    checksum BIGINT NOT NULL,
    edits BIGINT NOT NULL,
    titles BYTEA NOT NULL,
    PRIMARY KEY (person, box, start)
);

-- In which leaves of a span titles have a sequence of one, two or three bytes. Bucket is a hash of the sequence; the bits of leaves
-- are those of the span in order. The buckets are used only while amount, checksum and edits in box_index are those of box_span.
CREATE TABLE box_index (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    start BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    checksum BIGINT NOT NULL,
    edits BIGINT NOT NULL,
    PRIMARY KEY (person, box, start)
);
CREATE TABLE box_gram (
    person TEXT NOT NULL,
    box TEXT NOT NULL,
    start BIGINT NOT NULL,
    bucket BIGINT NOT NULL,
    leaves BYTEA NOT NULL,
    PRIMARY KEY (person, box, start, bucket)
);

-- The leaves before next have their titles stored.
CREATE TABLE title_index (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    next BIGINT NOT NULL
);
INSERT INTO title_index (id, next) VALUES (1, 0);
