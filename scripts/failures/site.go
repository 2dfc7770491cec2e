package main

import (
	"bytes"
	"context"
	"encoding/base64"
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

// site is one service with what it depends on, in a folder.
type site struct {
	options
	dir, data string
	stated    failure
	phase     int // blocks of the section that were compared

	scheme    string // of the address of the service
	authority *authority

	service *running.Service
	client  *running.Client
	env     []string // settings of the service, for commands as well
	logFrom int64    // size of the log when the failure began
	closers []func() error

	destination, passphrase, checkpoint string // DEST, PASSPHRASE and CHECKPOINT of commands
	guests                              []running.Object

	documents map[int64][]byte // completed documents and their files
	drafts    []int64          // documents with a place for a duty stamp, which wait to be finalized
	ordered   []int64          // finalized, not known to be completed
}

// seenEvery is how often it is looked for what is stated.
const seenEvery = 250 * time.Millisecond

// email is the address of the person.
const email = "pemilik@example.test"

// file is what people upload.
var file = pdftest.PDFA(2)

// startService starts the service for the first time, adds a person, completes a document and prepares drafts.
func (s *site) startService(ctx context.Context, env ...string) error {
	if err := s.launch(s.binary, env...); err != nil {
		return err
	}
	return s.prepare(ctx)
}

// prepare adds a person, completes a document and prepares drafts.
func (s *site) prepare(ctx context.Context) (err error) {
	if s.client, err = s.service.AddPerson("", email, "Pemilik"); err != nil {
		return err
	}
	for range 4 {
		id, err := s.prepareDraft(ctx)
		if err != nil {
			return err
		}
		s.drafts = append(s.drafts, id)
	}
	if _, err := s.finalize(ctx); err != nil {
		return err
	}
	return s.complete()
}

// launch starts the service with settings.
func (s *site) launch(binary string, env ...string) error {
	addresses, err := running.FreeAddresses(1)
	if err != nil {
		return err
	}
	s.env = append([]string{
		"SEGEL_CONVERT=off", "SEGEL_EVIDENCE=request", "SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8", "SEGEL_METRICS_TOKEN=" + metricsToken,
		"SEGEL_PUBLIC_URL=" + s.scheme + "://" + addresses[0],
	}, env...)
	s.service = &running.Service{URL: s.scheme + "://" + addresses[0], Data: s.data, Program: &running.Program{
		Binary: binary, Log: filepath.Join(s.dir, "service.log"), Env: s.env, Args: []string{"serve", "--data", s.data, "--listen", addresses[0]},
	}}
	return s.service.Start()
}

func (s *site) close() error {
	if s.service != nil {
		s.service.Stop()
	}
	var all []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		all = append(all, s.closers[i]())
	}
	return errors.Join(all...)
}

// logIn logs in again.
func (s *site) logIn() error {
	var a running.LoginAnswer
	err := s.client.Post(running.LoginPath, running.Object{"email": email, "password": running.Password}, &a)
	s.client.Token = a.Data.Token
	return err
}

func (s *site) atEnd(f func() error) { s.closers = append(s.closers, f) }

// markLog marks the beginning of the failure: what the log has already is not evidence of it.
func (s *site) markLog() error {
	info, err := os.Stat(s.service.Log)
	if err == nil {
		s.logFrom = info.Size()
	}
	return err
}

// requireStated requires that all lines of the next block of the section are seen, and then marks the next beginning in the log.
func (s *site) requireStated(ctx context.Context) error {
	if s.phase >= len(s.stated.phases) {
		return errors.New("the section has too few blocks")
	}
	deadline := time.Now().Add(s.within)
	for _, want := range s.stated.phases[s.phase] {
		for {
			observed := s.observe(ctx, want.source)
			if want.isSeen(observed) {
				break
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("block %d states\n\t%s\nbut this was seen:\n\t%s", s.phase+1, want, strings.ReplaceAll(strings.TrimSpace(observed), "\n", "\n\t"))
			}
			pause(ctx, seenEvery)
		}
	}
	s.phase++
	return s.markLog()
}

