package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"segel/pdf"
	"segel/pdf/pdftest"
	"segel/scripts/running"
	"segel/tsp"
)

// documentKind is how a document is signed.
type documentKind string

const (
	byAccount documentKind = "account" // by a person with an account
	byGuest   documentKind = "guest"   // by a guest, whose certificate is made for this signature
	stamped   documentKind = "stamped" // by a person with an account, with a duty stamp of the sandbox
	slow      documentKind = "slow"    // by two people, one step apart if it is short enough
)

// longestWait is the number of months that a document may wait for its second signer: certificates are valid for a year when they sign.
const longestWait = 12

var documentKinds = []documentKind{byAccount, byGuest, stamped, slow}

// document is one document of a service, with its evidence certificate.
type document struct {
	service *service
	id      int64
	kind    documentKind
	signers []*person // with accounts
	revoked bool      // the certificate of a signer was revoked after they signed

	begun, completed time.Time // by the moved clock: the first signature, and when the document was complete
	contract         *savedFile
	certificate      *savedFile
}

// savedFile is the newest state of a file.
type savedFile struct {
	path   string
	first  int       // size in bytes when it was complete
	size   int       // now
	growth []int     // by which each renewal made it longer
	expiry time.Time // of the certificate of its newest document timestamp's authority
}

// create makes a document and lets its people sign. A slow one waits for its second signer.
func (s *service) create(kind documentKind, signer, second *person) (*document, error) {
	d := &document{service: s, kind: kind}
	upload := running.Object{"document_title": "Perjanjian Sewa", "filename": "sewa.pdf", "parallel": 0, "document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(2))}
	switch kind {
	case byGuest:
		upload["guest"] = []running.Object{{"name": "Budi Santoso", "email": "budi@example.test", "role": "signer", "number": 1}}
	case slow:
		d.signers = []*person{signer, second}
	default:
		d.signers = []*person{signer}
	}
	var entries []running.Object
	for i, p := range d.signers {
		entries = append(entries, running.Object{"id": p.client.ID, "name": p.name, "email": p.email, "role": "signer", "number": i + 1})
	}
	if entries != nil {
		upload["signer"] = entries
	}
	var err error
	if d.id, err = s.owner.client.Upload(upload); err != nil {
		return nil, err
	}
	if kind == stamped {
		if err := s.owner.client.Post(running.SignPath+"placement-docs", running.Object{"document_id": d.id, "signers": []running.Object{s.owner.client.StampEntry(1, [4]int{440, 160, 520, 240})}}, nil); err != nil {
			return nil, err
		}
	}
	if err := s.owner.client.PostVerb("finalize-docs", d.id); err != nil {
		return nil, err
	}
	by := signer.client
	if kind == byGuest {
		if by, err = s.openLink(d.id); err != nil {
			return nil, err
		}
	}
	d.begun = s.clock.now()
	if err := by.PostVerb("sign-docs", d.id); err != nil {
		return nil, err
	}
	if kind != slow {
		return d, s.awaitCompletion(d)
	}
	s.waiting = append(s.waiting, d)
	if s.step >= longestWait {
		return d, s.signSecond()
	}
	return d, nil
}

// openLink opens the link of the only guest of a document.
func (s *service) openLink(id int64) (*running.Client, error) {
	var people struct {
		Data struct {
			Signer []struct {
				UserID string `json:"user_id"`
			}
		}
	}
	if err := s.owner.client.Get(fmt.Sprint(running.DocumentPath, "signers/", id), &people); err != nil {
		return nil, err
	}
	if len(people.Data.Signer) != 1 {
		return nil, fmt.Errorf("document %d has %d signers", id, len(people.Data.Signer))
	}
	var link struct {
		Response struct{ Data struct{ URL string } }
	}
	if err := s.owner.client.Post(running.SignPath+"guest-link-docs", running.Object{"document_id": id, "user_id": people.Data.Signer[0].UserID}, &link); err != nil {
		return nil, err
	}
	var in struct{ Data struct{ Token string } }
	err := (&running.Client{URL: s.URL, RetryFor: waitLimit}).Post("/v1/auth/guest", running.Object{"link": link.Response.Data.URL}, &in)
	return &running.Client{URL: s.URL, Token: in.Data.Token}, err
}

// signSecond lets the second signers of the documents that wait sign.
func (s *service) signSecond() error {
	waiting := s.waiting
	s.waiting = nil
	for _, d := range waiting {
		p := d.signers[1]
		if err := s.logIn(p); err != nil {
			return err
		}
		if err := p.client.PostVerb("sign-docs", d.id); err != nil {
			return err
		}
		if err := s.awaitCompletion(d); err != nil {
			return err
		}
	}
	return nil
}

// awaitCompletion waits until a document is completed, and downloads its files.
func (s *service) awaitCompletion(d *document) error {
	if _, err := s.owner.client.WaitCompleted(d.id); err != nil {
		return err
	}
	d.completed = s.clock.now()
	name := func(what string) string { return filepath.Join(s.files, fmt.Sprintf("%d-%s.pdf", d.id, what)) }
	d.contract, d.certificate = &savedFile{path: name("contract")}, &savedFile{path: name("certificate")}
	s.all = append(s.all, d)
	return s.download(d)
}

// download saves the files of a document as they are now. A file that was renewed begins with what it was before.
func (s *service) download(d *document) error {
	for kind, f := range map[string]*savedFile{"download": d.contract, "evidence": d.certificate} {
		b, err := s.owner.client.Read(context.Background(), running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, kind, "/", d.id)})
		if err != nil {
			return fmt.Errorf("%s of document %d: %w", kind, d.id, err)
		}
		if err := f.replace(b); err != nil {
			return fmt.Errorf("%s of document %d: %w", kind, d.id, err)
		}
	}
	return nil
}

func (f *savedFile) replace(b []byte) (err error) {
	if f.size == len(b) {
		return nil
	}
	if f.size > 0 {
		former, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(b, former) {
			return fmt.Errorf("it has %d bytes, which do not begin with the %d of before", len(b), len(former))
		}
		f.growth = append(f.growth, len(b)-len(former))
	} else {
		f.first = len(b)
	}
	if f.expiry, err = readExpiry(b); err != nil {
		return err
	}
	f.size = len(b)
	return os.WriteFile(f.path, b, 0o600)
}

// readExpiry returns when the certificate expires that made the newest document timestamp of a file.
func readExpiry(b []byte) (time.Time, error) {
	file, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err != nil {
		return time.Time{}, err
	}
	all, err := file.Signatures()
	if err != nil {
		return time.Time{}, err
	}
	var newest *pdf.Signature
	for _, sig := range all {
		if sig.Type == "DocTimeStamp" && (newest == nil || sig.ContentsAt > newest.ContentsAt) {
			newest = sig
		}
	}
	if newest == nil {
		return time.Time{}, fmt.Errorf("it has %d signatures and no document timestamp", len(all))
	}
	token, err := tsp.Parse(newest.Contents)
	if err != nil {
		return time.Time{}, err
	}
	return token.Authority.NotAfter, nil
}
