package peruri

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRecordThatAPowerCutLeftHalfWrittenIsNoneAndIsWrittenAnew stands in for a cut between a record's name and its bytes.
func TestRecordThatAPowerCutLeftHalfWrittenIsNoneAndIsWrittenAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, err := openKeep(filepath.Join(dir, "serials"), filepath.Join(dir, "quarantine"), time.Now())
	must(t, err)
	defer func() { must(t, k.close()) }()
	whole := record{Serial: "S1", Picture: []byte("picture")}
	must(t, k.put(whole))
	name := filepath.Join(dir, "serials", "S1"+recordEnd)
	b, err := os.ReadFile(name)
	must(t, err)
	for n := range b {
		must(t, os.WriteFile(name, b[:n], 0o600))
		if got := k.get("S1"); got.Picture != nil || got.Serial != "S1" {
			t.Fatalf("of %d bytes of %d: %+v", n, len(b), got)
		}
	}
	must(t, k.put(whole))
	if got := k.get("S1"); string(got.Picture) != "picture" {
		t.Errorf("%+v", got)
	}
}
