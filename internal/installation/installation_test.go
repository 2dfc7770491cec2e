package installation

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/store"
)

const sample ID = "00112233445566778899aabbccddeeff"

func TestTheMarkIsReadAsItWasWrittenByTheFirstRelease(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/formats/installation-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	if id, err := ParseMark(b); err != nil || id != sample {
		t.Errorf("%s, %v", id, err)
	}
	if !bytes.Equal(sample.Mark(), b) {
		t.Errorf("written: %q", sample.Mark())
	}
}

func TestTheMarkOfAFolderIsTheOneOfTheFirstRelease(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/formats/folder-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	if mark, err := NewFolderMark(bytes.NewReader([]byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"))); !bytes.Equal(mark, b) || err != nil {
		t.Errorf("%q, %v", mark, err)
	}
}

func TestWhatIsNotAMarkIsRefused(t *testing.T) {
	t.Parallel()
	good := string(sample.Mark())
	for _, bad := range []string{
		"", "\n", markVersion, good[:len(good)-1], good + "\n", good + "x", strings.ToUpper(good), strings.Replace(good, "-1\n", "-2\n", 1),
		strings.Replace(good, "ff", "fg", 1), strings.Replace(good, "ff", "f", 1), " " + good, strings.ReplaceAll(good, "\n", "\r\n"),
	} {
		if id, err := ParseMark([]byte(bad)); !errors.Is(err, ErrMark) || id != "" {
			t.Errorf("%q: %s, %v", bad, id, err)
		}
	}
}

func FuzzParseMark(f *testing.F) {
	f.Add(sample.Mark())
	f.Fuzz(func(t *testing.T, b []byte) {
		id, err := ParseMark(b)
		if err == nil && !bytes.Equal(id.Mark(), b) {
			t.Errorf("%q is read as %s", b, id)
		}
		if err != nil && !errors.Is(err, ErrMark) {
			t.Error(err)
		}
	})
}

func TestAKeyFolderIsMarkedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "none")} {
		if id, err := ReadMark(t.Context(), authority.Folder(d), d); id != "" || err != nil {
			t.Errorf("%s, %v", id, err)
		}
	}
	for range 2 {
		if err := WriteMark(t.Context(), authority.Folder(dir), dir, sample); err != nil {
			t.Fatal(err)
		}
	}
	var e *Error
	if err := WriteMark(t.Context(), authority.Folder(dir), dir, "ffeeddccbbaa99887766554433221100"); !errors.As(err, &e) || e.Problem != KeysOfAnother || e.Found != sample {
		t.Error(err)
	}
	if id, err := ReadMark(t.Context(), authority.Folder(dir), dir); id != sample || err != nil {
		t.Errorf("%s, %v", id, err)
	}
	if err := os.WriteFile(filepath.Join(dir, MarkFile), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMark(t.Context(), authority.Folder(dir), dir); !errors.Is(err, ErrMark) {
		t.Error(err)
	}
}

