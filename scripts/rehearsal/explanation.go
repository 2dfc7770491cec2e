package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"segel/interop/explained"
)

//go:embed explained.txt
var explainedTable string

// conditions are what a line of the table can require of a refused signature, by name.
var conditions = map[string]func(f *trustFacts, field string, at time.Time) bool{
	"issuing certificate expired": (*trustFacts).hasExpiredIssuer,
	"list after expiry":           (*trustFacts).hasListAfterExpiry,
}

// explanation is a line of the table: why a validator refuses what the others accept.
type explanation struct {
	line                        int
	service                     string // name of a service
	kind                        fileKind
	validator, words, condition string
	holds                       func(f *trustFacts, field string, at time.Time) bool
	met                         bool // the condition held for a file of that service and kind
	used                        int  // refusals
}

// explanations are the lines of the table.
type explanations []*explanation

// readExplanations reads a table. Each line names a service, a kind of file, another validator and a condition that exist.
func readExplanations(r io.Reader) (explanations, error) {
	table, err := explained.ReadTable(r, 6)
	if err != nil {
		return nil, err
	}
	var all explanations
	for _, l := range table {
		x := &explanation{line: l.Number, service: l.Parts[0], kind: fileKind(l.Parts[1]), validator: l.Parts[2], words: l.Parts[3], condition: l.Parts[4], holds: conditions[l.Parts[4]]}
		switch {
		case !slices.ContainsFunc(serviceKinds, func(k serviceKind) bool { return k.name == x.service }):
			return nil, fmt.Errorf("line %d: there is no service %q", x.line, x.service)
		case x.kind != contractFile && x.kind != certificateFile:
			return nil, fmt.Errorf("line %d: no file is %q", x.line, x.kind)
		case x.validator != pyHankoName && x.validator != dssName && x.validator != extendedName:
			return nil, fmt.Errorf("line %d: %q is not another validator", x.line, x.validator)
		case x.holds == nil:
			return nil, fmt.Errorf("line %d: there is no condition %q", x.line, x.condition)
		}
		all = append(all, x)
	}
	return all, nil
}

// noteConditions records which conditions hold for a file.
func (all explanations) noteConditions(service string, kind fileKind, f *trustFacts, at time.Time) {
	for _, x := range all {
		for field := range f.signers {
			x.met = x.met || x.service == service && x.kind == kind && x.holds(f, field, at)
		}
	}
}

// explain reports whether a line explains why a validator refuses a signature, and counts it.
func (all explanations) explain(service string, kind fileKind, validator string, refused refusal, f *trustFacts, at time.Time) bool {
	for _, x := range all {
		if x.service == service && x.kind == kind && x.validator == validator && strings.Contains(refused.text, x.words) && x.holds(f, refused.field, at) {
			x.used++
			return true
		}
	}
	return false
}

// listUnused returns the lines that explained nothing. A line may be unused only in a run that ends before its condition has held for a file.
func (all explanations) listUnused(complete bool) explanations {
	return slices.DeleteFunc(slices.Clone(all), func(x *explanation) bool { return x.used > 0 || !complete && !x.met })
}

func (x *explanation) String() string {
	return fmt.Sprintf("line %d of explained.txt (%s, %s, %s, %s)", x.line, x.validator, x.service, x.kind, x.condition)
}
