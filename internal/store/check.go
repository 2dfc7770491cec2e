package store

import "fmt"

// Severity says what a discrepancy means.
type Severity string

// The severities, the worst first.
const (
	// SeverityEvidence is evidence that is lost or changed: a file, a row that the log states, or the log itself.
	SeverityEvidence Severity = "evidence"
	// SeverityDerived is data that is wrong and can be made anew from evidence, such as a counter.
	SeverityDerived Severity = "derived"
	// SeverityUnrecorded is a row of which the log states no digest, so that a change of it cannot be found: it is of
	// a release before digests were recorded, or it was added by another program.
	SeverityUnrecorded Severity = "unrecorded"
	// SeverityLeftover is what nothing refers to.
	SeverityLeftover Severity = "leftover"
)

// Severities lists them.
var Severities = []Severity{SeverityEvidence, SeverityDerived, SeverityUnrecorded, SeverityLeftover}

// Discrepancy is one thing that does not agree.
type Discrepancy struct {
	Severity Severity `json:"severity"`
	Check    string   `json:"check"`  // which check found it, such as "records"
	About    string   `json:"about"`  // such as "document 17"
	Text     string   `json:"text"`   // what does not agree
	Remedy   string   `json:"remedy"` // what to do
}

// String returns the line that is printed.
func (d Discrepancy) String() string {
	return fmt.Sprintf("%s: %s: %s (%s). %s", d.Severity, d.About, d.Text, d.Check, d.Remedy)
}
