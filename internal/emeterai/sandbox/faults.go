package sandbox

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Call is one of the office's calls, as faults name it.
type Call string

// The calls.
const (
	CallLogin   Call = "login"
	CallKinds   Call = "jenisdoc"
	CallBuy     Call = "stampv2"
	CallUpload  Call = "uploaddoc2"
	CallStamp   Call = "docSigningZ" // both forms
	CallFile    Call = "file"        // fetching a stamped file, cloud form
	CallStatus  Call = "status"
	CallSerials Call = "serials"
	CallSaldo   Call = "saldo"
	CallPicture Call = "qrimage"
)

var calls = []Call{CallLogin, CallKinds, CallBuy, CallUpload, CallStamp, CallFile, CallStatus, CallSerials, CallSaldo, CallPicture}

// Fault is something that goes wrong in a call.
type Fault string

// The faults. Those of the first group come instead of what was asked; those of the second with it.
const (
	FaultNone   Fault = ""       // for scripts: nothing
	FaultOutage Fault = "outage" // the connection is cut and nothing happens
	FaultHTML   Fault = "html"   // status 502 and a page
	FaultToken  Fault = "token"  // the token has expired; every call but login
	FaultStatus Fault = "status" // statusCode Code and nothing happens
	FaultError  Fault = "error"  // docSigningZ: errorCode Code and nothing happens

	FaultSlow      Fault = "slow"      // Delay, then all is well
	FaultLate      Fault = "late"      // it happens, and Delay later it is answered
	FaultLost      Fault = "lost"      // it happens, and the connection is cut before the answer
	FaultErrorDone Fault = "errordone" // docSigningZ: it happens, and errorCode Code is answered

	FaultHalf      Fault = "half"      // docSigningZ: half the stamped file, and success is answered
	FaultPage      Fault = "page"      // docSigningZ: on another page, if there is one, else in another box
	FaultSerial    Fault = "serial"    // docSigningZ: another serial in name and reason
	FaultRewritten Fault = "rewritten" // docSigningZ: the file was written anew before it was stamped
	FaultSecond    Fault = "second"    // docSigningZ: a second signature comes with the stamp
)

var stampFaults = []Fault{FaultError, FaultErrorDone, FaultHalf, FaultPage, FaultSerial, FaultRewritten, FaultSecond}

var faults = append([]Fault{FaultOutage, FaultHTML, FaultToken, FaultStatus, FaultSlow, FaultLate, FaultLost}, stampFaults...)

// Rule says when a fault comes. Of the rules that fit a call the first one that strikes counts.
type Rule struct {
	Call  Call   `json:"call"` // empty: every one
	Fault Fault  `json:"fault"`
	Code  string `json:"code,omitempty"`  // of status, error, errordone
	Delay Length `json:"delay,omitempty"` // of slow, late

	// When: with a probability, from 0 to 1; at the n-th calls of their kind, from 1; between two times since the
	// plan was made. A rule without any of them always strikes; with several, all must hold.
	P    *float64 `json:"p,omitempty"`
	At   []int    `json:"at,omitempty"`
	From Length   `json:"from,omitempty"`
	To   Length   `json:"to,omitempty"`
}

// Length is a time.Duration, in JSON a text such as "1.5s".
type Length time.Duration

// UnmarshalText reads what time.ParseDuration reads.
func (l *Length) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*l = Length(d)
	return err
}

// MarshalText writes the duration as it is read.
func (l Length) MarshalText() ([]byte, error) { return []byte(time.Duration(l).String()), nil }

// Plan is what goes wrong in an office, and when. The same plan and the same seed make the same faults: the n-th
// call of a kind meets the same fate whatever happens beside it. Only From and To look at a clock.
type Plan struct {
	Seed  uint64 `json:"seed,omitempty"`
	Rules []Rule `json:"rules,omitempty"`
}

// maxPlan bounds a plan's text, and maxRules its rules.
const (
	maxPlan  = 1 << 20
	maxRules = 1000
)

// ReadPlan reads a plan in JSON and checks it.
func ReadPlan(r io.Reader) (Plan, error) {
	d := json.NewDecoder(io.LimitReader(r, maxPlan))
	d.DisallowUnknownFields()
	var p Plan
	if err := d.Decode(&p); err != nil {
		return Plan{}, fmt.Errorf("plan of faults: %w", err)
	}
	return p, p.checkPlan()
}

func (p Plan) checkPlan() error {
	if len(p.Rules) > maxRules {
		return fmt.Errorf("plan of faults: %d rules", len(p.Rules))
	}
	for i, r := range p.Rules {
		if err := r.checkRule(); err != nil {
			return fmt.Errorf("plan of faults: rule %d: %w", i+1, err)
		}
	}
	return nil
}

func (r Rule) checkRule() error {
	switch {
	case r.Call != "" && !slices.Contains(calls, r.Call):
		return fmt.Errorf("%q is no call; there are %v", r.Call, calls)
	case !slices.Contains(faults, r.Fault):
		return fmt.Errorf("%q is no fault; there are %v", r.Fault, faults)
	case slices.Contains(stampFaults, r.Fault) && r.Call != CallStamp:
		return fmt.Errorf("%q is a fault of %s alone", r.Fault, CallStamp)
	case (r.Fault == FaultStatus || r.Fault == FaultError || r.Fault == FaultErrorDone) != (r.Code != ""):
		return fmt.Errorf("%q with code %q", r.Fault, r.Code)
	case r.P != nil && (*r.P < 0 || *r.P > 1):
		return fmt.Errorf("probability %v", *r.P)
	case r.Delay < 0 || r.From < 0 || r.To < 0:
		return fmt.Errorf("a time is below zero")
	}
	return nil
}

// faultSchedule is a plan under way.
type faultSchedule struct {
	clock func() time.Time

	mu    sync.Mutex // guards all below
	plan  Plan
	began time.Time
	count map[Call]int
}

func newFaultSchedule(p Plan, clock func() time.Time) *faultSchedule {
	return &faultSchedule{clock: clock, plan: p, began: clock(), count: map[Call]int{}}
}

// startPlan begins another plan.
func (f *faultSchedule) startPlan(p Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan, f.began, f.count = p, f.clock(), map[Call]int{}
}

func (f *faultSchedule) currentPlan() Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plan
}

// nextRule counts a call and returns the rule that strikes it; one with FaultNone if none does.
func (f *faultSchedule) nextRule(c Call) Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count[c]++
	for i, r := range f.plan.Rules {
		if r.Call != "" && r.Call != c || r.Fault == FaultToken && c == CallLogin {
			continue
		}
		if f.ruleApplies(i, r, c) {
			return r
		}
	}
	return Rule{}
}

func (f *faultSchedule) ruleApplies(i int, r Rule, c Call) bool {
	n, since := f.count[c], f.clock().Sub(f.began)
	if len(r.At) > 0 && !slices.Contains(r.At, n) {
		return false
	}
	if since < time.Duration(r.From) || r.To > 0 && since >= time.Duration(r.To) {
		return false
	}
	return r.P == nil || drawChance(f.plan.Seed, i, c, n) < *r.P
}

// drawChance draws from 0 to 1 for the n-th call of a kind and a rule.
func drawChance(seed uint64, rule int, c Call, n int) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", rule, c, n)
	return rand.New(rand.NewPCG(seed, h.Sum64())).Float64()
}
