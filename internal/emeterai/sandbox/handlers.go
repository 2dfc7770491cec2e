package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"segel/internal/emeterai"
)

// Codes of the protocol.
const (
	codeOK    = "00"
	codeToken = "01" // the token is not accepted
	codeError = "99" // anything else
)

// handleLogin gives a token for user and password.
func (s *Server) handleLogin(_ context.Context, r *http.Request, _ Fault) answer {
	var in struct{ User, Password string }
	if err := decodeBody(r, &in); err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	want, known := s.o.Users[in.User]
	if subtle.ConstantTimeCompare([]byte(in.Password), []byte(want)) != 1 || !known || want == "" {
		return refuseWith(http.StatusOK, codeError, "user or password is wrong")
	}
	name, now := rand.Text(), s.office.o.Clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pruneTokens(now)
	s.tokens[name] = token{user: in.User, ends: now.Add(tokenLife)}
	user := map[string]string{"id": in.User, "name": in.User}
	return answer{body: map[string]any{
		"statusCode": codeOK, "message": "success", "token": name,
		"result": map[string]any{"data": map[string]any{"login": map[string]any{"token": name, "user": user}}},
	}}
}

// bearerToken returns the token in the header of a request.
func bearerToken(r *http.Request) string {
	t, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return t
}

// findUser returns the user of a token.
func (s *Server) findUser(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[name]
	return t.user, ok && s.office.o.Clock().Before(t.ends)
}

func (s *Server) dropToken(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" { // docSigningZ has it in its body
		clear(s.tokens)
		return
	}
	delete(s.tokens, name)
}

// kind is a kind of document.
type kind struct {
	ID   int    `json:"id"`
	Code string `json:"kode"`
	Name string `json:"nama"`
}

// kinds are the kinds of document that the sandbox knows, with codes as observed at the real office.
var kinds = []kind{{1, "2", "Surat Berharga"}, {2, "3", "Surat Pernyataan"}, {3, "4b", "Surat Perjanjian"}}

func (s *Server) handleKinds(context.Context, *http.Request, string) answer {
	return succeedWith(kinds)
}

// purchaseRequest is the body of stampv2.
type purchaseRequest struct {
	IsUpload   bool   `json:"isUpload"`
	Kind       string `json:"namadoc"`
	File       string `json:"namafile"`
	FileID     string `json:"idfile"`
	Value      string `json:"nilaidoc"`
	Identity   string `json:"namejidentitas"`
	IdentityNo string `json:"noidentitas"`
	Payer      string `json:"namedipungut"`
	SerialOnly bool   `json:"snOnly"`
	Number     string `json:"nodoc"`
	Date       string `json:"tgldoc"`
}

func (o purchaseRequest) checkFields() error {
	known := false
	for _, k := range kinds {
		known = known || k.Code == o.Kind
	}
	if !known {
		return fmt.Errorf("namadoc %q is not in the list of jenisdoc", o.Kind)
	}
	if _, err := time.Parse(time.DateOnly, o.Date); err != nil {
		return fmt.Errorf("tgldoc %q is not a date", o.Date)
	}
	for name, value := range map[string]string{"namafile": o.File, "nodoc": o.Number} {
		if value == "" {
			return fmt.Errorf("%s is empty", name)
		}
	}
	switch o.Identity {
	case "", "KTP", "NPWP", "PASSPORT":
	default:
		return fmt.Errorf("namejidentitas %q is unknown", o.Identity)
	}
	if o.IsUpload != (o.FileID != "") {
		return errors.New("isUpload and idfile do not agree")
	}
	return nil
}

