package backup

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"testing"
	"time"
)

func TestTheSampleManifestIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("testdata/formats/manifest-1.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseManifest("1", sample)
	if err != nil {
		t.Fatal(err)
	}
	want := Manifest{
		ID: "1", Version: 1, Installation: "6f1c2f5e-2b0b-4c55-8f0e-6f6f0a8b7c11", Release: "0.2.0",
		BeganAt: time.Date(2026, 11, 28, 5, 30, 0, 123456000, time.UTC), EndedAt: time.Date(2026, 11, 28, 5, 30, 7, 654321000, time.UTC),
		Database: Database{
			Part: Part{"00000000000000000000000000000001", 52113, "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b"},
			Kind: "sqlite", Migration: 120, At: time.Date(2026, 11, 28, 5, 30, 0, 200000000, time.UTC), Events: 42, Checkpoint: "segel.contoh.id/log\n42\n",
		},
		Keys: Keys{
			Part:  &Part{"00000000000000000000000000000002", 4321, "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"},
			Place: "folder", HasMasterKey: true, AgeEncryption: true,
		},
		Office:  &Part{"00000000000000000000000000000003", 99, "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"},
		List:    Part{"00000000000000000000000000000004", 210, "baa5a0964d3320fbc0c6a922140453c8513ea24ab8fd0577034804a967248096"},
		Files:   2,
		Bytes:   8191,
		Damaged: []Damage{{"00000000000000000000000000000005", ErrDifferent.Error()}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	again, err := json.MarshalIndent(got, "", "  ")
	if err != nil || !bytes.Equal(append(again, '\n'), sample) {
		t.Errorf("%v: written as\n%s", err, again)
	}
}

func FuzzManifestsAreReadOrRefused(f *testing.F) {
	sample, err := os.ReadFile("testdata/formats/manifest-1.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{string(sample), `{"segel_backup":1}`, `{"segel_backup":2}`, `{"segel_backup":1}x`, `{"segel_backup":1,"keys":{"key":7}}`, ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := parseManifest("1", content)
		if err == nil && (m.Version != manifestVersion || len(m.parts()) < 2) {
			t.Errorf("read as %+v", m)
		}
	})
}

func FuzzListsOfFilesAreReadInOrderOrRefused(f *testing.F) {
	for _, s := range []string{
		`{"key":"00000000000000000000000000000001","size":1,"sha256":""}` + "\n" + `{"key":"00000000000000000000000000000002"}`,
		`{"key":"00000000000000000000000000000002"}` + "\n" + `{"key":"00000000000000000000000000000001"}`,
		`{"key":"../../etc/passwd"}`, "{", "\n", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		l := newListReader(nil, bytes.NewReader(content))
		last := ""
		for {
			file, err := l.Next()
			if err == io.EOF {
				if _, err := l.Next(); err != io.EOF {
					t.Errorf("after the end: %v", err)
				}
			}
			if err != nil {
				return
			}
			if file.Key.Check() != nil || string(file.Key) <= last {
				t.Fatalf("%q is after %q", file.Key, last)
			}
			last = string(file.Key)
		}
	})
}
