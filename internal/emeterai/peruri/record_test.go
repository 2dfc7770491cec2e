package peruri

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRecordThatAPowerCutLeftHalfWrittenIsNoneAndIsWrittenAnew simulates a power failure between the creation of a
// record and its content.
func TestRecordThatAPowerCutLeftHalfWrittenIsNoneAndIsWrittenAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := openRecordStore(dir, nil, false, time.Now())
	requireNoError(t, err)
	defer func() { requireNoError(t, k.close()) }()
	whole := record{Serial: "S1", Picture: []byte("picture")}
	requireNoError(t, k.storeRecord(t.Context(), whole))
	name := filepath.Join(dir, "serials", "S1"+recordSuffix)
	b, err := os.ReadFile(name)
	requireNoError(t, err)
	for n := range b {
		requireNoError(t, os.WriteFile(name, b[:n], 0o600))
		k.dropCached("S1")
		if got, err := k.findRecord(t.Context(), "S1"); got.Picture != nil || got.Serial != "S1" || err != nil {
			t.Fatalf("of %d bytes of %d: %+v", n, len(b), got)
		}
	}
	requireNoError(t, k.storeRecord(t.Context(), whole))
	k.dropCached("S1")
	if got, err := k.findRecord(t.Context(), "S1"); string(got.Picture) != "picture" || err != nil {
		t.Errorf("%+v", got)
	}
}

func TestRecordsAtHandAreFewAndGoWithTheirStamps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := openRecordStore(dir, nil, true, time.Now())
	requireNoError(t, err)
	defer func() { requireNoError(t, k.close()) }()
	requireNoError(t, k.storeRecord(t.Context(), record{Serial: "large", Picture: make([]byte, maxCachedPicture+1)}))
	for i := range maxCached + 1 {
		requireNoError(t, k.storeRecord(t.Context(), record{Serial: fmt.Sprint("S", i), Picture: []byte{byte(i)}}))
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
	k.retireRecord(t.Context(), last, time.Now())
	if _, ok := k.cachedRecord(last); ok {
		t.Error("a record is at hand whose stamp was returned")
	}
	for _, serial := range []string{"large", "S0", last} {
		if r, err := k.findRecord(t.Context(), serial); r.Picture == nil || err != nil {
			t.Errorf("the picture of %s is lost", serial)
		}
	}
}
