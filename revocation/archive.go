package revocation

import (
	"cmp"
	"crypto/x509"
	"slices"
	"time"
)

// Archive is indexed revocation data, for example of a file. The file is untrusted: each item is parsed once, and
// signatures are verified only for items that claim to be about the certificate, and only for the newest few.
type Archive struct {
	ocsps map[string][]archivedItem // by serial number
	lists map[string][]archivedItem // by DER of the issuer's name
}

// archivedItem is one item with the time that it states, unverified.
type archivedItem struct {
	data Data
	at   time.Time
}

// maxCandidates limits how many items of each kind are verified for one certificate. A normal file has one.
const maxCandidates = 8

// NewArchive indexes DER OCSP responses and lists. Unreadable ones are skipped.
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

// Find returns the newest revocation data about cert that is not older than since and whose signer was valid when it
// was made, with its status: good, or revoked at a time.
func (a *Archive) Find(cert, issuer *x509.Certificate, since time.Time) (Data, Status, bool) {
	since = since.Truncate(time.Second) // revocation data states whole seconds
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
