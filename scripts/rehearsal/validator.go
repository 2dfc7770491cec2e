package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"segel/scripts/running"
)

// verdict is what a validator says of a file.
type verdict struct {
	by      string    // the validator, and by which policy if it has several
	refused []refusal // what did not pass; none if the file passed
	// proven is when each signature other than a timestamp provably existed, in the order of the validator; zero if nothing proves it.
	proven   []time.Time
	warnings []string // about signatures and timestamps, which do not change the verdict
}

// refusal is what a validator says of a signature that did not pass.
type refusal struct {
	field string // empty: about the whole file
	text  string // indication, sub-indication and message
}

func (v verdict) passed() bool { return len(v.refused) == 0 }

// verifier validates files of a service as of a time. The answers are in the order of the files, each with a verdict for each name.
type verifier interface {
	verdictNames() []string
	queryFiles(s *service, at time.Time, files []string) ([][]verdict, error)
	endProcess()
}

// own is segel verify.
type own struct{}

const ownName = "Segel"

func (own) verdictNames() []string { return []string{ownName} }
func (own) endProcess()            {}

// ownReport is the report of segel verify --json on a file, as far as it is read.
type ownReport struct {
	Indication    string
	SubIndication string `json:"sub_indication"`
	Signatures    []struct {
		Field, Kind, Level string
		Proven             *struct{ Time time.Time }
	}
}

func (own) queryFiles(s *service, at time.Time, files []string) ([][]verdict, error) {
	cmd := exec.Command(s.Binary, append([]string{"verify", "--data", s.Data, "--json", "--at", at.Format(time.RFC3339Nano)}, files...)...)
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = append(running.Environ(), s.Env...), &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 { // 1: some did not pass
		return nil, fmt.Errorf("segel verify: %w: %s", err, stderr.Bytes())
	}
	var all [][]verdict
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var r ownReport
		switch err := in.Decode(&r); {
		case errors.Is(err, io.EOF) && len(all) == len(files):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("segel verify: report %d of %d: %w", len(all)+1, len(files), err)
		}
		all = append(all, []verdict{r.verdict()})
	}
}

func (r *ownReport) verdict() verdict {
	v := verdict{by: ownName}
	if r.Indication != "TOTAL-PASSED" {
		v.refused = append(v.refused, refusal{text: strings.TrimSpace(r.Indication + " " + r.SubIndication)})
	}
	for _, sig := range r.Signatures {
		if sig.Kind == "timestamp" {
			continue
		}
		if sig.Level != "B-LTA" && r.Indication == "TOTAL-PASSED" {
			v.refused = append(v.refused, refusal{sig.Field, fmt.Sprintf("%s, a %s of level %s", r.Indication, sig.Kind, sig.Level)})
		}
		if sig.Proven == nil {
			v.proven = append(v.proven, time.Time{})
			continue
		}
		v.proven = append(v.proven, sig.Proven.Time)
	}
	return v
}
