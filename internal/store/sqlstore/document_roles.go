package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"

	"segel/internal/contract"
)

// storedRoles are the capacities and the groups of the people of a document as they are stored. hasCapacity and isInGroup search the text.
type storedRoles struct {
	As     map[contract.PersonID]contract.Capacity `json:"as,omitempty"`
	Groups map[contract.PersonID]int               `json:"groups,omitempty"`
}

// encodeRoles returns the capacities and groups of people as text; empty if all have the plain one of their role and act for themselves.
func encodeRoles(d *contract.Document) string {
	if d == nil {
		return ""
	}
	stored := storedRoles{As: map[contract.PersonID]contract.Capacity{}, Groups: map[contract.PersonID]int{}}
	for _, p := range d.Participants {
		if p.Capacity != "" {
			stored.As[p.ID] = p.Capacity
		}
		if p.Group != 0 {
			stored.Groups[p.ID] = p.Group
		}
	}
	if len(stored.As)+len(stored.Groups) == 0 {
		return ""
	}
	b, _ := json.Marshal(stored) // maps of strings and numbers cannot fail; their keys are sorted
	return string(b)
}

// assignRoles sets what [encodeRoles] returned.
func assignRoles(d *contract.Document, text string) error {
	if text == "" {
		return nil
	}
	var stored storedRoles
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return fmt.Errorf("roles of document %d: %w", d.ID, err)
	}
	for i := range d.Participants {
		p := &d.Participants[i]
		p.Capacity, p.Group = stored.As[p.ID], stored.Groups[p.ID]
	}
	return nil
}

// rolesOfDocument is the column of documents that has the text of [encodeRoles].
const rolesOfDocument = `, COALESCE((SELECT r.roles FROM document_roles r WHERE r.document = document.id), '')`

// hasCapacity is a condition on the row p of participant: the person acts in the given capacity.
func hasCapacity(c contract.Capacity) string {
	return `EXISTS (SELECT 1 FROM document_roles r WHERE r.document = p.document AND r.roles LIKE '%%"' || p.person || '":"` + string(c) + `"%%')`
}

// isInGroup is a condition on the row p of participant: the person is in a group.
const isInGroup = `EXISTS (SELECT 1 FROM document_roles r WHERE r.document = p.document AND r.roles LIKE '%%"groups":{%%"' || p.person || '":%%')`

// rolesChanged reports whether the change writes the row of document_roles.
func (w *documentWriter) rolesChanged() bool { return encodeRoles(w.before) != encodeRoles(w.after) }

func (w *documentWriter) writeRoles(ctx context.Context) error {
	if !w.rolesChanged() {
		return nil
	}
	what := fmt.Sprintf("write roles of document %d", w.after.ID)
	text := encodeRoles(w.after)
	if text == "" {
		return w.addStatements(ctx, statement{sql: `DELETE FROM document_roles WHERE document = $1`, args: []any{w.after.ID}, what: what})
	}
	return w.addStatements(ctx, statement{
		sql:  `INSERT INTO document_roles (document, roles) VALUES ($1, $2) ON CONFLICT (document) DO UPDATE SET roles = excluded.roles`,
		args: []any{w.after.ID, text}, what: what,
	})
}
