package facts_test

import (
	"bytes"
	"os"
	"testing"

	"segel/pades/validate/facts"
)

func TestTryOne(t *testing.T) {
	name := os.Getenv("TRY")
	if name == "" {
		t.Skip()
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(summary(f))
	for _, r := range f.Revisions {
		t.Logf("r%d end %d level %v", r.Number, r.End, r.Level)
		for _, c := range r.Changes {
			t.Logf("   %v %s %q %v %s f=%q p%d %v %s %v", c.Ref, c.What, c.Rule, c.Level, c.Code, c.Field, c.Page, c.Notes, c.Detail, c.Paths)
		}
	}
	for _, w := range f.Warnings {
		t.Logf("%+v", w)
	}
}
