package peruri

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRecordThatAPowerCutLeftHalfWrittenIsNoneAndIsWrittenAnew stands in for a cut between a record's name and its bytes.
func TestRecordThatAPowerCutLeftHalfWrittenIsNoneAndIsWrittenAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := openKeep(filepath.Join(dir, "serials"), filepath.Join(dir, "quarantine"), false, time.Now())
	must(t, err)
	defer func() { must(t, k.close()) }()
	whole := record{Serial: "S1", Picture: []byte("picture")}
	must(t, k.put(whole))
	name := filepath.Join(dir, "serials", "S1"+recordEnd)
	b, err := os.ReadFile(name)
	must(t, err)
	for n := range b {
		must(t, os.WriteFile(name, b[:n], 0o600))
		k.forget("S1")
		if got := k.get("S1"); got.Picture != nil || got.Serial != "S1" {
			t.Fatalf("of %d bytes of %d: %+v", n, len(b), got)
		}
	}
	must(t, k.put(whole))
	k.forget("S1")
	if got := k.get("S1"); string(got.Picture) != "picture" {
		t.Errorf("%+v", got)
	}
}

func TestRecordsAtHandAreFewAndGoWithTheirStamps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := openKeep(filepath.Join(dir, "serials"), filepath.Join(dir, "quarantine"), true, time.Now())
	must(t, err)
	defer func() { must(t, k.close()) }()
	must(t, k.put(record{Serial: "large", Picture: make([]byte, mostPicture+1)}))
	for i := range mostRecent + 1 {
		must(t, k.put(record{Serial: fmt.Sprint("S", i), Picture: []byte{byte(i)}}))
	}
	if n := len(k.recent); n != mostRecent {
		t.Errorf("%d records are at hand", n)
	}
	last := fmt.Sprint("S", mostRecent)
	for serial, want := range map[string]bool{"large": false, last: true} {
		if _, ok := k.recall(serial); ok != want {
			t.Errorf("%s is at hand: %v", serial, ok)
		}
	}
	k.done(last, time.Now())
	if _, ok := k.recall(last); ok {
		t.Error("a record is at hand whose stamp was returned")
	}
	for _, serial := range []string{"large", "S0", last} {
		if k.get(serial).Picture == nil {
			t.Errorf("the picture of %s is lost", serial)
		}
	}
}
