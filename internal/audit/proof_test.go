package audit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/contract"
)

func TestEveryLeafIsProvenAndNoOther(t *testing.T) {
	t.Parallel()
	const size = 21
	m := growTree(t, size)
	tree, err := ResumeTree(t.Context(), size, m)
	if err != nil {
		t.Fatal(err)
	}
	c := Checkpoint{Origin: "o", Size: size, Root: tree.Root()}
	for i := range int64(size) {
		path, err := ProveLeaf(t.Context(), size, i, m)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ProvenEvent{Number: i, Leaf: string(testLeaf(int(i))), Path: path}.verifyLeaf(c)
		if err != nil || e.Document != contract.DocumentID(i) {
			t.Errorf("leaf %d: %v, %v", i, e, err)
		}
		if _, err := (ProvenEvent{Number: i, Leaf: string(testLeaf(99)), Path: path}).verifyLeaf(c); !errors.Is(err, ErrUnproven) {
			t.Errorf("leaf 99 is proven to be leaf %d", i)
		}
	}
	for _, i := range []int64{-1, size} {
		if _, err := ProveLeaf(t.Context(), size, i, m); err == nil {
			t.Errorf("leaf %d of %d was proven", i, size)
		}
	}
}

// loggedEvents are the events of the sample's log.
func loggedEvents() []contract.Event {
	var events []contract.Event
	for i := range 11 {
		events = append(events, contract.Event{Type: contract.EventViewed, Document: 7, At: event.At.Add(time.Duration(i) * time.Minute)})
	}
	events[2] = contract.Event{
		Type: contract.EventUploaded, Document: 42, At: event.At.Add(-time.Hour), Person: event.Person, IP: "192.0.2.7",
		Details: map[string]string{"filename": `sewa <2026> & "lain".pdf`},
	}
	events[3] = event
	events[10] = contract.Event{Type: contract.EventCompleted, Document: 42, At: event.At.Add(time.Hour), Details: map[string]string{"digest": "cd34"}}
	return events
}

// proveEvents returns a proof of events of the sample's log, as events of the given document.
func proveEvents(t testing.TB, of contract.DocumentID, numbers ...int64) *Proof {
	t.Helper()
	var m memory
	tree, events := &Tree{}, loggedEvents()
	for _, e := range events {
		m = append(m, tree.Append(EncodeLeaf(e))...)
	}
	note, err := Checkpoint{Origin: LogOrigin(publicKey(key)), Size: tree.Size(), Root: tree.Root()}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proof{Document: of, Checkpoint: string(note)}
	for _, number := range numbers {
		path, err := ProveLeaf(t.Context(), tree.Size(), number, m)
		if err != nil {
			t.Fatal(err)
		}
		var hashes [][32]byte
		for _, h := range path {
			hashes = append(hashes, h)
		}
		p.AddEvent(number, events[number], hashes)
	}
	return p
}

// ofTheSample is the proof of the sample: all events of document 42.
func ofTheSample(t testing.TB) *Proof { return proveEvents(t, 42, 2, 3, 10) }

// verifyWithPrintedKey parses and verifies a proof with what a third party has: the key as it is printed.
func verifyWithPrintedKey(b []byte, printed string) (events []contract.Event, err error) {
	origin, key, err := ParseVerifierKey(printed)
	if err != nil {
		return nil, err
	}
	p, err := ParseProof(b)
	if err != nil {
		return nil, err
	}
	_, events, err = p.Verify(origin, key)
	return events, err
}

