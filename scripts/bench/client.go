package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"segel/pdf/pdftest"
)

// uploadSized uploads a document of that size with the first n signers, and sends it while generating it. Keep, if not nil,
// receives the base64 text.
func (s *service) uploadSized(size int64, n int, keep io.Writer) (int64, error) {
	return s.uploadAs(0, size, n, keep)
}

// uploadDraft uploads a document of that size as person i.
func (s *service) uploadDraft(i int, size int64) (int64, error) { return s.uploadAs(i, size, 0, nil) }

func (s *service) uploadAs(as int, size int64, n int, keep io.Writer) (int64, error) {
	var people []map[string]any
	for i := 1; i <= n; i++ {
		people = append(people, map[string]any{"id": s.people[i].id, "role": "signer", "number": 1})
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
	var a struct {
		Response struct {
			Data struct {
				ID int64 `json:"document_id"`
			}
		}
	}
	err = s.callJSON("POST", signPath+"upload-docs-base64", as, r, &a)
	return a.Response.Data.ID, err
}

const (
	signPath     = "/v1/econtract/bench/sign/"
	documentPath = "/v1/econtract/web_app/document/"
)

// postVerb posts a request as person i; 0 is the owner.
func (s *service) postVerb(verb string, id int64, i int) error {
	return s.callJSON("POST", signPath+verb, i, strings.NewReader(fmt.Sprintf(`{"document_id":%d}`, id)), nil)
}

func (s *service) callJSON(method, path string, i int, body io.Reader, answer any) error {
	a, err := s.sendRequest(method, path, i, body)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(b, answer)
}

func (s *service) sendRequest(method, path string, i int, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if i < len(s.people) {
		r.Header.Set("x-access-token", s.people[i].token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if a.StatusCode == http.StatusServiceUnavailable || a.StatusCode == http.StatusTooManyRequests {
		return nil, errors.Join(&refusal{a.StatusCode}, a.Body.Close())
	}
	if a.StatusCode != http.StatusOK {
		defer a.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(a.Body, 1000))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, a.Status, text)
	}
	return a, nil
}

func (s *service) waitCompleted(id int64) error {
	for range 600 {
		var a struct{ Data struct{ Status string } }
		if err := s.callJSON("GET", fmt.Sprint(documentPath, "status/", id), 0, nil, &a); err != nil {
			return err
		}
		if a.Data.Status == "completed" {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the document was not completed")
}

func (s *service) downloadFile(id int64) (int64, time.Duration, error) {
	began := time.Now()
	a, err := s.sendRequest("GET", fmt.Sprint(documentPath, "download/", id), 0, nil)
	if err != nil {
		return 0, 0, err
	}
	defer a.Body.Close()
	n, err := io.Copy(io.Discard, a.Body)
	return n, time.Since(began), err
}
