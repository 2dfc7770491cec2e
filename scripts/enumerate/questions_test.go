package main

import (
	"regexp"
	"slices"
	"testing"

	"segel/internal/api"
)

// An operation that is added is asked about, or stated as an exception with the reason.
func TestEveryOperationIsAskedAboutOrAnExceptionWithItsReason(t *testing.T) {
	t.Parallel()
	excepted, asked := exceptions(), map[string]bool{}
	for _, e := range entryPoints() {
		asked[e.operation] = true
	}
	known := map[string]bool{}
	for _, op := range api.Operations() {
		known[op.ID] = true
		switch {
		case !asked[op.ID] && excepted[op.ID] == "":
			t.Errorf("%s %s (%s) is not asked about: does its time show what exists?", op.Method, op.Path, op.ID)
		case asked[op.ID] && excepted[op.ID] != "":
			t.Errorf("%s is asked about and an exception", op.ID)
		}
	}
	for id := range excepted {
		if !known[id] {
			t.Errorf("the exception %s is not an operation", id)
		}
	}
	for id := range asked {
		if !known[id] {
			t.Errorf("%s is asked about and is not an operation", id)
		}
	}
}

// pathNames are the names in paths for which [newStage] has something that exists and something that does not.
var pathNames = []string{
	"service", "document_id", "organisation", "organisation_id", "person_id", "session_id", "domain", "key_id", "invitation_id", "label_id", "team_id", "hold_id", "webhook_id", "folder_id", "notice_id", "id",
}

func TestEveryNameInAPathThatIsAskedAboutIsKnown(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	for _, e := range entryPoints() {
		asked[e.operation] = true
	}
	for _, op := range api.Operations() {
		for _, name := range regexp.MustCompile(`\{([a-z_]+)\}`).FindAllStringSubmatch(op.Path, -1) {
			if asked[op.ID] && !slices.Contains(pathNames, name[1]) {
				t.Errorf("%s %s: nothing is known by the name %s", op.Method, op.Path, name[1])
			}
		}
	}
}
