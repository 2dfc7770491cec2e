package revocation

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"math/big"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

func TestStoreFindsTheNewestValidDataOfTheFile(t *testing.T) {
	t.Parallel()
	ca, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	made := func(by identity, at time.Time, status int) []byte {
		return buildResponse(t, ca.cert, by, func(r *ocsp.Response) {
			r.ThisUpdate, r.NextUpdate, r.Status, r.RevokedAt = at, at.Add(time.Hour), status, now
		})
	}
	old, newer, forged := made(ca, now.Add(-2*time.Hour), ocsp.Good), made(ca, now.Add(-time.Hour), ocsp.Good), made(other, now, ocsp.Good)
	list := buildList(t, ca, pkix.Extension{Id: []int{1, 2, 3}, Value: []byte{5, 0}})
	for name, c := range map[string]struct {
		ocsps, crls [][]byte
		since       time.Duration
		want        []byte
	}{
		"the newest":               {[][]byte{old, newer}, nil, -3 * time.Hour, newer},
		"not what was made before": {[][]byte{old}, nil, -time.Hour, nil},
		"not what was forged":      {[][]byte{forged, newer, nil, []byte("bytes")}, nil, -3 * time.Hour, newer},
		"a list":                   {[][]byte{forged}, [][]byte{nil, list}, -3 * time.Hour, list},
		"what says it was revoked": {[][]byte{made(ca, now, ocsp.Revoked), old}, nil, -3 * time.Hour, nil},
		"not what knows nothing":   {[][]byte{made(ca, now, ocsp.Unknown)}, nil, -3 * time.Hour, nil},
	} {
		var all Store
		all.Add(NewItems(c.ocsps, c.crls, Item{Origin: FromDSS})...)
		e, ok := all.FindNewest(leaf.cert, ca.cert, now.Add(c.since))
		var m Data
		if ok {
			m = e.Data
		}
		s := e.Status
		if name == "what says it was revoked" {
			if !ok || s.CertStatus != Revoked {
				t.Errorf("%s: %+v", name, s)
			}
			continue
		}
		if ok != (c.want != nil) || string(m.OCSP)+string(m.CRL) != string(c.want) {
			t.Errorf("%s: found %t, %+v", name, ok, s)
		}
	}
}

// Each query for the newest data of a subject allocates the same, however many items the file has about it.
func TestItemsOfASubjectAreSortedOnce(t *testing.T) { // not in parallel: it counts allocated bytes
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	build := func(i int) []byte {
		return buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.ThisUpdate = now.Add(-time.Duration(i) * time.Second) })
	}
	const queries = 100
	allocate := func(items int) uint64 {
		var s Store
		last := build(1)
		s.Add(NewItems([][]byte{last}, nil, Item{Origin: FromDSS})...)
		for i := range items - 1 {
			s.Add(NewItems([][]byte{build(i + 2)}, nil, Item{Origin: FromDSS})...)
		}
		find := func(want []byte) {
			if e, ok := s.FindNewest(leaf.cert, ca.cert, now.Add(-time.Hour)); !ok || string(e.OCSP) != string(want) {
				t.Fatal("not the newest item")
			}
		}
		find(last) // sorts
		newest := build(0)
		s.Add(NewItems([][]byte{newest}, nil, Item{Origin: FromDSS})...)
		find(newest) // sorts again
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range queries {
			find(newest)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocate(1), allocate(1000); many > few+queries*1000 {
		t.Errorf("%d bytes for 2 items, %d bytes for 1001", few/queries, many/queries)
	}
}

func TestFetchedItemThatTheFileHasTooCountsAsTheFiles(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	good := [][]byte{buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})}
	var s Store
	s.Add(NewItems(good, nil, Item{Origin: FromNet})...)
	if _, ok := s.FindNewest(leaf.cert, ca.cert, time.Time{}); ok {
		t.Error("fetched data is taken for data of the file")
	}
	s.Add(NewItems(good, nil, Item{Origin: FromDSS, Revision: 1})...)
	if _, ok := s.FindNewest(leaf.cert, ca.cert, time.Time{}); !ok {
		t.Error("data of the file is not found")
	}
}

// stubSource answers about each certificate with the same data, and counts the queries.
type stubSource struct {
	queries atomic.Int64
	data    Data
	err     error
}

func (s *stubSource) Revocation(context.Context, *x509.Certificate, *x509.Certificate) (Data, error) {
	s.queries.Add(1)
	return s.data, s.err
}

