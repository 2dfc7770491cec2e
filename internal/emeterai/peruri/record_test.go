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

func TestRecordsAreWrittenToAFolderAndOthersAreRetired(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	in, err := OpenFolder(dir, false)
	requireNoError(t, err)
	defer func() { requireNoError(t, in.Close()) }()
	content := func(serial, code string) []byte { return fmt.Appendf(nil, `{"serial":%q,"code":%q}`, serial, code) }
	for _, serial := range []string{"removed", "waits", "retired"} {
		requireNoError(t, in.StoreRecord(t.Context(), serial, content(serial, "former")))
	}
	requireNoError(t, os.WriteFile(filepath.Join(dir, "serials", "new"+recordSuffix), []byte(`{"ser`), 0o600)) // what a kill left
	retired := map[string]time.Time{"waits": {}, "new": {}, "retired": now.Add(-2 * recordRetention)}
	for range 2 {
		n, err := WriteRecords(t.Context(), dir, func(yield func(string, []byte, time.Time) error) error {
			for serial, at := range retired {
				if err := yield(serial, content(serial, "newer"), at); err != nil {
					return err
				}
			}
			return nil
		}, now)
		if n != len(retired) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	requireNoError(t, in.RemoveRetired(t.Context(), now.Add(-time.Hour)))
	for serial, want := range map[string]string{
		"waits": string(content("waits", "newer")), "new": string(content("new", "newer")), "retired": "", "removed": string(content("removed", "former")),
	} {
		if got, err := in.FindRecord(t.Context(), serial); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", serial, got, err)
		}
	}
	requireNoError(t, in.RemoveRetired(t.Context(), now.Add(time.Hour)))
	if got, err := in.FindRecord(t.Context(), "removed"); got != nil || err != nil {
		t.Errorf("a record that is not named is kept: %q, %v", got, err)
	}
	_, err = WriteRecords(t.Context(), dir, func(yield func(string, []byte, time.Time) error) error { return yield("../x", nil, time.Time{}) }, now)
	if err == nil {
		t.Error("a record was written outside of the folder")
	}
}