// pause waits between two observations.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// observe returns what a source of statements says now.
func (s *site) observe(ctx context.Context, source string) string {
	switch source {
	case "log":
		return s.readLog()
	case "readyz":
		return s.readReadiness(ctx)
	case "metrics":
		return s.readMetrics(ctx)
	case "list":
		_, err := s.read(ctx, running.Request{Method: http.MethodGet, Path: running.DocumentPath + "out"})
		return describeAnswer(err)
	case "download":
		for id := range s.documents {
			_, err := s.download(ctx, id)
			return describeAnswer(err)
		}
		return "there is no completed document"
	case "upload":
		id, err := s.prepareDraft(ctx)
		if err == nil {
			s.drafts = append(s.drafts, id)
		}
		return describeAnswer(err)
	case "upload of a Word document":
		_, err := s.uploadWord(ctx)
		return describeAnswer(err)
	case "finalize":
		_, err := s.finalize(ctx)
		return describeAnswer(err)
	case "document":
		return s.readStatuses(ctx)
	}
	if args, ok := strings.CutPrefix(source, "segel "); ok {
		status, out := s.runCommand(ctx, strings.Fields(args)...)
		return describeExit(status, out)
	}
	return fmt.Sprintf("the source %q is not known", source)
}

// sources are those of observe, beside commands.
var sources = []string{"log", "readyz", "metrics", "list", "download", "upload", "upload of a Word document", "finalize", "document"}

// describeExit puts the exit status before each line of what a command printed.
func describeExit(status int, out string) string {
	prefix := fmt.Sprintf("exit status %d: ", status)
	return prefix + strings.ReplaceAll(strings.TrimSpace(out), "\n", "\n"+prefix)
}

// readLog returns what was logged since the failure began.
func (s *site) readLog() string {
	b, err := os.ReadFile(s.service.Log)
	if err != nil || int64(len(b)) < s.logFrom {
		return fmt.Sprint("the log cannot be read: ", err)
	}
	return string(b[s.logFrom:])
}

