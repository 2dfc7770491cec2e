// Command upgrade lets the service of the release before fill a data folder with documents in each state, and requires that this release
// takes it over: it migrates the folder, finds nothing wrong, returns the same bytes, and finishes what was begun. `make test-upgrade` runs it.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

func main() {
	former := flag.String("former", "", "the program of the release before")
	segel := flag.String("segel", "", "the program of this release")
	flag.Parse()
	began := time.Now()
	dir, err := os.MkdirTemp("", "segel-upgrade-")
	if err == nil {
		err = errors.Join(upgrade(*former, *segel, dir), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "upgrade:", err)
		os.Exit(1)
	}
	fmt.Printf("- done in %.1f s\n", time.Since(began).Seconds())
}

// env makes both releases independent of what this machine has.
var env = []string{"SEGEL_CONVERT=off", "SEGEL_PAGE_PICTURES=off"}

// contract is a document that the former release left in a state.
type contract struct {
	state   string
	id      int64
	stamped bool
	signed  int // of its two signers
	end     string

	files map[string][]byte // by what is asked for: preview, original, download
}

// states are those in which a document may be when a release is replaced. Names are those of the status.
var states = []contract{
	{state: "draft"},
	{state: "processing"},            // waits for both signers
	{state: "processing", signed: 1}, // signed in part
	{state: "completed", signed: 2},  // without a stamp
	{state: "completed", signed: 2, stamped: true},
	{state: "rejected", end: "reject-docs"},
	{state: "canceled", end: "cancel-docs"},
}

func upgrade(former, segel, dir string) error {
	data := filepath.Join(dir, "data")
	contracts, err := fill(former, data)
	if err != nil {
		return fmt.Errorf("the former release: %w", err)
	}
	fmt.Printf("- the former release left %d documents\n", len(contracts))

	for _, step := range []struct {
		status int
		args   []string
	}{
		{10, []string{"migrate", "--check"}}, // migrations are pending, and nodes of the former release may stay
		{4, []string{"fsck"}},                // the tables have to be migrated first
		{0, []string{"migrate"}},
		{0, []string{"migrate", "--check"}},
		{0, []string{"fsck"}},
	} {
		if err := require(step.status, segel, append(step.args, "--data", data)...); err != nil {
			return err
		}
	}
	fmt.Println("- this release migrated the folder, and finds nothing wrong")
	if err := takeOver(segel, data, dir, contracts); err != nil {
		return fmt.Errorf("this release: %w", err)
	}
	return require(0, segel, "fsck", "--data", data)
}

// require runs a command of the program and requires its exit status.
func require(want int, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return err
	}
	if status := cmd.ProcessState.ExitCode(); status != want {
		return fmt.Errorf("%v ended with %d, not with %d: %s", cmd.Args, status, want, out)
	}
	return nil
}

// people log in anew at each service: sessions are not part of what is compared.
type people struct{ owner, first, second *running.Client }

const (
	ownerMail  = "sari@example.test"
	firstMail  = "budi@example.test"
	secondMail = "ani@example.test"
)