// handlePurchase issues a new serial for each call.
func (s *Server) handlePurchase(ctx context.Context, r *http.Request, user string) answer {
	var in purchaseRequest
	if err := decodeBody(r, &in); err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	if err := in.checkFields(); err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	if in.IsUpload && !s.hasUpload(in.FileID) {
		return refuseWith(http.StatusBadRequest, codeError, "idfile %q was not uploaded", in.FileID)
	}
	name, err := s.office.sellSerial(ctx, user, in.File)
	var p *emeterai.Problem
	if errors.As(err, &p) && p.Class == emeterai.Quota {
		return refuseWith(http.StatusOK, codeQuota, "%s", p.Text)
	}
	if err != nil {
		s.o.Log.ErrorContext(ctx, "take a serial", "error", err)
		return refuseWith(http.StatusServiceUnavailable, codeError, "the office cannot work just now")
	}
	result := map[string]string{"sn": name}
	if in.IsUpload {
		result["filenameQR"] = name + ".png"
	} else if !in.SerialOnly {
		result["image"] = base64.StdEncoding.EncodeToString(drawPicture(s.office.verifyURL(name)))
	}
	return succeedWith(result)
}

// sellSerial issues a serial to an account.
func (f *Office) sellSerial(ctx context.Context, account, file string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var s string
	err := f.decide(ctx, func() (err error) {
		s, err = f.issueSerial(ctx, entry{Is: entryTaken, Account: account, File: file})
		return err
	})
	return s, err
}

// findSerial returns a serial of an account.
func (f *Office) findSerial(account, name string) (emeterai.Serial, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.serials[name]
	if !ok || s.account != account {
		return emeterai.Serial{}, false
	}
	return s.asListed(name), true
}

// serialLine is a serial as the protocol shows it.
type serialLine struct {
	Serial  string `json:"serialnumber"`
	Status  string `json:"status"`
	File    string `json:"file"`
	Updated string `json:"tglupdate"`
}

func newSerialLine(s emeterai.Serial) serialLine {
	status := "NOTSTAMP"
	if s.Status == emeterai.Affixed {
		status = "STAMP"
	}
	return serialLine{s.Serial, status, s.File, s.At.Format(time.RFC3339)}
}

func answerWithLines(all []serialLine) answer {
	return succeedWith(map[string]any{"total": len(all), "data": all})
}

func (s *Server) handleStatus(_ context.Context, r *http.Request, user string) answer {
	all := []serialLine{}
	if found, ok := s.office.findSerial(user, r.FormValue("filter")); ok {
		all = append(all, newSerialLine(found))
	}
	return answerWithLines(all)
}

func (s *Server) handleSerials(_ context.Context, r *http.Request, user string) answer {
	if r.PathValue("user") != user {
		return refuseWith(http.StatusOK, codeError, "that is not your account")
	}
	all := []serialLine{}
	for _, found := range s.office.listIssued(user) {
		all = append(all, newSerialLine(found))
	}
	return answerWithLines(all)
}

func (s *Server) handleBalance(_ context.Context, _ *http.Request, user string) answer {
	b := s.office.accountBalance(user)
	return answer{body: map[string]any{"result": map[string]any{"status": codeOK, "message": "success", "saldo": b.Left, "notstamp": b.Unused}}}
}

// handlePicture sends the picture of a serial again.
func (s *Server) handlePicture(_ context.Context, r *http.Request, user string) answer {
	found, ok := s.office.findSerial(user, r.FormValue("sn"))
	if !ok {
		return refuseWith(http.StatusOK, codeError, "the serial is not known")
	}
	image := base64.StdEncoding.EncodeToString(drawPicture(s.office.verifyURL(found.Serial)))
	return succeedWith(map[string]string{"sn": found.Serial, "image": image})
}

// uploadID is the form of the name of an upload, and stampedID that of a file that was stamped: the name of its upload, and as many further characters. They are private
// files of the office with random names, and are removed after a day.
var (
	uploadID  = regexp.MustCompile(`^[A-Z2-7]{26}$`)
	stampedID = regexp.MustCompile(`^[A-Z2-7]{52}$`)
)

func (s *Server) hasUpload(id string) bool {
	if !uploadID.MatchString(id) {
		return false
	}
	_, err := s.own.Stat(id + ".src")
	return err == nil
}