func TestTheSampleProofIsStillReadAndWritten(t *testing.T) {
	t.Parallel()
	want := readSample(t, "proof-1.json")
	got, err := ofTheSample(t).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the proof has become\n%s", got)
	}
	events, err := verifyWithPrintedKey(want, string(readSample(t, "verifier-key.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 3 || events[0].Type != contract.EventUploaded || events[2].Type != contract.EventCompleted {
		t.Fatalf("read as %v", events)
	}
	if diff := cmp.Diff(event, events[1]); diff != "" {
		t.Error(diff)
	}
}

// TestNoByteOfAProofOrItsKeyMayChange flips one bit of every byte so that the text stays printable. Only white space
// between values has no meaning.
func TestNoByteOfAProofOrItsKeyMayChange(t *testing.T) {
	t.Parallel()
	good, printed := readSample(t, "proof-1.json"), strings.TrimSpace(string(readSample(t, "verifier-key.txt")))
	for i := range good {
		for _, bit := range []byte{1, 2, 4} {
			bad := bytes.Clone(good)
			if bad[i] ^= bit; isSpace(good[i]) && isSpace(bad[i]) {
				continue
			}
			if _, err := verifyWithPrintedKey(bad, printed); err == nil {
				t.Errorf("byte %d, %q, may be %q", i, good[i], bad[i])
			}
		}
	}
	for i := range printed {
		bad := []byte(printed)
		bad[i] ^= 1
		if _, err := verifyWithPrintedKey(good, string(bad)); err == nil {
			t.Errorf("byte %d of the key, %q, may be %q", i, printed[i], bad[i])
		}
	}
}

func isSpace(b byte) bool { return bytes.IndexByte([]byte(" \t\r\n"), b) >= 0 }

// TestAProofOfWhatIsNotSoIsRefused changes proofs as a forger would.
func TestAProofOfWhatIsNotSoIsRefused(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		change func(*Proof)
		want   error
	}{
		"another document":           {func(p *Proof) { p.Document = 7 }, ErrUnproven},
		"events of another document": {func(p *Proof) { *p = *proveEvents(t, 42, 4, 5) }, ErrUnproven},
		"one event of another":       {func(p *Proof) { p.Events = slices.Insert(p.Events, 2, proveEvents(t, 7, 4).Events[0]) }, ErrUnproven},
		"an event under the number of another": {func(p *Proof) {
			p.Events[0].Leaf, p.Events[1].Leaf = p.Events[1].Leaf, p.Events[0].Leaf
		}, ErrUnproven},
		"a number beside":    {func(p *Proof) { p.Events[1].Number = 4 }, ErrUnproven},
		"a number too great": {func(p *Proof) { p.Events[2].Number = 11 }, ErrUnproven},
		"a number below 0":   {func(p *Proof) { p.Events[0].Number = -1 }, ErrUnproven},
		"another order":      {func(p *Proof) { slices.Reverse(p.Events) }, ErrUnproven},
		"an event twice":     {func(p *Proof) { p.Events[1] = p.Events[0] }, ErrUnproven},
		"a hash less":        {func(p *Proof) { p.Events[1].Path = p.Events[1].Path[1:] }, ErrUnproven},
		"a hash more":        {func(p *Proof) { p.Events[1].Path = append(p.Events[1].Path, tlog.Hash{}) }, ErrUnproven},
		"an inner node as a leaf": {func(p *Proof) {
			p.Events[1] = ProvenEvent{Number: 1, Leaf: strings.Repeat("x", 64), Path: p.Events[1].Path[1:]}
		}, ErrUnproven},
		"no events":                              {func(p *Proof) { p.Events = nil }, ErrUnproven},
		"no checkpoint":                          {func(p *Proof) { p.Checkpoint = "" }, ErrCheckpoint},
		"an earlier checkpoint":                  {func(p *Proof) { p.Checkpoint = string(signedCheckpoint(t, 10)) }, ErrUnproven},
		"a log of a size that is not counted to": {func(p *Proof) { p.Checkpoint = string(signedCheckpoint(t, 1<<62+1)) }, ErrCheckpoint},
	} {
		p := ofTheSample(t)
		c.change(p)
		if _, _, err := p.Verify(LogOrigin(publicKey(key)), publicKey(key)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

// signedCheckpoint is a checkpoint of the log's key for another size.
func signedCheckpoint(t *testing.T, size int64) []byte {
	t.Helper()
	b, err := Checkpoint{Origin: LogOrigin(publicKey(key)), Size: size, Root: checkpoint.Root}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOtherFilesAreReportedAsNoProof(t *testing.T) {
	t.Parallel()
	good, err := ofTheSample(t).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	with := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("the proof has no %q", old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	hash := `"` + tlog.Hash{}.String() + `",`
	for what, bad := range map[string]string{
		"nothing":            "",
		"no JSON":            "segel-proof-1",
		"something after it": string(good) + "{}",
		"another version":    with("segel-proof-1", "segel-proof-2"),
		"document 0":         with(`"document": 42`, `"document": 0`),
		"a member more":      with(`"document"`, `"more": 1, "document"`),
		"a member twice":     with(`"document"`, `"document": 41, "document"`),
		"members out of order": with(`"format": "segel-proof-1",
	"document": 42,`, `"document": 42,
	"format": "segel-proof-1",`),
		"a name in capitals":  with(`"leaf"`, `"Leaf"`),
		"another escape":      with(`segel-event-1`, `segel\u002devent-1`),
		"no proof":            with(`"proof"`, `"prove"`),
		"events of no kind":   `{"format":"segel-proof-1","document":42,"checkpoint":"","events":null}`,
		"no events":           `{"format":"segel-proof-1","document":42,"checkpoint":"","events":[]}`,
		"events that are one": `{"format":"segel-proof-1","document":42,"checkpoint":"","events":{}}`,
		"too many events":     `{"format":"segel-proof-1","document":42,"checkpoint":"","events":[` + strings.Repeat(`{"number":0,"leaf":"","proof":[]},`, maxProofEvents) + `{"number":0,"leaf":"","proof":[]}]}`,
		"too long a path":     with(`"proof": [`, `"proof": [`+strings.Repeat(hash, maxPath)),
		"too long a note":     with(`"checkpoint": "`, `"checkpoint": "`+strings.Repeat("x", MaxCheckpoint)),
		"too much of it":      string(good) + strings.Repeat(" ", MaxProof),
	} {
		if _, err := ParseProof([]byte(bad)); !errors.Is(err, ErrProofForm) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ParseProof([]byte(with("segel-proof-1", "segel-proof-2"))); err == nil || !strings.Contains(err.Error(), "segel-proof-2") {
		t.Errorf("a later version is not named: %v", err)
	}
	if _, err := ParseProof([]byte(with("\n\t", "  "))); err != nil {
		t.Errorf("white space means something: %v", err)
	}
}

func TestNothingIsWrittenThatIsNotRead(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*Proof){
		"no events":       func(p *Proof) { p.Events = nil },
		"too many events": func(p *Proof) { p.Events = slices.Repeat(p.Events[:1], maxProofEvents+1) },
		"too much":        func(p *Proof) { p.Events[0].Leaf = strings.Repeat("x", MaxProof) },
		"no UTF-8":        func(p *Proof) { p.Events[0].Leaf = "\xff" },
		"a long note":     func(p *Proof) { p.Checkpoint = strings.Repeat("x", MaxCheckpoint+1) },
	} {
		p := ofTheSample(t)
		change(p)
		if _, err := p.Marshal(); err == nil {
			t.Errorf("%s: written", what)
		}
	}
}

func TestOnlyAKeyIsAKey(t *testing.T) {
	t.Parallel()
	good := VerifierKey("o", publicKey(key))
	if origin, k, err := ParseVerifierKey(" " + good + "\n"); err != nil || origin != "o" || !k.Equal(publicKey(key)) {
		t.Fatalf("%s %x %v", origin, k, err)
	}
	hash := strings.Split(good, "+")[1]
	for _, bad := range []string{
		"", "o", "o+00000000+AA==", good[1:], good + "A", good + " " + good,
		strings.Replace(good, hash, strings.ToUpper(hash), 1), good[:20] + "\n" + good[20:],
	} {
		if _, _, err := ParseVerifierKey(bad); !errors.Is(err, ErrKey) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseProof(f *testing.F) {
	good := readSample(f, "proof-1.json")
	f.Add(good)
	origin := LogOrigin(publicKey(key))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProof(b)
		if err != nil {
			return
		}
		again, err := p.Marshal()
		if err != nil {
			t.Fatalf("what is read is not written: %v", err)
		}
		q, err := ParseProof(again)
		if diff := cmp.Diff(p, q); err != nil || diff != "" {
			t.Fatalf("it is read otherwise once written: %v %s", err, diff)
		}
		if _, events, err := p.Verify(origin, publicKey(key)); err == nil && len(events) != len(p.Events) {
			t.Fatalf("%d of %d events are returned", len(events), len(p.Events))
		}
	})
}
