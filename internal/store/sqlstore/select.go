package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// maxSelected bounds the rows of a list, or the documents of a person, that a query by title or person reads one by one.
const maxSelected = 50_000

// find returns the matches of a query, the newest first, up to store.SearchLimit.
func (b boxQuery) find(ctx context.Context, r querier) (boxSearch, error) {
	if b.Waiting || b.isMixed() {
		// No counts say how many wait; the index has only missing signatures, which are few. Rows that are not stored are not counted either.
		return b.selectRows(ctx, r)
	}
	counts, err := b.readCounts(ctx, r)
	switch {
	case err != nil:
		return boxSearch{}, err
	case b.With != "":
		return b.findWithPerson(ctx, r, counts.rows)
	case b.isFiled():
		return b.findFiled(ctx, r, counts.rows)
	case b.Search != "":
		return b.search(ctx, r, counts)
	}
	ids, err := b.readPage(ctx, r, counts.selected, 0, min(counts.rows, store.SearchLimit))
	return boxSearch{ids: ids, limited: counts.rows > store.SearchLimit}, err
}

// ofPerson selects the documents that a person takes part in or owns, by their address, newest first and up to a limit each.
const ofPerson = `SELECT document FROM (SELECT document FROM participant WHERE lower(email) = lower(%[1]s) ORDER BY document DESC LIMIT %[2]d) p
	UNION SELECT id FROM (SELECT id FROM document WHERE lower(owner_email) = lower(%[1]s) ORDER BY id DESC LIMIT %[2]d) o`

// hidesAddresses is a condition on documents d: they hide the addresses of their people (storedDelivery). What an owner writes cannot look like
// it: in JSON, a quotation mark within a text has a backslash before it.
const hidesAddresses = `d.delivery LIKE '%"hide_addresses":true%'`

// visibleWith returns a condition on a document: the address is one that the person sees there. Otherwise the list would tell, address by address,
// whose are hidden. Admins and auditors find no more here: their own lists are those of participants.
func visibleWith(document, person, address string) string {
	return `(EXISTS (SELECT 1 FROM document d WHERE d.id = ` + document + ` AND (d.owner = ` + person + ` OR lower(d.owner_email) = lower(` + address + `) OR NOT ` + hidesAddresses + `))
		OR EXISTS (SELECT 1 FROM participant v WHERE v.document = ` + document + ` AND v.person = ` + person + ` AND lower(v.email) = lower(` + address + `)))`
}

// findWithPerson finds documents of a list, which has so many rows, that another person owns or takes part in.
//
// A short list is read, so that the time tells nothing about documents of that person in lists of others. For a long one their documents
// are looked up in the list, unless they have so many that reading the newest rows of the list is better.
func (b boxQuery) findWithPerson(ctx context.Context, r querier, rows int) (boxSearch, error) {
	if rows <= b.blocks.scan {
		return b.selectRows(ctx, r)
	}
	var n int
	if err := queryOne(ctx, r, []any{&n}, fmt.Sprintf(`SELECT COUNT(*) FROM (`+ofPerson+`) x`, "$1", maxSelected+1), b.With); err != nil {
		return boxSearch{}, err
	}
	if n > maxSelected {
		return b.selectRows(ctx, r)
	}
	c := b.condition()
	with := c.addArg(b.With)
	c.terms = append(c.terms, fmt.Sprintf(`b.document IN (`+ofPerson+`)`, with, maxSelected+1), visibleWith("b.document", c.addArg(b.reader), with))
	b.addFiled(&c, "b.document")
	return b.selectMatches(ctx, r, `box b`, c, `b.document`)
}

// selectRows finds the matches among the newest maxSelected rows, whatever their number, without counts and stored titles.
func (b boxQuery) selectRows(ctx context.Context, r querier) (boxSearch, error) {
	if b.Search == "" && b.With == "" && !b.isFiled() {
		return b.selectMatches(ctx, r, b.source(), b.condition(), `b.document`)
	}
	inner := b.condition()
	from := `(SELECT b.document FROM ` + b.source() + inner.pageClause("b.document DESC", 0, maxSelected) + `) x`
	var n int
	if err := queryOne(ctx, r, []any{&n}, `SELECT COUNT(*) FROM `+from, inner.args...); err != nil {
		return boxSearch{}, err
	}
	c := condition{args: inner.args}
	if b.With != "" {
		arg := c.addArg(b.With)
		c.terms = append(c.terms, `(EXISTS (SELECT 1 FROM participant p WHERE p.document = x.document AND lower(p.email) = lower(`+arg+`))
			OR EXISTS (SELECT 1 FROM document o WHERE o.id = x.document AND lower(o.owner_email) = lower(`+arg+`)))`, visibleWith("x.document", c.addArg(b.reader), arg))
	}
	b.addFiled(&c, "x.document")
	found, err := b.selectMatches(ctx, r, from, c, `x.document`)
	found.limited = found.limited || n == maxSelected
	return found, err
}

// selectMatches returns the newest rows that meet a condition and have the title that is searched for.
func (b boxQuery) selectMatches(ctx context.Context, r querier, from string, c condition, document string) (boxSearch, error) {
	var found boxSearch
	if b.Search != "" {
		pattern, ok := likePattern(b.Search)
		if !ok {
			return found, nil
		}
		from += ` JOIN document d ON d.id = ` + document
		c.addTerm(`d.title_folded LIKE %s ESCAPE '\'`, pattern)
	}
	ids, err := queryAll(ctx, r, column[contract.DocumentID], `SELECT `+document+` FROM `+from+c.pageClause(document+" DESC", 0, store.SearchLimit), c.args...)
	found.addMatches(ids)
	return found, err
}

