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
	k, err := openRecordStore(filepath.Join(dir, "serials"), filepath.Join(dir, "quarantine"), false, time.Now())
	requireNoError(t, err)
	defer func() { requireNoError(t, k.close()) }()
	whole := record{Serial: "S1", Picture: []byte("picture")}
	requireNoError(t, k.storeRecord(whole))
	name := filepath.Join(dir, "serials", "S1"+recordSuffix)
	b, err := os.ReadFile(name)
	requireNoError(t, err)
	for n := range b {
		requireNoError(t, os.WriteFile(name, b[:n], 0o600))
		k.dropCached("S1")
		if got := k.findRecord("S1"); got.Picture != nil || got.Serial != "S1" {
			t.Fatalf("of %d bytes of %d: %+v", n, len(b), got)
		}
	}
	requireNoError(t, k.storeRecord(whole))
	k.dropCached("S1")
	if got := k.findRecord("S1"); string(got.Picture) != "picture" {
		t.Errorf("%+v", got)
	}
}

func TestRecordsAtHandAreFewAndGoWithTheirStamps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := openRecordStore(filepath.Join(dir, "serials"), filepath.Join(dir, "quarantine"), true, time.Now())
	requireNoError(t, err)
	defer func() { requireNoError(t, k.close()) }()
	requireNoError(t, k.storeRecord(record{Serial: "large", Picture: make([]byte, maxCachedPicture+1)}))
	for i := range maxCached + 1 {
		requireNoError(t, k.storeRecord(record{Serial: fmt.Sprint("S", i), Picture: []byte{byte(i)}}))
	}
	if n := len(k.cached); n != maxCached {
		t.Errorf("%d records are at hand", n)
	}
	last := fmt.Sprint("S", maxCached)
	for serial, want := range map[string]bool{"large": false, last: true} {
		if _, ok := k.cachedRecord(serial); ok != want {
			t.Errorf("%s is at hand: %v", serial, ok)
		}
	}
	k.retireRecord(last, time.Now())
	if _, ok := k.cachedRecord(last); ok {
		t.Error("a record is at hand whose stamp was returned")
	}
	for _, serial := range []string{"large", "S0", last} {
		if k.findRecord(serial).Picture == nil {
			t.Errorf("the picture of %s is lost", serial)
		}
	}
}
