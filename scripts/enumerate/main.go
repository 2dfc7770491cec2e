// Command enumerate measures whether response times reveal what responses hide: whether an account or a document exists. It
// sends pairs of requests alternately, one about something that exists and one about something that does not, and prints the
// median and the 99th percentile of both. The tests assert that both do the same work; this shows the rest on a real machine.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

func main() {
	binary := flag.String("binary", "", "the segel to measure")
	n := flag.Int("n", 300, "questions of each kind")
	flag.Parse()
	if err := run(*binary, *n); err != nil {
		fmt.Fprintln(os.Stderr, "enumerate:", err)
		os.Exit(1)
	}
}

const password = "kata sandi untuk mengukur"

type object = map[string]any

func run(binary string, n int) (err error) {
	data, err := os.MkdirTemp("", "segel-enumerate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	s, err := running.Start(binary, filepath.Join(data, "data"),
		"SEGEL_LOGIN_TRIES=1000000", "SEGEL_LOGIN_TRIES_PER_ADDRESS=1000000", "SEGEL_LOGIN_TRIES_PER_ACCOUNT=1000000", "SEGEL_LOG_LEVEL=error")
	if err != nil {
		return err
	}
	defer s.Stop()
	tokens := map[string]string{}
	for _, name := range []string{"owner", "outsider"} {
		email := name + "@example.test"
		if err := s.AddUser(email, name, password); err != nil {
			return err
		}
		var in struct{ Data struct{ Token string } }
		if err := callJSON(s.URL, "", "POST", "/v1/auth/login", object{"email": email, "password": password}, &in); err != nil {
			return err
		}
		tokens[name] = in.Data.Token
	}
	const sign = "/v1/econtract/measure/sign/"
	var up struct {
		Response struct {
			Data struct {
				DocumentID int64 `json:"document_id"`
			}
		}
	}
	// A document with much to read, so that reading it before refusing would show.
	guests := []object{}
	for i := range 90 {
		guests = append(guests, object{"name": fmt.Sprintf("Tamu %d", i), "email": fmt.Sprintf("tamu%d@example.test", i), "role": "signer", "number": 1})
	}
	err = callJSON(s.URL, tokens["owner"], "POST", sign+"upload-docs-base64", object{
		"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(1)), "guest": guests,
	}, &up)
	if err != nil {
		return err
	}
	id := up.Response.Data.DocumentID
	if err := callJSON(s.URL, tokens["owner"], "POST", sign+"finalize-docs", object{"document_id": id}, nil); err != nil {
		return err
	}
	const missing = 999_999_999
	detail := func(id int64) func() error {
		return func() error {
			return callJSON(s.URL, tokens["outsider"], "GET", fmt.Sprintf("/v1/econtract/web_app/document/detail/%d", id), nil, nil)
		}
	}
	post := func(token, path string, body object) func() error {
		return func() error { return callJSON(s.URL, token, "POST", path, body, nil) }
	}
	fmt.Printf("%-18s %12s %12s %12s %12s %14s %14s\n", "question", "p50 exists", "p50 none", "p99 exists", "p99 none", "p50 difference", "p99 difference")
	for _, q := range []struct {
		name          string
		exists, other func() error
	}{
		{"login", post("", "/v1/auth/login", object{"email": "owner@example.test", "password": "salah"}), post("", "/v1/auth/login", object{"email": "nobody@example.test", "password": "salah"})},
		{"forgot-password", post("", "/v1/auth/forgot-password", object{"email": "owner@example.test"}), post("", "/v1/auth/forgot-password", object{"email": "nobody@example.test"})},
		{"document", detail(id), detail(missing)},
		{"cancel document", post(tokens["outsider"], sign+"cancel-docs", object{"document_id": id}), post(tokens["outsider"], sign+"cancel-docs", object{"document_id": missing})},
	} {
		var took [2][]time.Duration
		for i := range 2 * n {
			try := q.exists
			if i%2 == 1 {
				try = q.other
			}
			began := time.Now()
			_ = try() // refusals are what is measured
			took[i%2] = append(took[i%2], time.Since(began))
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		at := func(k, percent int) time.Duration { return took[k][(n-1)*percent/100].Round(time.Microsecond) }
		fmt.Printf("%-18s %12v %12v %12v %12v %14v %14v\n", q.name, at(0, 50), at(1, 50), at(0, 99), at(1, 99), at(0, 50)-at(1, 50), at(0, 99)-at(1, 99))
	}
	return nil
}

func callJSON(url, token, method, path string, body object, answer any) error {
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequest(method, url+path, &b)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("x-access-token", token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, 1<<20))
	if err != nil {
		return err
	}
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, a.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
