package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// preparation is what document_template says about a document.
type preparation struct {
	isTemplate   bool
	placeholders string // JSON list of identifiers of participants, in their order
}

// preparationOf returns what is to be stored; the zero value for a document without a row.
func preparationOf(d *contract.Document) preparation {
	if d == nil {
		return preparation{}
	}
	ids := []contract.PersonID{}
	for _, p := range d.Participants {
		if p.Placeholder {
			ids = append(ids, p.ID)
		}
	}
	if !d.Template && len(ids) == 0 {
		return preparation{}
	}
	b, _ := json.Marshal(ids) // a list of strings cannot fail
	return preparation{d.Template, string(b)}
}

// preparationOfDocument is the column of documents that has the text of their preparation: "template" or "document", a space and the placeholders.
const preparationOfDocument = `, COALESCE((SELECT CASE WHEN dp.template THEN 'template ' ELSE 'document ' END || dp.placeholders FROM document_template dp WHERE dp.document = document.id), '')`

func parsePreparation(text string) preparation {
	kind, placeholders, _ := strings.Cut(text, " ")
	return preparation{kind == "template", placeholders}
}

// assignTo sets what [preparationOf] returned.
func (p preparation) assignTo(d *contract.Document) error {
	d.Template = p.isTemplate
	if p.placeholders == "" {
		return nil
	}
	var ids []contract.PersonID
	if err := json.Unmarshal([]byte(p.placeholders), &ids); err != nil {
		return fmt.Errorf("placeholders of document %d: %w", d.ID, err)
	}
	for i := range d.Participants {
		d.Participants[i].Placeholder = slices.Contains(ids, d.Participants[i].ID)
	}
	return nil
}

// preparationChanged reports whether the change writes the row of document_template.
func (w *documentWriter) preparationChanged() bool {
	return preparationOf(w.before) != preparationOf(w.after)
}

func (w *documentWriter) writePreparation(ctx context.Context) error {
	if !w.preparationChanged() {
		return nil
	}
	what := fmt.Sprintf("write preparation of document %d", w.after.ID)
	p := preparationOf(w.after)
	if p == (preparation{}) {
		return w.addStatements(ctx, statement{sql: `DELETE FROM document_template WHERE document = $1`, args: []any{w.after.ID}, what: what})
	}
	return w.addStatements(ctx, statement{
		sql: `INSERT INTO document_template (document, template, placeholders) VALUES ($1, $2, $3)
			ON CONFLICT (document) DO UPDATE SET template = excluded.template, placeholders = excluded.placeholders`,
		args: []any{w.after.ID, p.isTemplate, p.placeholders}, what: what,
	})
}

// ListTemplates implements [store.Templates]. The lists of the person and of the teams are read as a whole: an organisation has as many templates as it may have
// drafts, at most.
func (s *Store) ListTemplates(ctx context.Context, q store.TemplateQuery) (store.List, error) {
	l := store.List{Documents: []contract.Document{}}
	pattern, possible := likePattern(q.Search)
	if !possible {
		return l, nil
	}
	err := s.db.withSnapshot(ctx, func(r querier) error {
		var c condition
		lists := []contract.PersonID{q.Person}
		for _, team := range q.Teams {
			lists = append(lists, contract.PersonID(team))
		}
		in, args := listArgs(lists)
		c.args = args
		c.terms = append(c.terms, `id IN (SELECT b.document FROM box b WHERE b.person IN `+in+` AND b.box = '`+string(store.TemplateBox)+`')`)
		if q.Search != "" {
			c.addTerm(`title_folded LIKE %s ESCAPE '\'`, pattern)
		}
		var err error
		if l.Total, err = c.countRows(ctx, r, "document"); err != nil {
			return err
		}
		order := "id DESC"
		if q.Order == store.OrderTitle {
			order = "title_folded, id DESC"
		}
		ids, err := queryAll(ctx, r, column[contract.DocumentID], `SELECT id FROM document`+c.pageClause(order, q.Offset, q.Limit), c.args...)
		if err != nil {
			return err
		}
		l.Documents, err = readDocuments(ctx, r, ids)
		return err
	})
	return l, wrapf(err, "list the templates of %s", q.Person)
}
