package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// service is a running service with its logged-in people: the owner first, then signers.
type service struct {
	*running.Service
	people []*running.Client
}

// addPerson adds a person to an organisation of the running service, by name; empty: the first one.
func (s *service) addPerson(organisation string) error {
	i := len(s.people)
	c, err := s.AddPerson(organisation, fmt.Sprintf("orang%d@example.test", i), fmt.Sprint("Orang ", i))
	s.people = append(s.people, c)
	return err
}

// uploadSized uploads a document of that size as a person, with the first n signers, and sends it while generating it. Keep,
// if not nil, receives the base64 text.
func (s *service) uploadSized(by *running.Client, size int64, n int, keep io.Writer) (int64, error) {
	var people []running.Object
	for _, p := range s.people[1 : n+1] {
		people = append(people, running.Object{"id": p.ID, "role": "signer", "number": 1})
	}
	rest, err := json.Marshal(people)
	if err != nil {
		return 0, err
	}
	r, w := io.Pipe()
	go func() {
		if keep == nil {
			keep = io.Discard
		}
		fmt.Fprintf(w, `{"document_title":"Ukuran","filename":"ukuran.pdf","parallel":1,"signer":%s,"document_base64":"`, rest)
		e := base64.NewEncoder(base64.StdEncoding, io.MultiWriter(w, keep))
		f := pdftest.NewLarge(size, objects)
		_, err := io.CopyBuffer(struct{ io.Writer }{e}, io.NewSectionReader(f, 0, f.Size()), make([]byte, 48<<10))
		err = errors.Join(err, e.Close())
		if err == nil {
			_, err = io.WriteString(w, `"}`)
		}
		w.CloseWithError(err)
	}()
	return by.Upload(r)
}

// uploadOrder uploads an order of that size with n stamps in rows on its page.
func (s *service) uploadOrder(by *running.Client, size int64, n int) (int64, error) {
	id, err := s.uploadSized(by, size, 0, nil)
	if err != nil {
		return 0, err
	}
	var entries []running.Object
	for i := range n {
		x, y := 30+i%6*90, 700-i/6*90
		entries = append(entries, by.StampEntry(1, [4]int{x, y, x + 70, y + 70}))
	}
	return id, by.Post(running.SignPath+"placement-docs", running.Object{"document_id": id, "signers": entries}, nil)
}

// resetPeak resets the peak of resident memory, and returns the present value in bytes.
func (s *service) resetPeak() (int64, error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.PID()), []byte("5"), 0); err != nil {
		return 0, err
	}
	return s.PeakMemory()
}
