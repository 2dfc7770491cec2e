package store

import "fmt"

// Severity classifies a discrepancy.
type Severity string

// The severities, the worst first.
const (
	// SeverityEvidence means that evidence is lost or changed: a file, a row whose digest is logged, or the log itself.
	SeverityEvidence Severity = "evidence"
	// SeverityDerived means that data is wrong which can be derived from evidence, such as a counter.
	SeverityDerived Severity = "derived"
	// SeverityUnrecorded means that the log has no digest of a row, so that changes of it cannot be detected: the row was
	// written by a release that did not record digests, or by another program.
	SeverityUnrecorded Severity = "unrecorded"
	// SeverityLeftover means that nothing refers to the object.
	SeverityLeftover Severity = "leftover"
)

// Discrepancy is one inconsistency.
type Discrepancy struct {
	Severity Severity `json:"severity"`
	Check    string   `json:"check"`  // the check that found it, such as "records"
	About    string   `json:"about"`  // such as "document 17"
	Text     string   `json:"text"`   // what is inconsistent
	Remedy   string   `json:"remedy"` // what to do

	Repaired    bool   `json:"repaired,omitempty"`     // it was wrong, and was made anew
	NotRepaired string `json:"not_repaired,omitempty"` // why a repair leaves derived data as it is; empty: it makes it anew
}

// String returns the line to print.
func (d Discrepancy) String() string {
	switch {
	case d.Repaired:
		return fmt.Sprintf("repaired: %s: %s (%s)", d.About, d.Text, d.Check)
	case d.NotRepaired != "":
		return fmt.Sprintf("%s: %s: %s (%s). Not repaired: %s. %s", d.Severity, d.About, d.Text, d.Check, d.NotRepaired, d.Remedy)
	}
	return fmt.Sprintf("%s: %s: %s (%s). %s", d.Severity, d.About, d.Text, d.Check, d.Remedy)
}