// maxListArgs bounds the placeholders of a statement.
const maxListArgs = 1000

// sortMatches brings matches, which come newest first, into the order of the query.
func (b boxQuery) sortMatches(ctx context.Context, r querier, ids []contract.DocumentID) error {
	if b.isByNumber() {
		return nil
	}
	type key struct {
		id       contract.DocumentID
		deadline int64
		title    string
	}
	keys := map[contract.DocumentID]key{}
	for some := range slices.Chunk(ids, maxListArgs) {
		in, args := listArgs(some)
		all, err := queryAll(ctx, r, func(k *key) []any { return []any{&k.id, &k.deadline, &k.title} }, `SELECT id, expires_at, title_folded FROM document WHERE id IN `+in, args...)
		if err != nil {
			return err
		}
		for _, k := range all {
			keys[k.id] = k
		}
	}
	slices.SortStableFunc(ids, func(x, y contract.DocumentID) int {
		p, q := keys[x], keys[y]
		if b.Order == store.OrderTitle {
			return strings.Compare(p.title, q.title)
		}
		switch {
		case p.deadline == q.deadline:
			return 0
		case p.deadline == 0 || q.deadline != 0 && p.deadline > q.deadline:
			return 1
		}
		return -1
	})
	return nil
}

// CountList implements [store.Documents].
func (s *Store) CountList(ctx context.Context, q store.ListQuery) (store.ListCounts, error) {
	n := store.ListCounts{States: map[contract.State]int{}}
	var found boxSearch
	q.State, q.Waiting, q.Order = "", false, ""
	err := s.db.withSnapshot(ctx, func(r querier) (err error) {
		b := newBoxQuery(q, s.blocks)
		waiting := b
		waiting.Waiting = true
		signable, err := waiting.find(ctx, r)
		if err != nil {
			return err
		}
		n.Waiting, n.Limited = len(signable.ids), signable.limited
		if b.isCounted() {
			return b.countStates(ctx, r, &n)
		}
		if found, err = b.find(ctx, r); err != nil {
			return err
		}
		n.Total, n.Limited = len(found.ids), n.Limited || found.limited
		return b.countFound(ctx, r, found.ids, n.States)
	})
	s.outdated.noteBlocks(found)
	return n, wrapf(err, "count %s of %s", q.Box, q.Person)
}

// countStates counts the rows by state, from the counts of blocks.
func (b boxQuery) countStates(ctx context.Context, r querier, n *store.ListCounts) error {
	for _, state := range contract.States {
		if state == b.Without {
			continue
		}
		of := b
		of.State, of.Without = state, ""
		counts, err := of.readCounts(ctx, r)
		if err != nil {
			return err
		}
		if counts.rows > 0 {
			n.States[state] = counts.rows
		}
		n.Total += counts.rows
	}
	return nil
}

// countFound counts rows of the list by state.
func (b boxQuery) countFound(ctx context.Context, r querier, ids []contract.DocumentID, states map[contract.State]int) error {
	for some := range slices.Chunk(ids, maxListArgs) {
		c := boxQuery{ListQuery: store.ListQuery{Person: b.Person, Box: b.Box, Mailbox: b.Mailbox}}.condition()
		in := make([]string, len(some))
		for i, id := range some {
			in[i] = c.addArg(id)
		}
		c.terms = append(c.terms, "b.document IN ("+strings.Join(in, ", ")+")")
		err := queryEach(ctx, r, func(scan scanFunc) error {
			var state contract.State
			var n int
			err := scan(&state, &n)
			states[state] += n
			return err
		}, `SELECT b.state, COUNT(*) FROM `+b.source()+c.whereClause()+` GROUP BY b.state`, c.args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// contactRows are the newest rows of a person's lists, whose people are suggested.
const contactRows = `(SELECT document FROM (SELECT document FROM box WHERE person = $1 AND box = 'in' ORDER BY document DESC LIMIT 500) i
	UNION ALL SELECT document FROM (SELECT document FROM box WHERE person = $1 AND box = 'out' ORDER BY document DESC LIMIT 500) o) x`

// ListContacts implements [store.Documents].
func (s *Store) ListContacts(ctx context.Context, person contract.PersonID) ([]store.Contact, error) {
	type row struct {
		store.Contact
		newest int64
	}
	rows, err := readAll(ctx, s, func(c *row) []any { return []any{&c.Name, &c.Email, &c.newest} }, `
		SELECT c.name, lower(c.email), MAX(c.document) FROM (
			SELECT p.name AS name, p.email AS email, p.document AS document FROM `+contactRows+` JOIN participant p ON p.document = x.document JOIN document d ON d.id = x.document AND (d.owner = $1 OR NOT `+hidesAddresses+`) AND `+isSuggested+`
			UNION ALL SELECT d.owner_name, d.owner_email, d.id FROM `+contactRows+` JOIN document d ON d.id = x.document) c
		WHERE c.email <> '' GROUP BY c.name, lower(c.email) ORDER BY 3 DESC, 2`, person)
	all, known := []store.Contact{}, map[string]bool{}
	for _, r := range rows {
		if !known[r.Email] {
			known[r.Email] = true
			all = append(all, r.Contact)
		}
	}
	return all, wrapf(err, "list the contacts of %s", person)
}
