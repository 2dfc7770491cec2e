package https

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// The sample is never regenerated: nodes of two releases share the records.
func TestRecordsOfEarlierReleasesAreRead(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile(filepath.Join("testdata", "formats", "records.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Certificate certificate
		Attempt     attempt
	}
	if err := json.Unmarshal(sample, &got); err != nil {
		t.Fatal(err)
	}
	pem := []byte("-----BEGIN")
	want := certificate{1, "https://acme.example.test/dir", []string{"segel.example.test"}, pem, pem}
	if !reflect.DeepEqual(got.Certificate, want) || got.Attempt != (attempt{1, 2, time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}) {
		t.Errorf("%+v", got)
	}
}
