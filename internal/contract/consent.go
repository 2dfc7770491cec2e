package contract

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// ConsentItem names one revision of a document that a signer consents to.
type ConsentItem struct {
	Document DocumentID
	Digest   [32]byte // SHA-256 of the revision
}

// Consent is one consent of a signer over a list of documents. The zero value means that they consented to one document by
// itself.
type Consent struct {
	Documents int      // how many documents the list has
	Digest    [32]byte // SHA-256 of the list, see [NewConsent]
}

// MaxConsentDocuments bounds the documents of one consent. It is as many as a person can look through as a list.
const MaxConsentDocuments = 100

// NewConsent returns the consent over a list, in any order. The digest is that of docs/formats/consent.md, so that anyone
// who has the list can compute it.
func NewConsent(list []ConsentItem) Consent {
	return Consent{Documents: len(list), Digest: sha256.Sum256(encodeConsent(list))}
}

// encodeConsent returns the canonical form of a list: one line for each document, in ascending order of their numbers.
func encodeConsent(list []ConsentItem) []byte {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b ConsentItem) int { return cmp.Compare(a.Document, b.Document) })
	b := []byte("segel-consent-1\n")
	for _, item := range list {
		b = fmt.Appendf(b, "%d %x\n", item.Document, item.Digest)
	}
	return b
}

// CheckConsent refuses a request to sign documents that their signer's consent does not cover, and lists in which a document
// occurs twice. The consent covers exactly the revisions in its list.
func CheckConsent(documents, consented []ConsentItem) error {
	var bad fieldErrors
	bad.checkConsentList("documents", documents)
	bad.checkConsentList("consent", consented)
	for i, item := range documents {
		if !slices.Contains(consented, item) {
			bad.add(fmt.Sprintf("documents[%d]", i), "consent.not_covered")
		}
	}
	return bad.asError()
}

func (p *fieldErrors) checkConsentList(field string, list []ConsentItem) {
	if len(list) > MaxConsentDocuments {
		p.add(field, "value.too_many", "limit", MaxConsentDocuments)
		return
	}
	seen := map[DocumentID]bool{}
	for i, item := range list {
		if seen[item.Document] {
			p.add(fmt.Sprintf("%s[%d].document_id", field, i), "consent.document_twice")
		}
		seen[item.Document] = true
	}
}

// eventDetails returns details of an event: how many documents the consent covers, and the digest of their list.
func (c Consent) eventDetails() []string {
	if c.Documents == 0 {
		return nil
	}
	return []string{"consent_documents", fmt.Sprint(c.Documents), "consent_digest", fmt.Sprintf("%x", c.Digest)}
}

// HasSignedRevision reports whether that person's signature was added to the revision with this digest. A repeated request to sign that
// revision then has nothing left to do.
func (d *Document) HasSignedRevision(id PersonID, digest [32]byte) bool {
	for i, r := range d.Revisions {
		if i > 0 && r.Kind == RevisionSignature && r.By == id && d.Revisions[i-1].Digest == digest {
			return true
		}
	}
	return false
}
