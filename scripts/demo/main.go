// Command demo walks one contract through a service of its own, from upload to the stamped and sealed file,
// and prints each step. It is what `make demo` runs; everything it does goes over HTTP, as a client would.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo SEGEL-BINARY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(binary string) error {
	dir, err := os.MkdirTemp("", "segel-demo-")
	if err != nil {
		return err
	}
	s, err := running.Start(binary, filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	defer s.Stop()
	say("the service runs at %s, its data lies in %s", s.URL, s.Data)

	owner, err := person(s, "sari@example.test", "Sari Wulandari")
	if err != nil {
		return err
	}
	signer, err := person(s, "budi@example.test", "Budi Santoso")
	if err != nil {
		return err
	}
	say("two users of one organisation: Sari, who owns the contract, and Budi, who signs it")

	var users struct {
		Data struct{ User []struct{ ID string } }
	}
	if err := owner.get("/v1/auth/list_user?search=budi", &users); err != nil {
		return err
	}
	if len(users.Data.User) != 1 {
		return errors.New("the directory does not find Budi")
	}
	budi := users.Data.User[0].ID

	var uploaded struct {
		Response struct {
			Data struct {
				ID   int64  `json:"document_id"`
				Name string `json:"document_name"`
			}
		}
	}
	err = owner.post("/v1/econtract/demo/sign/upload-docs-base64", object{
		"document_title": "Perjanjian Sewa", "filename": "sewa.pdf", "parallel": 0,
		"document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(2)),
		"signer":          []object{{"id": budi, "name": "Budi Santoso", "email": "budi@example.test", "role": "signer", "number": 1}},
	}, &uploaded)
	if err != nil {
		return err
	}
	id := uploaded.Response.Data.ID
	say("uploaded as document %d, %s", id, uploaded.Response.Data.Name)

	page := object{"width": 612, "height": 792}
	user := object{"speciment": "", "name": "Budi Santoso", "email": nil, "userid": budi}
	box := func(x, y, w, h int) (object, object) {
		return object{"x": x, "y": y, "w": w, "h": h}, object{"llx": x, "lly": 792 - y - h, "urx": x + w, "ury": 792 - y}
	}
	signProps, signBox := box(72, 560, 180, 72)
	stampProps, stampBox := box(300, 556, 80, 80)
	err = owner.post("/v1/econtract/demo/sign/placement-docs", object{"document_id": id, "signers": []object{
		{"page": 2, "type": "sign", "user": user, "props": signProps, "emet": signBox, "sign": nil, "documentSize": page},
		{"page": 2, "type": "emet", "user": user, "props": stampProps, "emet": stampBox, "sign": nil, "documentSize": page},
	}}, nil)
	if err != nil {
		return err
	}
	say("placed Budi's signature and one duty stamp on page 2")
	if err := owner.post("/v1/econtract/demo/sign/finalize-docs", object{"document_id": id}, nil); err != nil {
		return err
	}
	say("finalized: quota is reserved, Budi sees it in his inbox")

	seen, err := signer.file(fmt.Sprintf("/v1/econtract/web_app/document/preview/%d", id))
	if err != nil {
		return err
	}
	digest := sha256.Sum256(seen)
	err = signer.post("/v1/econtract/demo/sign/sign-docs", object{"document_id": id, "digest": hex.EncodeToString(digest[:])}, nil)
	if err != nil {
		return err
	}
	say("Budi read %d bytes and signed exactly those", len(seen))

	serials, err := owner.completed(id)
	if err != nil {
		return err
	}
	say("stamped with %s, sealed and timestamped (PAdES B-LTA)", strings.Join(serials, ", "))

	signed, err := owner.file(fmt.Sprintf("/v1/econtract/web_app/document/download/%d", id))
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "sewa-signed.pdf")
	if err := os.WriteFile(out, signed, 0o600); err != nil {
		return err
	}
	say("the signed PDF, %d bytes: %s", len(signed), out)
	judge("pdfsig", "-nocert", out)
	return nil
}

func say(format string, args ...any) { fmt.Printf("- "+format+"\n", args...) }

// judge shows what a program that is not ours says of the file, where it is installed.
func judge(name string, args ...string) {
	b, err := exec.Command(name, args...).Output()
	if err != nil && len(b) == 0 {
		return
	}
	for _, line := range strings.Split(string(b), "\n") {
		if strings.Contains(line, "Signature Validation") || strings.Contains(line, "document signed") || strings.HasPrefix(line, "Signature #") {
			fmt.Printf("  %s: %s\n", name, strings.TrimSpace(line))
		}
	}
}

type object = map[string]any

// person adds a user beside the running service and logs in.
func person(s *running.Service, email, name string) (*client, error) {
	password := "demo-" + email + "-kata-sandi"
	if err := s.AddUser(email, name, password); err != nil {
		return nil, err
	}
	c := &client{url: s.URL}
	var in struct{ Data struct{ Token string } }
	if err := c.post("/v1/auth/login", object{"email": email, "password": password}, &in); err != nil {
		return nil, err
	}
	c.token = in.Data.Token
	return c, nil
}

// client is one person's.
type client struct{ url, token string }

func (c *client) do(method, path string, body any) (*http.Response, error) {
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequest(method, c.url+path, &b)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("x-access-token", c.token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if a.StatusCode != http.StatusOK {
		defer a.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(a.Body, 4096))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, a.Status, text)
	}
	return a, nil
}

func (c *client) call(method, path string, body, answer any) error {
	a, err := c.do(method, path, body)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if answer == nil {
		return nil
	}
	return json.NewDecoder(a.Body).Decode(answer)
}

func (c *client) get(path string, answer any) error { return c.call("GET", path, nil, answer) }

func (c *client) post(path string, body, answer any) error { return c.call("POST", path, body, answer) }

func (c *client) file(path string) ([]byte, error) {
	a, err := c.do("GET", path, nil)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	return io.ReadAll(a.Body)
}

// completed polls the status until the document is completed, as clients do.
func (c *client) completed(id int64) ([]string, error) {
	for range 300 {
		var s struct {
			Data struct {
				Status string
				Serial []string `json:"serial_number"`
			}
		}
		if err := c.get(fmt.Sprintf("/v1/econtract/web_app/document/status/%d", id), &s); err != nil {
			return nil, err
		}
		if s.Data.Status == "completed" {
			return s.Data.Serial, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.New("the document was not completed in 30 seconds")
}
