package evidence

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/audit"
	"segel/internal/contract"
)

// newSigned returns a certificate's attachments and the contract that they are of.
func newSigned(t *testing.T) (*Attachments, []byte) {
	t.Helper()
	file := bytes.Repeat([]byte("kontrak "), 500)
	f := Collect(newRecords())
	for i := range f.Revisions {
		r := &f.Revisions[i]
		r.Size = int64((i + 1) * len(file) / len(f.Revisions))
		r.Digest = fmt.Sprintf("%x", sha256.Sum256(file[:r.Size]))
	}
	f.Document.Size, f.Document.Digest = int64(len(file)), f.Revisions[len(f.Revisions)-1].Digest
	for i := range f.People {
		f.People[i].Signature = nil // the proof has the completion alone
	}
	b, key := newProof(t, f.Document.Digest)
	p, err := audit.ParseProof(b)
	if err != nil {
		t.Fatal(err)
	}
	f.LogKey = key
	return &Attachments{Facts: f, Proof: p}, file
}

func TestAContractIsComparedWithEachRevision(t *testing.T) {
	t.Parallel()
	a, file := newSigned(t)
	compare := func(b []byte) (int64, error) { return a.Facts.CompareContract(bytes.NewReader(b), int64(len(b))) }
	if later, err := compare(file); err != nil || later != 0 {
		t.Errorf("%d, %v", later, err)
	}
	if later, err := compare(append(bytes.Clone(file), "renewed"...)); err != nil || later != 7 {
		t.Errorf("with bytes after it: %d, %v", later, err)
	}
	for _, at := range []int{0, len(file) / 2, len(file) - 1} {
		changed := bytes.Clone(file)
		changed[at] ^= 1
		if _, err := compare(changed); !errors.Is(err, ErrOtherContract) {
			t.Errorf("with another byte at %d: %v", at, err)
		}
	}
	if _, err := compare(file[:len(file)-1]); !errors.Is(err, ErrOtherContract) {
		t.Errorf("cut off: %v", err)
	}
	for name, change := range map[string]func(*Facts){
		"another digest of the file":       func(f *Facts) { f.Document.Digest = f.Revisions[0].Digest },
		"another digest of a revision":     func(f *Facts) { f.Revisions[2].Digest = f.Revisions[1].Digest },
		"a revision that ends too early":   func(f *Facts) { f.Revisions[3].Size = f.Revisions[2].Size },
		"a revision that ends after it":    func(f *Facts) { f.Revisions[3].Size = f.Document.Size + 1 },
		"no revision":                      func(f *Facts) { f.Revisions = nil },
		"the last revision is missing":     func(f *Facts) { f.Revisions = f.Revisions[:len(f.Revisions)-1] },
		"a revision that ends before zero": func(f *Facts) { f.Revisions[1].Size = -1 },
	} {
		a, file := newSigned(t)
		change(a.Facts)
		if _, err := a.Facts.CompareContract(bytes.NewReader(file), int64(len(file))); !errors.Is(err, ErrOtherContract) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProofIsOfTheEventsOfTheFacts(t *testing.T) {
	t.Parallel()
	a, _ := newSigned(t)
	if c, events, err := a.VerifyProof(); err != nil || c.Size != 1 || len(events) != 1 {
		t.Errorf("%+v, %d events, %v", c, len(events), err)
	}
	for name, c := range map[string]struct {
		change func(*Attachments)
		want   error
	}{
		"another document":           {func(a *Attachments) { a.Facts.Document.Number = 43 }, ErrOtherEvents},
		"another completed file":     {func(a *Attachments) { a.Facts.Document.Digest = a.Facts.Revisions[0].Digest }, ErrOtherEvents},
		"a signature without events": {func(a *Attachments) { a.Facts.People[0].Signature = &Signature{Digest: a.Facts.Revisions[2].Digest} }, ErrOtherEvents},
		"a signature with another factor": {func(a *Attachments) {
			a.Facts.People[0].Signature = &Signature{Digest: a.Facts.Revisions[2].Digest, Factor: "passkey"}
		}, ErrOtherEvents},
		"another event":               {func(a *Attachments) { a.Proof.Events[0].Leaf += " " }, audit.ErrUnproven},
		"another number of the event": {func(a *Attachments) { a.Proof.Events[0].Number = 1 }, audit.ErrUnproven},
		"an event of another document": {func(a *Attachments) {
			a.Proof.Document, a.Facts.Document.Number = 43, 43
		}, audit.ErrUnproven},
		"another checkpoint": {func(a *Attachments) { a.Proof.Checkpoint = "segel/x\n2\nAAAA\n" }, audit.ErrCheckpoint},
		"no key":             {func(a *Attachments) { a.Facts.LogKey = "" }, audit.ErrKey},
		"another key":        {func(a *Attachments) { a.Facts.LogKey = "segel/fe812c12f3ab4ce6+1fd1c950+AepKbGPi" }, audit.ErrKey},
	} {
		a, _ := newSigned(t)
		c.change(a)
		if _, _, err := a.VerifyProof(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func FuzzParseFacts(f *testing.F) {
	b, err := Collect(newRecords()).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		facts, err := ParseFacts(b)
		if err != nil {
			return
		}
		if again, err := facts.Marshal(); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%v", err)
		}
		_, _ = facts.CompareContract(bytes.NewReader(nil), 0)
	})
}

func TestTwoApproversOfOneNameAreToldApartByTheTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 3, 4, 5, 0, time.UTC)
	approved := func(by string, after time.Duration, factor string) contract.Event {
		return contract.Event{Type: contract.EventApproved, At: at.Add(after), Person: contract.Person{Name: by}, Details: map[string]string{"digest": "ab", "factor": factor}}
	}
	events := []contract.Event{approved("Ani", 0, "totp"), approved("Budi", time.Second, ""), approved("Ani", time.Minute, "passkey")}
	for after, want := range map[time.Duration]string{0: "totp", time.Minute: "passkey"} {
		if e, ok := findApproval(events, "Ani", &Signature{Digest: "ab", SignedAt: at.Add(after)}); !ok || e.Details["factor"] != want {
			t.Errorf("after %s: %v, %v", after, e, ok)
		}
	}
	if _, ok := findApproval(events, "Ani", &Signature{Digest: "ab", SignedAt: at.Add(time.Second)}); ok {
		t.Error("the approval of another person was taken")
	}
}