func TestStoreQueriesASourceOnceAboutACertificate(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf, other := newCertificate(t, "Leaf", 7, &ca), newCertificate(t, "Other", 8, &ca)
	revoked := &RevokedError{leaf.cert.SerialNumber, Status{}}
	good := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	for name, c := range map[string]struct {
		err  error
		adds int
	}{"good": {nil, 1}, "revoked": {revoked, 1}, "unreachable": {errors.New("no answer"), 0}} {
		var s Store
		source := &stubSource{data: Data{OCSP: good}, err: c.err}
		for range 2 {
			s.Fetch(t.Context(), source, Query{leaf.cert, ca.cert}, Query{leaf.cert, ca.cert})
		}
		data, known, err := s.FetchResult(leaf.cert)
		if source.queries.Load() != 1 || !known || err != c.err || string(data.OCSP) != string(good) {
			t.Errorf("%s: %d queries, %t, %v", name, source.queries.Load(), known, err)
		}
		if n := countAll(&s, leaf, ca); n != c.adds {
			t.Errorf("%s: the store has %d answers", name, n)
		}
		if _, ok := s.FindNewest(leaf.cert, ca.cert, time.Time{}); ok {
			t.Errorf("%s: fetched data is taken for data of the file", name)
		}
		if _, known, _ := s.FetchResult(other.cert); known {
			t.Errorf("%s: a result about another certificate", name)
		}
	}
}

// panickingSource panics at every query.
type panickingSource struct{}

func (panickingSource) Revocation(context.Context, *x509.Certificate, *x509.Certificate) (Data, error) {
	panic("unexpected answer")
}

func TestPanicOfASourceIsTheResultOfTheQuery(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	var s Store
	s.Fetch(t.Context(), panickingSource{}, Query{leaf.cert, ca.cert})
	data, known, err := s.FetchResult(leaf.cert)
	var p *PanicError
	if !known || !errors.As(err, &p) || p.Value != "unexpected answer" || data.OCSP != nil || data.CRL != nil {
		t.Errorf("%t, %v", known, err)
	}
}

func countAll(s *Store, about, issuer identity) int {
	all, _ := s.FindAll(about.cert, issuer.cert)
	return len(all)
}

func TestStoreVerifiesAnItemOnceForACertificateAndUpToALimit(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf, other := newCertificate(t, "Leaf", 7, &ca), newCertificate(t, "Other", 8, &ca)
	var s Store
	s.Add(NewItems([][]byte{buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})}, [][]byte{buildList(t, ca, pkix.Extension{Id: []int{1, 2, 3}, Value: []byte{5, 0}})}, Item{Origin: FromDSS, Revision: 1})...)
	for range 3 {
		if n := countAll(&s, leaf, ca); n != 2 {
			t.Fatalf("%d items", n)
		}
	}
	if s.counts.queries != 2 {
		t.Errorf("verified %d times", s.counts.queries)
	}
	s.counts.queries = maxQueries
	if all, complete := s.FindAll(other.cert, ca.cert); len(all) != 0 || complete || !s.Truncated || !s.IsResponderRevoked(other.cert, ca.cert) {
		t.Errorf("beyond the limit: %d items, complete %t, %t", len(all), complete, s.Truncated)
	}
	// What was fetched is kept however many items the file has.
	s.counts.responses, s.counts.queries = maxResponses, 0
	fetched := [][]byte{buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.SerialNumber, r.Status, r.RevokedAt = big.NewInt(8), ocsp.Revoked, now })}
	s.Add(NewItems(fetched, nil, Item{Origin: FromDSS})...)
	if all, _ := s.FindAll(other.cert, ca.cert); len(all) != 1 {
		t.Errorf("%d items about the other, without those beyond the limit", len(all))
	}
	s.Add(NewItems(fetched, nil, Item{Origin: FromNet})...)
	if all, _ := s.FindAll(other.cert, ca.cert); len(all) != 2 {
		t.Errorf("%d items about the other", len(all))
	}
}

