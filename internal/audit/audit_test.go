package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/contract"
)

// memory is stored hashes.
type memory []tlog.Hash

func (m memory) ReadHashes(_ context.Context, indexes []int64) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, i := range indexes {
		if i >= int64(len(m)) {
			return nil, errors.New("not stored")
		}
		all = append(all, m[i])
	}
	return all, nil
}

func testLeaf(n int) []byte {
	return EncodeLeaf(contract.Event{Type: contract.EventViewed, Document: contract.DocumentID(n)})
}

// growTree returns a log of n leaves, resumed before each.
func growTree(t testing.TB, n int) memory {
	t.Helper()
	var m memory
	for i := range n {
		tree, err := ResumeTree(t.Context(), int64(i), m)
		if err != nil {
			t.Fatal(err)
		}
		if first := tlog.StoredHashIndex(0, int64(i)); first != int64(len(m)) {
			t.Fatalf("leaf %d is stored at %d, want %d", i, len(m), first)
		}
		m = append(m, tree.Append(testLeaf(i))...)
	}
	return m
}

func TestTheTreeIsThatOfTheTransparencyLog(t *testing.T) {
	t.Parallel()
	m := growTree(t, 70)
	r := tlog.HashReaderFunc(func(i []int64) ([]tlog.Hash, error) { return m.ReadHashes(t.Context(), i) })
	for n := range int64(70) {
		want, err := tlog.TreeHash(n, r)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := ResumeTree(t.Context(), n, m)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Root() != want || tree.Size() != n {
			t.Errorf("root of %d leaves: %s, want %s", n, tree.Root(), want)
		}
		if n == 0 {
			continue
		}
		stored, err := tlog.StoredHashes(n-1, testLeaf(int(n-1)), r)
		if err != nil {
			t.Fatal(err)
		}
		first := tlog.StoredHashIndex(0, n-1)
		if diff := cmp.Diff(stored, []tlog.Hash(m[first:first+int64(len(stored))])); diff != "" {
			t.Errorf("hashes stored with leaf %d: %s", n-1, diff)
		}
	}
}

func TestAMissingHashIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := ResumeTree(t.Context(), 5, growTree(t, 3)); err == nil {
		t.Fatal("a log of 3 was resumed at 5")
	}
}

// event is the one of the sample.
var event = contract.Event{
	Type: contract.EventStamped, Document: 42, At: time.Date(2026, 3, 2, 3, 4, 5, 678_901_000, time.UTC),
	Person: contract.Person{ID: "8d2f7c1e-0000-4000-8000-000000000001", Name: "Siti Nurhaliza, S.H.", Email: "siti@example.test"},
	IP:     "2001:db8::1", Details: map[string]string{"serial": "0123456789ABCDEF", "digest": "ab12", "reason": "zu spät:\n3:abc,"},
}

func readSample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "formats", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheSampleLeafIsStillThatOfItsEvent(t *testing.T) {
	t.Parallel()
	want := readSample(t, "leaf-1.txt")
	if got := EncodeLeaf(event); !bytes.Equal(got, want) {
		t.Errorf("the leaf has become\n%s", got)
	}
	e, err := ParseLeaf(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(event, e); diff != "" {
		t.Error(diff)
	}
}

func TestTheDigestOfRecordsIsADetailOfTheLeaf(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("ab", 32)
	with, spelled := event, event
	with.Records = digest
	spelled.Details = maps.Clone(event.Details)
	spelled.Details[DetailRecords] = digest
	if got, want := EncodeLeaf(with), EncodeLeaf(spelled); !bytes.Equal(got, want) {
		t.Errorf("the leaf is\n%s\nnot\n%s", got, want)
	}
	if len(with.Details) != len(event.Details) {
		t.Errorf("details of the event have become %v", with.Details)
	}
	e, err := ParseLeaf(EncodeLeaf(with))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(with, e); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheCanonicalFormIsALeaf(t *testing.T) {
	t.Parallel()
	field := func(s string) string { return fmt.Sprintf("%d:%s,", len(s), s) }
	head := leafV1 + field("viewed") + field("1") + field("2") + field("p") + field("n") + field("e") + field("ip")
	if _, err := ParseLeaf([]byte(head + field("a") + field("1") + field("b") + field("2"))); err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]string{
		"nothing":               "",
		"another version":       strings.Replace(head, "-1\n", "-2\n", 1),
		"too few fields":        leafV1 + field("viewed"),
		"a name without value":  head + field("a"),
		"names out of order":    head + field("b") + field("2") + field("a") + field("1"),
		"a name twice":          head + field("a") + field("1") + field("a") + field("1"),
		"a number with a zero":  strings.Replace(head, field("1"), field("01"), 1),
		"a number that is none": strings.Replace(head, field("1"), field("x"), 1),
		"a length with a zero":  head + "01:a,1:b,",
		"a length with a sign":  head + "+1:a,1:b,",
		"a negative length":     head + "-1:a,1:b,",
		"a length too great":    head + "9999999999999999999:a,1:b,",
		"a field cut off":       head + "5:a",
		"no comma":              head + "1:a1:b,",
		"too long":              head + field("a") + field(strings.Repeat("x", maxLeaf)),
		"too many details":      head + strings.Repeat(field("a")+field("b"), maxDetails+1),
	} {
		if _, err := ParseLeaf([]byte(bad)); !errors.Is(err, ErrLeaf) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzParseLeaf(f *testing.F) {
	f.Add(EncodeLeaf(event))
	f.Add(EncodeLeaf(contract.Event{}))
	f.Add(EncodeLeaf(contract.Event{Records: "ab"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := ParseLeaf(b)
		if err == nil && !bytes.Equal(EncodeLeaf(e), b) {
			t.Fatalf("%q is read as an event of another leaf", b)
		}
	})
}

// key is the sample's, made of a seed that everybody knows.
var key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

var checkpoint = Checkpoint{Origin: "segel.example", Size: 123456, Root: tlog.RecordHash([]byte("root"))}

func publicKey(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

func TestTheSampleCheckpointIsStillReadAndWritten(t *testing.T) {
	t.Parallel()
	want := readSample(t, "checkpoint.txt")
	got, err := checkpoint.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the checkpoint has become\n%s", got)
	}
	c, err := OpenCheckpoint(want, "segel.example", publicKey(key))
	if err != nil {
		t.Fatal(err)
	}
	if c != checkpoint {
		t.Errorf("read as %+v", c)
	}
}

func TestACheckpointIsOnlyThatOfItsKeyAndOrigin(t *testing.T) {
	t.Parallel()
	good, err := checkpoint.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
	for what, open := range map[string]func() (Checkpoint, error){
		"another key":    func() (Checkpoint, error) { return OpenCheckpoint(good, "segel.example", publicKey(other)) },
		"another origin": func() (Checkpoint, error) { return OpenCheckpoint(good, "other.example", publicKey(key)) },
		"another size": func() (Checkpoint, error) {
			return OpenCheckpoint(bytes.Replace(good, []byte("123456"), []byte("123457"), 1), "segel.example", publicKey(key))
		},
		"no signature": func() (Checkpoint, error) {
			return OpenCheckpoint([]byte(checkpoint.noteText()), "segel.example", publicKey(key))
		},
	} {
		if _, err := open(); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, c := range map[string]Checkpoint{"a size below nothing": {Origin: "o", Size: -1}, "a line more": {Origin: "o\n1", Size: 1}} {
		b, err := c.Sign(key)
		if err != nil {
			continue // not even written
		}
		if _, err := OpenCheckpoint(b, "o", publicKey(key)); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