// readReadiness returns a line for each check of /readyz: the status of the answer, name, state and detail.
func (s *site) readReadiness(ctx context.Context) string {
	text, err := s.read(ctx, running.Request{Method: http.MethodGet, Path: "/readyz"})
	status := http.StatusOK
	if refused := (*running.Refusal)(nil); errors.As(err, &refused) {
		status, text = refused.Status, refused.Text
	} else if err != nil {
		return err.Error()
	}
	var answer struct {
		Checks []struct{ Name, State, Detail string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err.Error()
	}
	var lines strings.Builder
	for _, c := range answer.Checks {
		fmt.Fprintf(&lines, "%d %s %s %s\n", status, c.Name, c.State, c.Detail)
	}
	return lines.String()
}

func (s *site) readMetrics(ctx context.Context) string {
	text, err := s.read(ctx, running.Request{Method: http.MethodGet, Path: "/metrics"})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// readStatuses returns a line for each document that was finalized and not completed: its status and its reason.
func (s *site) readStatuses(ctx context.Context) string {
	var lines strings.Builder
	for _, id := range s.ordered {
		text, err := s.read(ctx, running.Request{Method: http.MethodGet, Path: fmt.Sprint(running.DocumentPath, "status/", id)})
		fmt.Fprintln(&lines, describeAnswer(err), strings.ReplaceAll(string(text), "\n", " "))
	}
	return lines.String()
}

// metricsToken is the token of monitors.
const metricsToken = "token-of-monitors-for-failures"

// answerWithin bounds the wait for an answer, which the service bounds too.
const answerWithin = 30 * time.Second

func (s *site) read(ctx context.Context, q running.Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	c := running.Client{URL: s.service.URL}
	if q.Path == "/metrics" {
		c.Secret = metricsToken
	} else if s.client != nil {
		c.Token = s.client.Token
	}
	return c.Read(ctx, q)
}

// describeAnswer returns the status of an answer and the code of its error.
func describeAnswer(err error) string {
	refused := (*running.Refusal)(nil)
	switch {
	case err == nil:
		return "200"
	case !errors.As(err, &refused):
		return err.Error()
	}
	var answer struct{ Error struct{ Code string } }
	if err := json.Unmarshal(refused.Text, &answer); err != nil {
		return fmt.Sprintf("%d %s", refused.Status, refused.Text)
	}
	return fmt.Sprintf("%d %s", refused.Status, answer.Error.Code)
}

// prepareDraft uploads a document with a place for a duty stamp.
func (s *site) prepareDraft(ctx context.Context) (int64, error) {
	return s.prepareFile(ctx, "kuitansi.pdf", file)
}

func (s *site) uploadWord(ctx context.Context) (int64, error) {
	return s.prepareFile(ctx, "kontrak.docx", wordDocument())
}

func (s *site) prepareFile(ctx context.Context, name string, content []byte) (int64, error) {
	text, err := s.read(ctx, running.Request{Method: http.MethodPost, Path: running.UploadPath, Body: running.Object{
		"filename": name, "document_base64": base64.StdEncoding.EncodeToString(content),
		"signer": []running.Object{{"id": s.client.ID, "name": "Pemilik", "email": email, "role": "signer", "number": 1}}, "guest": s.guests,
	}})
	if err != nil {
		return 0, err
	}
	var a running.UploadAnswer
	if err := json.Unmarshal(text, &a); err != nil {
		return 0, err
	}
	id := a.Response.Data.ID
	_, err = s.read(ctx, running.Request{Method: http.MethodPost, Path: running.SignPath + "placement-docs", Body: running.Object{
		"document_id": id, "signers": []running.Object{s.client.StampEntry(1, [4]int{60, 60, 130, 130})},
	}})
	return id, err
}

// finalize orders the stamp of the next draft. If it is refused, the draft is kept for the next try.
func (s *site) finalize(ctx context.Context) (int64, error) {
	if len(s.drafts) == 0 {
		return 0, errors.New("no draft is left")
	}
	id := s.drafts[0]
	_, err := s.read(ctx, running.Request{Method: http.MethodPost, Path: running.SignPath + "finalize-docs", Body: running.Object{"document_id": id}})
	if err == nil {
		s.drafts, s.ordered = s.drafts[1:], append(s.ordered, id)
	}
	return id, err
}

func (s *site) download(ctx context.Context, id int64) ([]byte, error) {
	return s.read(ctx, running.Request{Method: http.MethodGet, Path: fmt.Sprint(running.DocumentPath, "download/", id)})
}

// complete waits until all ordered documents are completed, and keeps their files.
func (s *site) complete() error {
	for ; len(s.ordered) > 0; s.ordered = s.ordered[1:] {
		id := s.ordered[0]
		status, err := s.client.WaitCompleted(id)
		if err != nil {
			return err
		}
		if len(status.Serials) != 1 {
			return fmt.Errorf("document %d has the serials %v", id, status.Serials)
		}
		if s.documents[id], err = s.download(context.Background(), id); err != nil {
			return err
		}
	}
	return nil
}

// requireIntact requires that every document that was acknowledged is complete and has its bytes, that the drafts go on, that the service is
// ready, and that segel fsck finds nothing.
func (s *site) requireIntact(ctx context.Context) error {
	for len(s.drafts) > 0 {
		if id, err := s.finalize(ctx); err != nil {
			return fmt.Errorf("afterwards: finalize draft %d: %w", id, err)
		}
	}
	if err := s.complete(); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	for id, want := range s.documents {
		got, err := s.download(ctx, id)
		if err != nil {
			return fmt.Errorf("afterwards: %w", err)
		}
		if !bytes.Equal(got, want) || !bytes.HasPrefix(got, file) {
			return fmt.Errorf("afterwards: document %d has other bytes", id)
		}
	}
	if _, err := s.read(ctx, running.Request{Method: http.MethodGet, Path: "/readyz"}); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	if status, out := s.runCommand(ctx, "fsck"); status != 0 {
		return fmt.Errorf("afterwards: segel fsck ends with %d: %s", status, out)
	}
	return nil
}

// commandWithin bounds a command.
const commandWithin = 10 * time.Minute

// runCommand runs a command with the settings of the service, and returns its exit status and what it printed; -1 means that it did not run or end.
func (s *site) runCommand(ctx context.Context, args ...string) (status int, out string) {
	ctx, cancel := context.WithTimeout(ctx, commandWithin)
	defer cancel()
	args = append(s.expand(args), "--data", s.data)
	if args[0] == "serve" {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	cmd := exec.CommandContext(ctx, s.service.Binary, args...)
	cmd.Env = append(running.Environ(), s.env...)
	b, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return -1, err.Error()
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

// mustRun runs a command that has to end with 0.
func (s *site) mustRun(ctx context.Context, args ...string) error {
	if status, out := s.runCommand(ctx, args...); status != 0 {
		return fmt.Errorf("segel %s ends with %d: %s", strings.Join(args, " "), status, out)
	}
	return nil
}

// copyFile copies a file with its permissions.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, info.Mode())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
