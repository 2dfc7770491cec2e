package store

import (
	"context"

	"segel/internal/contract"
)

// TemplateBox is the list of the templates of a person or, as [TeamBox], of a team.
const TemplateBox Box = "template"

// Templates lists templates. They are stored by Documents, and are in none of its lists but TemplateBox.
type Templates interface {
	// ListTemplates reads one page of the templates of a person and of teams, each once. Total is exact.
	ListTemplates(ctx context.Context, q TemplateQuery) (List, error)
}

// TemplateQuery selects one page of templates.
type TemplateQuery struct {
	Person contract.PersonID // the owner; empty: none
	Teams  []contract.TeamID // with which they are shared
	Search string            // part of the title, ignoring letter case; empty: all
	Order  Order             // OrderCreated (also if empty), or OrderTitle
	Offset int
	Limit  int
}
