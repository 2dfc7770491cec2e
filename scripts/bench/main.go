// Command bench measures, against a service of its own over HTTP and in the library, what docs/performance.md states, and
// prints it as ratios within one run: figures of one machine and moment, which absolute times are not worth quoting without.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

const (
	small   = 100 << 10
	large   = 100 << 20
	objects = 20
	signers = 41 // of each document: one to warm up, the rest measured
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: bench SEGEL-BINARY [service | stamps | library]")
		os.Exit(2)
	}
	part := ""
	if len(os.Args) == 3 {
		part = os.Args[2]
	}
	if err := run(os.Args[1], part); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures one part, or all.
func run(binary, part string) error {
	dir, err := os.MkdirTemp("", "segel-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, measure := range parts(binary, dir) {
		if part == "" || part == name {
			if err := measure(); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts returns what can be measured, in order.
func parts(binary, dir string) iter.Seq2[string, func() error] {
	return func(yield func(string, func() error) bool) {
		_ = yield("service", func() error { return documents(binary, dir) }) &&
			yield("stamps", func() error { return stamping(binary, dir) }) &&
			yield("library", library)
	}
}

// documents measures signing and uploading.
func documents(binary, dir string) error {
	r, err := running.Start(binary, filepath.Join(dir, "data"), "SEGEL_MAX_FILE=200MiB", "SEGEL_LOG_LEVEL=warn")
	if err != nil {
		return err
	}
	defer r.Stop()
	s := &service{Service: r}
	// Memory first: the heap that forty logins leave behind would hide what an upload takes, or seem to be it.
	for i := range 2 {
		if err := s.add(i); err != nil {
			return err
		}
	}
	if err := memory(s); err != nil {
		return err
	}
	for i := 2; i <= signers; i++ {
		if err := s.add(i); err != nil {
			return err
		}
	}
	for _, measure := range []func(*service, string) error{signing, uploading} {
		if err := measure(s, dir); err != nil {
			return err
		}
	}
	return nil
}

// signing compares a signature on a stored document of 100 MB with one on 100 KB, in turn.
func signing(s *service, dir string) error {
	ids := map[int64]int64{}
	for _, size := range []int64{small, large} {
		id, err := s.upload(size, signers, nil)
		if err != nil {
			return err
		}
		if err := s.verb("finalize-docs", id, 0); err != nil {
			return err
		}
		ids[size] = id
	}
	times := map[int64][]time.Duration{}
	for i := 1; i <= signers; i++ {
		for _, size := range []int64{small, large} {
			began := time.Now()
			if err := s.verb("sign-docs", ids[size], i); err != nil {
				return err
			}
			if i > 1 {
				times[size] = append(times[size], time.Since(began))
			}
		}
	}
	a, b := median(times[large]), median(times[small])
	fmt.Printf("| sign a stored 100 MB document / 100 KB | %.2f | %.1f ms / %.1f ms, median of %d in turn |\n", float64(a)/float64(b), ms(a), ms(b), len(times[small]))
	return nil
}

// memory looks at the peak of the server's resident memory while 100 MB are uploaded, signed and downloaded. A
// small document goes the same way first, so that what is counted is not the program's own code being read.
func memory(s *service) error {
	if _, _, _, err := s.walk(small); err != nil {
		return err
	}
	before, err := s.resetPeak()
	if err != nil {
		return err
	}
	uploaded, n, took, err := s.walk(large)
	if err != nil {
		return err
	}
	after, err := s.peak()
	if err != nil {
		return err
	}
	fmt.Printf("| growth of peak memory, 100 MB uploaded as base64 JSON | %.1f MiB | from %.1f MiB |\n", mib(uploaded-before), mib(before))
	fmt.Printf("| growth of peak memory, 100 MB uploaded, signed, sealed, downloaded | %.1f MiB | from %.1f MiB |\n", mib(after-before), mib(before))
	fmt.Printf("| download, every byte hashed again | %.0f MB/s | %d bytes |\n", float64(n)/1e6/took.Seconds(), n)
	return nil
}

// walk takes a document of that size from upload to download. It returns the peak of memory after the upload, and
// how many bytes were downloaded how fast.
func (s *service) walk(size int64) (uploaded, n int64, took time.Duration, err error) {
	id, err := s.upload(size, 1, nil)
	if err != nil {
		return 0, 0, 0, err
	}
	if uploaded, err = s.peak(); err != nil {
		return 0, 0, 0, err
	}
	if err := errors.Join(s.verb("finalize-docs", id, 0), s.verb("sign-docs", id, 1), s.completed(id)); err != nil {
		return 0, 0, 0, err
	}
	n, took, err = s.download(id)
	return uploaded, n, took, err
}

// uploading compares the server's processor time for an upload with that of a bare program that decodes the same
// base64, hashes and writes it durably.
func uploading(s *service, dir string) error {
	var server, bare []time.Duration
	for range 5 {
		var body bytes.Buffer
		began, err := s.cpu()
		if err != nil {
			return err
		}
		if _, err := s.upload(large, 0, &body); err != nil {
			return err
		}
		ended, err := s.cpu()
		if err != nil {
			return err
		}
		server = append(server, ended-began)
		took, err := bareUpload(body.Bytes(), filepath.Join(dir, "bare"))
		if err != nil {
			return err
		}
		bare = append(bare, took)
	}
	a, b := median(server), median(bare)
	fmt.Printf("| processor time of an upload of 100 MB / bare decode, hash and write | %.2f | %.0f ms / %.0f ms, median of 5 |\n", float64(a)/float64(b), ms(a), ms(b))
	return nil
}

// bareUpload decodes base64 in bulk, hashes and writes it, and returns the processor time that took.
func bareUpload(text []byte, name string) (time.Duration, error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer os.Remove(name)
	began := ownCPU()
	h := sha256.New()
	if _, err := io.CopyBuffer(io.MultiWriter(f, h), base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)), make([]byte, 64<<10)); err != nil {
		return 0, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	return ownCPU() - began, nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// upload sends a document of that size with the first n signers, in parallel, while it is being made. Keep, if not
// nil, gets the base64 text.
func (s *service) upload(size int64, n int, keep io.Writer) (int64, error) {
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
	err = s.call("POST", signPath+"upload-docs-base64", 0, r, &a)
	return a.Response.Data.ID, err
}

const (
	signPath     = "/v1/econtract/bench/sign/"
	documentPath = "/v1/econtract/web_app/document/"
)

// verb asks for a verb as person i, 0 being the owner.
func (s *service) verb(verb string, id int64, i int) error {
	return s.call("POST", signPath+verb, i, strings.NewReader(fmt.Sprintf(`{"document_id":%d}`, id)), nil)
}

func (s *service) call(method, path string, i int, body io.Reader, answer any) error {
	a, err := s.send(method, path, i, body)
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

func (s *service) send(method, path string, i int, body io.Reader) (*http.Response, error) {
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
	if a.StatusCode != http.StatusOK {
		defer a.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(a.Body, 1000))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, a.Status, text)
	}
	return a, nil
}

func (s *service) completed(id int64) error {
	for range 600 {
		var a struct{ Data struct{ Status string } }
		if err := s.call("GET", fmt.Sprint(documentPath, "status/", id), 0, nil, &a); err != nil {
			return err
		}
		if a.Data.Status == "completed" {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the document was not completed")
}

func (s *service) download(id int64) (int64, time.Duration, error) {
	began := time.Now()
	a, err := s.send("GET", fmt.Sprint(documentPath, "download/", id), 0, nil)
	if err != nil {
		return 0, 0, err
	}
	defer a.Body.Close()
	n, err := io.Copy(io.Discard, a.Body)
	return n, time.Since(began), err
}
