package evidence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"segel/internal/audit"
	"segel/internal/contract"
)

// Errors of a certificate that does not agree with the contract or with the audit log.
var (
	ErrOtherContract = errors.New("the certificate is of another file")
	ErrOtherEvents   = errors.New("the events are not those of the certificate")
)

// CompareContract compares the bytes of a contract with the facts: each revision must have the digest that the facts state. It returns how
// many bytes follow the completed file, as after a renewal of its timestamp; those are for the validation of the contract to judge. Errors:
// [ErrOtherContract], and those of reading.
func (f *Facts) CompareContract(r io.Reader, size int64) (later int64, err error) {
	if size < f.Document.Size {
		return 0, fmt.Errorf("%w: it has %d bytes instead of %d", ErrOtherContract, size, f.Document.Size)
	}
	digest, end := sha256.New(), int64(0)
	for i, v := range f.Revisions {
		if v.Size < end || v.Size == end && i > 0 || v.Size > f.Document.Size {
			return 0, fmt.Errorf("%w: revision %d ends at %d", ErrOtherContract, i+1, v.Size)
		}
		if _, err := io.CopyN(digest, r, v.Size-end); err != nil {
			return 0, fmt.Errorf("read contract: %w", err)
		}
		end = v.Size
		if sum := fmt.Sprintf("%x", digest.Sum(nil)); sum != v.Digest {
			return 0, fmt.Errorf("%w: revision %d has the SHA-256 %s instead of %s", ErrOtherContract, i+1, sum, v.Digest)
		}
	}
	if n := len(f.Revisions); n == 0 || end != f.Document.Size || f.Revisions[n-1].Digest != f.Document.Digest {
		return 0, fmt.Errorf("%w: its revisions do not end as the completed file", ErrOtherContract)
	}
	return size - end, nil
}

// VerifyProof verifies that the attached events are in the audit log of the attached checkpoint, by the key in the facts, and that they tell of
// this completed document and of each signature in the facts. Errors: [audit.ErrKey], [audit.ErrCheckpoint], [audit.ErrUnproven],
// [ErrOtherEvents].
func (a *Attachments) VerifyProof() (audit.Checkpoint, []contract.Event, error) {
	origin, key, err := audit.ParseVerifierKey(a.Facts.LogKey)
	if err != nil {
		return audit.Checkpoint{}, nil, err
	}
	c, events, err := a.Proof.Verify(origin, key)
	if err != nil {
		return c, nil, err
	}
	if int64(a.Proof.Document) != a.Facts.Document.Number {
		return c, nil, fmt.Errorf("%w: they are of document %d", ErrOtherEvents, a.Proof.Document)
	}
	told := map[contract.EventType]map[string]contract.Event{contract.EventCompleted: {}, contract.EventSigned: {}}
	for _, e := range events {
		if digests := told[e.Type]; digests != nil {
			digests[e.Details["digest"]] = e
		}
	}
	if _, ok := told[contract.EventCompleted][a.Facts.Document.Digest]; !ok {
		return c, nil, fmt.Errorf("%w: none says that this file was completed", ErrOtherEvents)
	}
	for _, p := range a.Facts.People {
		s := p.act()
		if s == nil {
			continue
		}
		e, ok := told[contract.EventSigned][s.Digest]
		if p.Approval != nil {
			e, ok = findApproval(events, p.Name, s)
		}
		switch {
		case !ok:
			return c, nil, fmt.Errorf("%w: none says that %s signed or approved", ErrOtherEvents, p.Name)
		case e.Details["factor"] != s.Factor || e.Details["factor_for"] != s.FactorFor:
			return c, nil, fmt.Errorf("%w: they say that %s was authenticated otherwise", ErrOtherEvents, p.Name)
		}
	}
	return c, events, nil
}

// findApproval returns the event of an approval by a person of that name. Several people may approve the same revision, also of the same name: the
// times of their approvals differ, because each is a commit of the document.
func findApproval(events []contract.Event, name string, a *Signature) (contract.Event, bool) {
	i := slices.IndexFunc(events, func(e contract.Event) bool {
		return e.Type == contract.EventApproved && e.Details["digest"] == a.Digest && e.Person.Name == name && e.At.Equal(a.SignedAt)
	})
	if i < 0 {
		return contract.Event{}, false
	}
	return events[i], true
}