func TestOnlyAnEmptyDatabaseWithoutKeysAndBlobsIsAbsent(t *testing.T) {
	t.Parallel()
	const other ID = "ffeeddccbbaa99887766554433221100"
	complete := store.Installation{ID: string(sample), Authority: [32]byte{1}, CompletedAt: time.Unix(1, 0)}
	begun, made := store.Installation{ID: string(sample)}, store.Installation{ID: string(sample), Authority: [32]byte{1}}
	for name, c := range map[string]struct {
		found   Found
		state   State
		problem Problem
	}{
		"nothing":                        {found: Found{Empty: true}, state: Absent},
		"a master key that was provided": {found: Found{Empty: true, HasMasterKey: true}, state: Absent},
		"keys and no database":           {found: Found{Empty: true, HasAuthority: true}, problem: DatabaseMissing},
		"marked keys and no database":    {found: Found{Empty: true, Keys: sample}, problem: DatabaseMissing},
		"marked blobs and no database":   {found: Found{Empty: true, Blobs: sample}, problem: DatabaseMissing},
		"blobs and no database":          {found: Found{Empty: true, HasBlobs: true}, problem: DatabaseMissing},

		"of before":                     {found: Found{HasAuthority: true, HasMasterKey: true}, state: Unmarked},
		"of before, half marked":        {found: Found{HasAuthority: true, HasMasterKey: true, Blobs: sample}, state: Unmarked},
		"of before, without authority":  {found: Found{HasMasterKey: true}, problem: KeyFileMissing},
		"of before, without master key": {found: Found{HasAuthority: true}, problem: KeyFileMissing},
		"of before, marked apart":       {found: Found{HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: other}, problem: BlobsOfAnother},

		"begun":                            {found: Found{Recorded: begun, Empty: true}, state: Begun},
		"begun, with keys":                 {found: Found{Recorded: begun, Empty: true, HasAuthority: true, HasMasterKey: true}, state: Begun},
		"begun, with keys and marks":       {found: Found{Recorded: made, Empty: true, HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: sample}, state: Begun},
		"begun, the master key is gone":    {found: Found{Recorded: made, Empty: true, HasAuthority: true}, problem: KeyFileMissing},
		"begun, the authority is gone":     {found: Found{Recorded: made, Empty: true, HasMasterKey: true}, problem: KeyFileMissing},
		"begun, with the keys of another":  {found: Found{Recorded: begun, Empty: true, Keys: other}, problem: KeysOfAnother},
		"begun, with the blobs of another": {found: Found{Recorded: begun, Empty: true, Blobs: other}, problem: BlobsOfAnother},

		"complete":                                {found: Found{Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: sample}, state: Complete},
		"without the master key":                  {found: Found{Recorded: complete, HasAuthority: true, Keys: sample, Blobs: sample}, problem: KeyFileMissing},
		"without the authority":                   {found: Found{Recorded: complete, HasMasterKey: true, Keys: sample, Blobs: sample}, problem: KeyFileMissing},
		"without the mark of keys":                {found: Found{Recorded: complete, HasAuthority: true, HasMasterKey: true, Blobs: sample}, problem: KeysUnmarked},
		"without the mark of blobs":               {found: Found{Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: sample}, problem: BlobsUnmarked},
		"with the keys of another":                {found: Found{Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: other, Blobs: sample}, problem: KeysOfAnother},
		"with the blobs of another":               {found: Found{Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: other}, problem: BlobsOfAnother},
		"in the database":                         {found: Found{InDatabase: true, Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: sample}, state: Complete},
		"in the database, half copied":            {found: Found{InDatabase: true, Recorded: complete, HasAuthority: true, HasMasterKey: true, Blobs: sample}, problem: KeysNotCopied},
		"in the database, not copied":             {found: Found{InDatabase: true, Recorded: complete, HasMasterKey: true, Blobs: sample}, problem: KeysNotCopied},
		"in the database, without the master key": {found: Found{InDatabase: true, Recorded: complete, HasAuthority: true, Keys: sample, Blobs: sample}, problem: KeyFileMissing},
		"moved to the database":                   {found: Found{Elsewhere: KeysMoved, Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: sample}, problem: KeysMoved},
		"moved to a folder":                       {found: Found{InDatabase: true, Elsewhere: KeysInFolder, Recorded: complete, HasMasterKey: true, Blobs: sample}, problem: KeysInFolder},
		"moved to another folder":                 {found: Found{Elsewhere: KeysFormer, Recorded: complete, HasAuthority: true, HasMasterKey: true, Keys: sample, Blobs: sample}, problem: KeysFormer},
		"in a folder that was erased":             {found: Found{Recorded: complete}, problem: KeyFileMissing},
	} {
		state, err := c.found.Decide()
		var e *Error
		switch {
		case c.problem == "" && (err != nil || state != c.state):
			t.Errorf("%s: state %d, %v", name, state, err)
		case c.problem != "" && (!errors.As(err, &e) || e.Problem != c.problem):
			t.Errorf("%s: state %d, %v; want %s", name, state, err, c.problem)
		}
	}
}
