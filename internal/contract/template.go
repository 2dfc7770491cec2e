package contract

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Refusals about templates.
var (
	// ErrTemplate refuses what is done with documents that are sent, and not with templates.
	ErrTemplate = Refuse(Conflict, "document.template")
	// ErrNotTemplate refuses to use a document that is not a template.
	ErrNotTemplate = Refuse(Conflict, "document.not_template")
	// ErrPlaceholders refuses to finalize a draft with placeholders that no person has filled. Its argument "names" lists them.
	ErrPlaceholders = Refuse(Invalid, "document.placeholders")
)

// templateOperations are the operations that a template has. All others are about documents that are sent.
var templateOperations = []Operation{
	OpDetail, OpStatus, OpSigners, OpAuditTrail, OpEvents, OpPreview, OpOriginal,
	OpParticipants, OpDescribe, OpPlace, OpShare, OpTemplate, OpUse, OpDelete,
}

// refuseAsTemplate refuses an operation that a template does not have.
func (d *Document) refuseAsTemplate(op Operation) error {
	if d.Template && !slices.Contains(templateOperations, op) {
		return ErrTemplate
	}
	return nil
}

// CheckTemplatable refuses to save a document as a template for an actor who may not act for its owner, and while it has no PDF. It may be in
// any state, and a template itself.
func (d *Document) CheckTemplatable(by Actor) error {
	if err := d.Authorise(by, OpTemplate); err != nil {
		return err
	}
	return d.RequirePDF()
}

// MakeTemplate makes a template of a document: the file as it was uploaded, its settings, people and boxes. It belongs to the actor, is shared with
// no team unless f names one of theirs, and has no deadline. Of f, the participants that the actor named are placeholders. An empty title is that of the document.
//
// Durable with the commit: the template, its list, and the event that names the document.
func MakeTemplate(d *Document, f CopiedFile, title string, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.CheckTemplatable(by); err != nil {
		return Change{}, err
	}
	c, err := d.copyAsDraft(f, d.titleOr(title), by, l, now)
	if err != nil {
		return Change{}, err
	}
	c.After.Template = true
	c.Events[0].Type = EventTemplateMade // other systems are not told of it
	c.Events[0].Details["copy_of"] = fmt.Sprint(d.ID)
	return c, nil
}

// CheckUsable refuses to make a draft from a document that is not a template, and for an actor who may not.
func (d *Document) CheckUsable(by Actor) error {
	switch err := d.Authorise(by, OpUse); {
	case err != nil:
		return err
	case !d.Template:
		return ErrNotTemplate
	}
	return d.RequirePDF()
}

// UseTemplate makes a draft from a template: its file, settings, people and boxes. It belongs to the actor and is shared with no team unless f names one
// of theirs, also if the template is: who is to see it is decided for each document. Of f, the participants that replace placeholders have their part and their boxes; the other
// placeholders stay. An empty title is that of the template.
//
// Durable with the commit: the draft, its list, and the event that names the template.
func UseTemplate(d *Document, f CopiedFile, fills []FilledPlaceholder, title string, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.CheckUsable(by); err != nil {
		return Change{}, err
	}
	var bad fieldErrors
	d.checkFills(fills, &bad)
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	c, err := d.copyAsDraft(f, d.titleOr(title), by, l, now)
	if err != nil {
		return Change{}, err
	}
	c.Events[0].Details["from_template"] = fmt.Sprint(d.ID)
	return c, nil
}

func (d *Document) titleOr(title string) string {
	if CleanText(title) == "" {
		return d.Title
	}
	return title
}

// FilledPlaceholder says that a person takes the place of a placeholder.
type FilledPlaceholder struct {
	Placeholder PersonID
	Person      PersonID
	Field       string // of the request that names the placeholder, for errors
}

// checkFills refuses placeholders that the document does not have, and those that two people fill.
func (d *Document) checkFills(fills []FilledPlaceholder, bad *fieldErrors) {
	filled := map[PersonID]bool{}
	for _, f := range fills {
		switch p := d.Participant(f.Placeholder); {
		case p == nil || !p.Placeholder:
			bad.add(f.Field, "placeholder.unknown")
		case filled[f.Placeholder]:
			bad.add(f.Field, "placeholder.filled")
		}
		filled[f.Placeholder] = true
	}
}

// fillBoxes gives the boxes of placeholders to the people who fill them.
func (d *Document) fillBoxes(fills []FilledPlaceholder) {
	for i := range d.Placements {
		p := &d.Placements[i]
		for _, f := range fills {
			if p.Person == f.Placeholder {
				p.Person = f.Person
				break
			}
		}
	}
}

// requireFilled refuses a draft with placeholders that no person has filled, and names them.
func (d *Document) requireFilled() error {
	var names []string
	for _, p := range d.Participants {
		if p.Placeholder {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return ErrPlaceholders.With("names", strings.Join(names, ", "))
}