func TestCertificatesOfOneIssuerAreLookedUpInItsListsBeyondTheLimitOfQueries(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	find := func(lists [][]byte, certificates int) (s Store, incomplete int) {
		s.Add(NewItems(nil, lists, Item{Origin: FromDSS, Revision: 1})...)
		for i := range certificates {
			one := *leaf.cert
			one.Raw, one.SerialNumber = binary.BigEndian.AppendUint16(bytes.Clone(one.Raw), uint16(i)), big.NewInt(int64(i))
			if all, complete := s.FindAll(&one, ca.cert); !complete || len(all) != len(lists) {
				incomplete++
			}
		}
		return s, incomplete
	}
	// build is a list with some entries of the serial 5 and an extension of some bytes.
	build := func(number int64, entries, size int) []byte {
		l := &x509.RevocationList{Number: big.NewInt(number), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}
		l.ExtraExtensions = []pkix.Extension{{Id: []int{1, 2, 3}, Value: make([]byte, size)}}
		for range entries {
			l.RevokedCertificateEntries = append(l.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: big.NewInt(5), RevocationTime: now})
		}
		der, err := x509.CreateRevocationList(rand.Reader, l, ca.cert, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	var lists [][]byte
	for i := range int64(90) {
		lists = append(lists, build(i, 1, 1))
	}
	if s, incomplete := find(lists, 120); incomplete > 0 || s.counts.queries != 180 || s.counts.lookups != 118*90 {
		t.Errorf("%d of 120 certificates are not looked up in all lists, %+v", incomplete, s.counts)
	}
	// What costs more than a lookup is a query.
	if s, _ := find([][]byte{build(1, 1, maxLookupScope)}, 20); s.counts.lookups != 0 {
		t.Errorf("with large extensions: %+v", s.counts)
	}
	if s, _ := find([][]byte{build(1, maxLookupEntries+1, 1)}, 20); s.counts.queries != 3 {
		t.Errorf("with many entries of one certificate: %+v", s.counts)
	}
	var s Store
	s.Add(NewItems(nil, lists[:1], Item{Origin: FromDSS})...)
	s.counts.lookups = maxLookups
	if _, complete := s.FindAll(leaf.cert, ca.cert); complete {
		t.Error("lookups have no limit")
	}
}

func TestOlderPlaceOfAnItemCounts(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	good := [][]byte{buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})}
	var s Store
	s.Add(NewItems(good, nil, Item{Origin: FromNet})...)
	for _, c := range []struct{ add, want Item }{
		{Item{Origin: FromDSS, Revision: 4}, Item{Origin: FromDSS, Revision: 4}},
		{Item{Origin: FromSignature, Revision: 3, SignedBy: 2}, Item{Origin: FromSignature, Revision: 3, SignedBy: 2}},
		{Item{Origin: FromDSS, Revision: 5}, Item{Origin: FromSignature, Revision: 3, SignedBy: 2}},
		{Item{Origin: FromNet}, Item{Origin: FromSignature, Revision: 3, SignedBy: 2}},
	} {
		s.Add(NewItems(good, nil, c.add)...)
		all, _ := s.FindAll(leaf.cert, ca.cert)
		if len(all) != 1 || all[0].Origin != c.want.Origin || all[0].Revision != c.want.Revision || all[0].SignedBy != c.want.SignedBy {
			t.Errorf("after %+v: %d items, %+v", c.add, len(all), all[0].Item)
		}
	}
}

func TestItemIsIndexedByWhatItIsAbout(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	response, list := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {}), buildList(t, ca, pkix.Extension{Id: []int{1, 2, 3}, Value: []byte{5, 0}})
	var s Store
	s.Add(NewItems([][]byte{response, list}, [][]byte{list, response}, Item{Origin: FromDSS})...)
	if n := len(s.bySubject); n != 2 {
		t.Errorf("%d subjects", n)
	}
	if got := s.bySubject[serialSubject(leaf.cert.SerialNumber)]; len(got) != 1 || string(got[0].OCSP) != string(response) {
		t.Errorf("%d responses about the serial number", len(got))
	}
	if got := s.bySubject[issuerSubject(ca.cert.RawSubject)]; len(got) != 1 || string(got[0].CRL) != string(list) {
		t.Errorf("%d lists of the issuer", len(got))
	}
}

// FuzzStore queries arbitrary data about a certificate: it must have no answer.
func FuzzStore(f *testing.F) {
	ca := newCertificate(f, "CA", 1, nil)
	other := newCertificate(f, "Other", 9, &ca) // no data is about this certificate
	f.Add(buildResponse(f, ca.cert, ca, func(*ocsp.Response) {}))
	f.Add(buildList(f, newCertificate(f, "Else", 1, nil), pkix.Extension{Id: []int{1, 2, 3}, Value: []byte{5, 0}}))
	f.Add([]byte{0x30, 0x80})
	f.Fuzz(func(t *testing.T, der []byte) {
		var s Store
		s.Add(NewItems([][]byte{der}, [][]byte{der}, Item{Origin: FromDSS, Revision: 2})...)
		all, _ := s.FindAll(other.cert, ca.cert)
		for _, e := range all {
			t.Errorf("%v about an unknown certificate", e.CertStatus)
		}
	})
}
