package contract

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// LabelID is the UUID of a label.
type LabelID string

// Label is a word of an organisation for its documents. People of other organisations and guests never see it.
type Label struct {
	ID           LabelID
	Organisation OrganisationID
	Name         string
	Colour       LabelColour
	CreatedAt    time.Time
}

// LabelColour is one of a few colours. Its name is stored; what it looks like is for the client to decide, light or dark.
type LabelColour string

// LabelColours lists every colour, in the order in which a person chooses one.
var LabelColours = []LabelColour{"gray", "red", "orange", "yellow", "green", "teal", "blue", "violet"}

// Bounds on labels.
const (
	MaxLabels            = 100 // of an organisation
	MaxLabelsPerDocument = 10
	MaxFiledTogether     = 100 // documents of one request that labels or files them
	maxLabelName         = 40  // characters
)

// Errors of operations on labels.
var (
	// ErrNoLabel refuses a label that does not exist or that the caller does not administer.
	ErrNoLabel = Refuse(NotFound, "label.not_found")
	// ErrLabelExists refuses a name that another label of the organisation has, in any case of letters.
	ErrLabelExists = Refuse(Conflict, "label.exists")
	// ErrLabelLimit refuses another label of an organisation that has MaxLabels.
	ErrLabelLimit = Refuse(Conflict, "label.too_many").With("limit", MaxLabels)
	// ErrLabelsOfDocument refuses more than MaxLabelsPerDocument.
	ErrLabelsOfDocument = Refuse(Conflict, "label.too_many_of_document").With("limit", MaxLabelsPerDocument)
)

// CheckLabel returns the label with its name as it is stored. Errors name the members of the interface.
func CheckLabel(l Label) (Label, error) {
	var bad fieldErrors
	l.Name = checkShortName(l.Name, maxLabelName, &bad)
	if !slices.Contains(LabelColours, l.Colour) {
		names := make([]string, len(LabelColours))
		for i, c := range LabelColours {
			names[i] = string(c)
		}
		bad.add("colour", "value.not_one_of", "allowed", strings.Join(names, ", "))
	}
	return l, bad.asError()
}

// checkShortName returns a name as it is stored, on one line.
func checkShortName(name string, limit int, bad *fieldErrors) string {
	name = CleanText(name)
	switch {
	case !HasVisibleText(name):
		bad.add("name", "value.required")
	case utf8.RuneCountInString(name) > limit:
		bad.add("name", "text.too_long", "limit", limit)
	}
	return name
}

// ChangeLabels returns the labels of a document that has some, after others were added and removed. ErrLabelsOfDocument: that is too many, unless
// the document had no fewer before.
func ChangeLabels(has, add, remove []LabelID) ([]LabelID, error) {
	after := []LabelID{}
	for _, id := range slices.Concat(has, add) {
		if !slices.Contains(remove, id) && !slices.Contains(after, id) {
			after = append(after, id)
		}
	}
	if len(after) > MaxLabelsPerDocument && len(after) > len(has) {
		return nil, ErrLabelsOfDocument
	}
	return after, nil
}
