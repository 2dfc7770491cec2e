package contract

import (
	"errors"
	"slices"
	"testing"
)

func TestACompletionOrdersTheEvidenceCertificateUnlessItIsLeftToItsRequest(t *testing.T) {
	t.Parallel()
	d := &Document{ID: 7, State: Processing, Mode: Stamping, Revisions: []Revision{{Kind: RevisionBase, End: 5}}}
	c, err := Complete(d, []Revision{{Kind: RevisionTimestamp, Tail: File{Size: 4}, Begin: 5, End: 9}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	ordered := func() bool {
		return slices.ContainsFunc(c.Jobs, func(j Job) bool { return j.Kind == JobEvidence && j.Document == 7 })
	}
	if !ordered() {
		t.Errorf("jobs %+v", c.Jobs)
	}
	before := slices.Clone(c.Jobs)
	jobs := c.Jobs
	if c.RemoveJobs(JobEvidence); ordered() {
		t.Errorf("jobs %+v", c.Jobs)
	}
	if len(jobs) != len(before) || jobs[len(jobs)-1].Kind != before[len(before)-1].Kind {
		t.Error("the list of jobs was changed in place")
	}

	if e, err := RecordEvidence(&c.After, [32]byte{0xAB}, t0); err != nil || e.Type != EventEvidenceMade || e.Document != 7 || e.Details["evidence"][:2] != "ab" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := RecordEvidence(d, [32]byte{}, t0); !errors.Is(err, ErrNotCompleted) {
		t.Errorf("%v", err)
	}
}
