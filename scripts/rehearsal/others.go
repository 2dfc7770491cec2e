package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/interop/validator"
)

// trustArguments returns the arguments of a validator that trusts the roots of all services. A signature of one leads to no root of another.
func trustArguments(services []*service) []string {
	var all []string
	for _, s := range services {
		for _, root := range s.roots {
			all = append(all, "--trust", root)
		}
	}
	return all
}

// pyHanko validates as of a time by EN 319 102-1 §5.6. It wants to know the current status of the authority of the newest timestamp, which is
// taken to be good.
type pyHanko struct{ process validator.Process }

const pyHankoName = "pyHanko"

func newPyHanko(work string, services []*service) *pyHanko {
	return &pyHanko{validator.Process{Name: pyHankoName, Command: validator.PyHanko(work, trustArguments(services)...), Limit: waitLimit}}
}

func (p *pyHanko) endProcess() { p.process.Stop() }

func (*pyHanko) verdictNames() []string { return []string{pyHankoName} }

func (p *pyHanko) queryFiles(_ *service, at time.Time, files []string) ([][]verdict, error) {
	var all [][]verdict
	for _, file := range files {
		var a struct {
			Error      string
			Signatures []struct {
				Field, Kind, LTA, Proven string
				DocMDP                   *bool
			}
		}
		if err := p.process.QueryAt(file, at, &a); err != nil {
			return nil, err
		}
		v := newVerdict(pyHankoName, a.Error)
		for _, sig := range a.Signatures {
			if sig.Kind == "timestamp" {
				continue
			}
			// The message of a passed signature says that its current result was not improved.
			if !strings.HasPrefix(sig.LTA, "PASSED ") {
				v.refused = append(v.refused, refusal{sig.Field, sig.LTA})
			} else if sig.DocMDP != nil && !*sig.DocMDP {
				v.refused = append(v.refused, refusal{sig.Field, "a later change is not permitted"})
			}
			if err := v.addProven(sig.Proven); err != nil {
				return nil, err
			}
		}
		all = append(all, []verdict{v})
	}
	return all, nil
}

// dss validates as of a time twice: by its own policy, and by that policy with later end dates of algorithms.
type dss struct{ process validator.Process }

const (
	dssName      = "DSS"
	extendedName = "DSS, extended"
	extendedYear = "2100"
)

func newDSS(work string, services []*service) *dss {
	arguments := append(trustArguments(services), "--extended", extendedYear)
	return &dss{validator.Process{Name: dssName, Command: validator.Java(work, "interop.Dss", arguments...), Limit: waitLimit}}
}

func (d *dss) endProcess() { d.process.Stop() }

func (*dss) verdictNames() []string { return []string{dssName, extendedName} }

// dssSignature is the answer of DSS about one signature.
type dssSignature struct {
	Field, Kind, Indication, Sub, Proven string
	Errors, Warnings                     []string
}

func (d *dss) queryFiles(_ *service, at time.Time, files []string) ([][]verdict, error) {
	var all [][]verdict
	for _, file := range files {
		var a struct {
			Error                string
			Signatures, Extended []dssSignature
		}
		if err := d.process.QueryAt(file, at, &a); err != nil {
			return nil, err
		}
		var both []verdict
		for _, by := range []struct {
			name       string
			signatures []dssSignature
		}{{dssName, a.Signatures}, {extendedName, a.Extended}} {
			v := newVerdict(by.name, a.Error)
			for _, sig := range by.signatures {
				for _, w := range sig.Warnings {
					if !slices.Contains(v.warnings, w) {
						v.warnings = append(v.warnings, w)
					}
				}
				if sig.Kind == "timestamp" {
					continue
				}
				if sig.Indication != "TOTAL_PASSED" {
					v.refused = append(v.refused, refusal{sig.Field, strings.TrimSpace(sig.Indication + " " + sig.Sub)})
				}
				if err := v.addProven(sig.Proven); err != nil {
					return nil, err
				}
			}
			both = append(both, v)
		}
		all = append(all, both)
	}
	return all, nil
}

// newVerdict returns the verdict on a file before its signatures are added. The failure is why the file was not validated, if it was not.
func newVerdict(by, failure string) verdict {
	v := verdict{by: by}
	if failure != "" {
		v.refused = []refusal{{text: failure}}
	}
	return v
}

// addProven adds when a signature provably existed; empty if nothing proves it.
func (v *verdict) addProven(text string) error {
	var at time.Time
	if text != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, text); err != nil {
			return fmt.Errorf("%s: proven time: %w", v.by, err)
		}
	}
	v.proven = append(v.proven, at)
	return nil
}
