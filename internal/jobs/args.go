package jobs

import (
	"fmt"

	"github.com/riverqueue/river"

	"segel/internal/contract"
)

// args is a job as River stores it. Jobs are duplicates if all fields are equal.
type args struct {
	Document contract.DocumentID `json:"document"`
	Keys     []string            `json:"keys,omitempty"`
	Slot     int                 `json:"slot,omitempty"` // see [Queue.insertJob]
}

// One type for each kind of work, because River distinguishes kinds by type. The names are stored.
type (
	convertArgs  struct{ args }
	stampArgs    struct{ args }
	completeArgs struct{ args }
	sweepArgs    struct{ args }
	periodicArgs struct {
		Name string `json:"name"`
	}
)

// Kind returns the stored name of the kind of work.
func (convertArgs) Kind() string { return string(contract.JobConvert) }

// Kind returns the stored name of the kind of work.
func (stampArgs) Kind() string { return string(contract.JobStamp) }

// Kind returns the stored name of the kind of work.
func (completeArgs) Kind() string { return string(contract.JobComplete) }

// Kind returns the stored name of the kind of work.
func (sweepArgs) Kind() string { return string(contract.JobSweep) }

// Kind returns the stored name of the kind of work.
func (periodicArgs) Kind() string { return "periodic" }

func newArgs(j contract.Job, slot int) (river.JobArgs, error) {
	a := args{Document: j.Document, Keys: j.Keys, Slot: slot}
	switch j.Kind {
	case contract.JobConvert:
		return convertArgs{a}, nil
	case contract.JobStamp:
		return stampArgs{a}, nil
	case contract.JobComplete:
		return completeArgs{a}, nil
	case contract.JobSweep:
		return sweepArgs{a}, nil
	}
	return nil, fmt.Errorf("unknown kind of work %q", j.Kind)
}