// fill makes a document in each state with the former release, and reads its files.
func fill(former, data string) (all []contract, err error) {
	s, err := running.Start(former, data, env...)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	var p people
	for _, person := range []struct {
		client     **running.Client
		mail, name string
	}{{&p.owner, ownerMail, "Sari Wulandari"}, {&p.first, firstMail, "Budi Santoso"}, {&p.second, secondMail, "Ani Lestari"}} {
		if *person.client, err = s.AddPerson("", person.mail, person.name); err != nil {
			return nil, err
		}
	}
	for _, c := range states {
		if err := p.bring(&c); err != nil {
			return nil, fmt.Errorf("a document that is %s: %w", c.state, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// bring makes a document and brings it into its state.
func (p people) bring(c *contract) (err error) {
	entry := func(who *running.Client, mail string, number int) running.Object {
		return running.Object{"id": who.ID, "name": "Penanda", "email": mail, "role": "signer", "number": number}
	}
	c.id, err = p.owner.Upload(running.Object{
		"document_title": "Perjanjian Sewa", "filename": "sewa.pdf", "parallel": 0, "document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(2)),
		"signer": []running.Object{entry(p.first, firstMail, 1), entry(p.second, secondMail, 2)},
	})
	if err != nil {
		return err
	}
	boxes := []running.Object{box(p.first, 72), box(p.second, 252)}
	if c.stamped {
		boxes = append(boxes, p.owner.StampEntry(1, [4]int{440, 160, 520, 240}))
	}
	if err := p.owner.Post(running.SignPath+"placement-docs", running.Object{"document_id": c.id, "signers": boxes}, nil); err != nil {
		return err
	}
	if c.state != "draft" {
		err = p.owner.PostVerb("finalize-docs", c.id)
	}
	for i, signer := range []*running.Client{p.first, p.second} {
		if err == nil && i < c.signed {
			err = signer.PostVerb("sign-docs", c.id)
		}
	}
	switch {
	case err != nil:
		return err
	case c.end == "reject-docs":
		err = p.first.Post(running.SignPath+c.end, running.Object{"document_id": c.id, "reason": "Harga belum disepakati"}, nil)
	case c.end != "":
		err = p.owner.Post(running.SignPath+c.end, running.Object{"document_id": c.id, "reason": "Berkas salah"}, nil)
	case c.state == "completed":
		_, err = p.owner.WaitCompleted(c.id)
	}
	if err != nil {
		return err
	}
	c.files, err = p.read(*c)
	return err
}

func box(who *running.Client, left int) running.Object {
	return running.Object{
		"page": 1, "type": "sign", "user": running.Object{"userid": who.ID},
		"emet": running.Object{"llx": left, "lly": 160, "urx": left + 160, "ury": 220},
	}
}

// read requires the state of a document and returns its files.
func (p people) read(c contract) (map[string][]byte, error) {
	var status running.StatusAnswer
	if err := p.owner.Get(fmt.Sprint(running.DocumentPath, "status/", c.id), &status); err != nil {
		return nil, err
	}
	if status.Data.Status != c.state {
		return nil, fmt.Errorf("document %d is %s, not %s", c.id, status.Data.Status, c.state)
	}
	kinds := []string{"preview", "original"}
	if c.state == "completed" {
		kinds = append(kinds, "download")
	}
	all := map[string][]byte{}
	for _, kind := range kinds {
		b, err := p.owner.Read(context.Background(), running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, kind, "/", c.id)})
		if err != nil {
			return nil, err
		}
		all[kind] = b
	}
	return all, nil
}

// takeOver serves the folder with this release, compares every file, and finishes the documents that wait.
func takeOver(segel, data, dir string, contracts []contract) error {
	s, err := running.Start(segel, data, env...)
	if err != nil {
		return err
	}
	defer s.Stop()
	var p people
	for _, person := range []struct {
		client **running.Client
		mail   string
	}{{&p.owner, ownerMail}, {&p.first, firstMail}, {&p.second, secondMail}} {
		c := &running.Client{URL: s.URL}
		var a running.LoginAnswer
		if err := c.Post(running.LoginPath, running.Object{"email": person.mail, "password": running.Password}, &a); err != nil {
			return err
		}
		c.Token, c.ID = a.Data.Token, a.Data.Account.ID
		*person.client = c
	}
	compared := 0
	for _, c := range contracts {
		files, err := p.read(c)
		if err != nil {
			return err
		}
		for kind, b := range files {
			if !bytes.Equal(b, c.files[kind]) {
				return fmt.Errorf("document %d, which is %s: %s has %d bytes, other than the %d of before", c.id, c.state, kind, len(b), len(c.files[kind]))
			}
			compared++
		}
	}
	fmt.Printf("- %d files are those of the former release, byte by byte\n", compared)
	validated := 0
	for _, c := range contracts {
		switch c.state {
		case "draft":
			err = p.owner.PostVerb("finalize-docs", c.id)
		case "processing", "completed":
			err = nil
		default:
			continue // it has ended
		}
		for i, signer := range []*running.Client{p.first, p.second} {
			if err == nil && i >= c.signed {
				err = signer.PostVerb("sign-docs", c.id)
			}
		}
		if err == nil {
			_, err = p.owner.WaitCompleted(c.id)
		}
		if err != nil {
			return fmt.Errorf("complete document %d, which was %s: %w", c.id, c.state, err)
		}
		signed, err := p.owner.Read(context.Background(), running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "download/", c.id)})
		if err != nil {
			return err
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.pdf", c.id))
		if err := os.WriteFile(name, signed, 0o600); err != nil {
			return err
		}
		if err := require(0, segel, "verify", "--data", data, name); err != nil {
			return fmt.Errorf("document %d, which was %s, is not valid: %w", c.id, c.state, err)
		}
		validated++
	}
	fmt.Printf("- %d documents were completed, by the former release or this one, and are valid\n", validated)
	return nil
}