// handleUpload stores a file.
func (s *Server) handleUpload(_ context.Context, r *http.Request, _ Fault) answer {
	parts, err := r.MultipartReader()
	if err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	s.removeOldUploads()
	id, name, shown := rand.Text(), "", ""
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuseWith(http.StatusBadRequest, codeError, "%v", err)
		}
		switch p.FormName() {
		case "token":
			var b bytes.Buffer
			if _, err := io.CopyN(&b, p, maxRequest); err != nil && !errors.Is(err, io.EOF) {
				return refuseWith(http.StatusBadRequest, codeError, "%v", err)
			}
			shown = b.String()
		case "file":
			if name = p.FileName(); !s.storeUpload(id, p) {
				return refuseWith(http.StatusBadRequest, codeError, "the file is cut off or too large")
			}
		}
	}
	if _, ok := s.findUser(shown); !ok {
		_ = s.own.Remove(id + ".src")
		return unauthorisedAnswer(CallUpload)
	}
	if name == "" {
		return refuseWith(http.StatusBadRequest, codeError, "file is missing")
	}
	return answer{body: map[string]string{"statusCode": codeOK, "id": id, "name": name}}
}

func (s *Server) storeUpload(id string, r io.Reader) bool {
	out, err := folderFile{root: s.own, name: id + ".src"}.createFile()
	if err != nil {
		return false
	}
	w := bufio.NewWriterSize(out, 64<<10) // a part is read in pieces of 4 KiB
	n, err := io.Copy(w, io.LimitReader(r, s.o.MaxFile+1))
	if errors.Join(err, w.Flush(), out.Close()) == nil && n <= s.o.MaxFile {
		return true
	}
	_ = s.own.Remove(id + ".src")
	return false
}

// removeOldUploads removes old files, every [cleanEvery]. What cannot be removed is tried again.
func (s *Server) removeOldUploads() {
	s.mu.Lock()
	now := time.Now()
	due := !now.Before(s.cleanAt)
	if due {
		s.cleanAt = now.Add(cleanEvery)
	}
	s.mu.Unlock()
	if !due {
		return
	}
	dir, err := s.own.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	all, err := dir.ReadDir(-1)
	if err != nil {
		return
	}
	for _, e := range all {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > uploadsKept {
			_ = s.own.Remove(e.Name())
		}
	}
}

// signUploaded stamps a file that was uploaded.
func (s *Server) signUploaded(ctx context.Context, r *http.Request, f Fault) answer {
	var in signRequest
	if err := decodeBody(r, &in); err != nil {
		return notSigned(signEmpty, "%v", err).asAnswer()
	}
	if in.OnPrem == nil || *in.OnPrem || in.DocID == "" {
		return notSigned(signEmpty, "onPrem or docId is missing").asAnswer()
	}
	if !s.hasUpload(in.DocID) {
		return notSigned(signUnparsed, "docId %q was not uploaded", in.DocID).asAnswer()
	}
	if err := s.adapter.Acquire(ctx, 1); err != nil {
		return explainFailure(err).asAnswer()
	}
	defer s.adapter.Release(1)
	id := in.DocID + rand.Text()
	out := s.signFile(ctx, in, f, folderFile{root: s.own, name: in.DocID + ".src"}, folderFile{root: s.own, name: id + ".pdf", tail: id + ".tail"})
	if out.Code == codeOK {
		out.URLFile = "/files/" + id
	}
	return out.asAnswer()
}

// handleFile sends a stamped file: its upload and what the stamp added, or the whole one.
func (s *Server) handleFile(_ context.Context, r *http.Request, _ string) answer {
	id := r.PathValue("id")
	if stampedID.MatchString(id) {
		if whole, err := s.own.Open(id + ".pdf"); err == nil {
			return answer{files: []*os.File{whole}}
		}
		src, srcErr := s.own.Open(id[:len(id)/2] + ".src")
		tail, tailErr := s.own.Open(id + ".tail")
		parts := answer{files: []*os.File{src, tail}}
		if srcErr == nil && tailErr == nil {
			return parts
		}
		parts.close() // to close what could not be opened does nothing
	}
	return refuseWith(http.StatusNotFound, codeError, "there is no such file")
}
