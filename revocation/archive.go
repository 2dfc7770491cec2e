package revocation

import (
	"cmp"
	"crypto/x509"
	"slices"
	"time"
)

// Archive is proof that is at hand, such as what a file carries, put in order so that looking costs little. Whoever
// wrote the file may mean harm: the pieces are read once and cheaply, and a signature is verified only of what
// claims to be about the certificate, of the newest few.
type Archive struct {
	ocsps map[string][]archivedItem // by serial number
	lists map[string][]archivedItem // by DER of the issuer's name
}

// archivedItem is one piece with the time that it states and nobody verified.
type archivedItem struct {
	data Data
	at   time.Time
}

// maxCandidates bounds how many pieces of each kind are verified for one certificate. An honest file has one.
const maxCandidates = 8

// NewArchive takes up OCSP responses and lists, DER. What cannot be read is passed over.
func NewArchive(ocsps, crls [][]byte) *Archive {
	a := &Archive{map[string][]archivedItem{}, map[string][]archivedItem{}}
	for _, der := range ocsps {
		basic, err := parseOCSP(der)
		if err != nil {
			continue
		}
		for _, r := range basic.Data.Responses {
			key := string(r.ID.Serial.Bytes())
			a.ocsps[key] = append(a.ocsps[key], archivedItem{Data{OCSP: der}, r.ThisUpdate})
		}
	}
	for _, der := range crls {
		if l, err := ParseList(der); err == nil {
			key := string(l.head.RawIssuer)
			a.lists[key] = append(a.lists[key], archivedItem{Data{CRL: der}, l.head.ThisUpdate})
		}
	}
	for _, of := range []map[string][]archivedItem{a.ocsps, a.lists} {
		for _, all := range of {
			slices.SortStableFunc(all, func(x, y archivedItem) int { return cmp.Compare(y.at.UnixNano(), x.at.UnixNano()) })
		}
	}
	return a
}

// Find returns the newest proof about cert that was made at that time or later, by a signer who was valid when it
// was made, and what it says: that the certificate was good, or when it was revoked.
func (a *Archive) Find(cert, issuer *x509.Certificate, since time.Time) (Data, Status, bool) {
	since = since.Truncate(time.Second) // proof states whole seconds
	for _, all := range [][]archivedItem{a.ocsps[string(cert.SerialNumber.Bytes())], a.lists[string(issuer.RawSubject)]} {
		for _, p := range all[:min(len(all), maxCandidates)] {
			if p.at.Before(since) {
				break
			}
			s, err := p.data.Verify(cert, issuer)
			if err == nil && s.Current(s.ThisUpdate) == nil && s.CertStatus != Unknown {
				return p.data, s, true
			}
		}
	}
	return Data{}, Status{}, false
}
