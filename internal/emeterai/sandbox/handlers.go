package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
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

// login gives a token for user and password.
func (s *Server) login(_ context.Context, r *http.Request, _ Fault) answer {
	var in struct{ User, Password string }
	if err := read(r, &in); err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	want, known := s.o.Users[in.User]
	if subtle.ConstantTimeCompare([]byte(in.Password), []byte(want)) != 1 || !known || want == "" {
		return refuseWith(http.StatusOK, codeError, "user or password is wrong")
	}
	name, now := rand.Text(), s.office.o.Clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prune(now)
	s.tokens[name] = token{user: in.User, ends: now.Add(tokenLife)}
	user := map[string]string{"id": in.User, "name": in.User}
	return answer{body: map[string]any{
		"statusCode": codeOK, "message": "success", "token": name,
		"result": map[string]any{"data": map[string]any{"login": map[string]any{"token": name, "user": user}}},
	}}
}

// bearer returns the token that a request shows.
func bearer(r *http.Request) string {
	t, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return t
}

// user returns whose token it is.
func (s *Server) user(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[name]
	return t.user, ok && s.office.o.Clock().Before(t.ends)
}

func (s *Server) forget(name string) {
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

// kinds are the kinds of document that the sandbox knows, with codes as they were seen at the real office.
var kinds = []kind{{1, "2", "Surat Berharga"}, {2, "3", "Surat Pernyataan"}, {3, "4b", "Surat Perjanjian"}}

func (s *Server) kinds(_ context.Context, r *http.Request, _ Fault) answer {
	if _, ok := s.user(bearer(r)); !ok {
		return unauthorised(CallKinds)
	}
	return answer{body: map[string]any{"statusCode": codeOK, "message": "success", "result": kinds}}
}

// order is the body of stampv2.
type order struct {
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

func (o order) check() error {
	known := false
	for _, k := range kinds {
		known = known || k.Code == o.Kind
	}
	if !known {
		return fmt.Errorf("namadoc %q is not in the list of jenisdoc", o.Kind)
	}
	if _, err := time.Parse(time.DateOnly, o.Date); err != nil {
		return fmt.Errorf("tgldoc %q is no date", o.Date)
	}
	for name, value := range map[string]string{"namafile": o.File, "nodoc": o.Number} {
		if value == "" {
			return fmt.Errorf("%s is empty", name)
		}
	}
	switch o.Identity {
	case "", "KTP", "NPWP", "PASSPORT":
	default:
		return fmt.Errorf("namejidentitas %q is none", o.Identity)
	}
	if o.IsUpload != (o.FileID != "") {
		return errors.New("isUpload and idfile do not agree")
	}
	return nil
}

// take issues a serial: each time another one.
func (s *Server) take(ctx context.Context, r *http.Request, _ Fault) answer {
	user, ok := s.user(bearer(r))
	if !ok {
		return unauthorised(CallTake)
	}
	var in order
	if err := read(r, &in); err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	if err := in.check(); err != nil {
		return refuseWith(http.StatusBadRequest, codeError, "%v", err)
	}
	if in.IsUpload && !s.uploaded(in.FileID) {
		return refuseWith(http.StatusBadRequest, codeError, "idfile %q was not uploaded", in.FileID)
	}
	name, err := s.office.sell(ctx, user, in.File)
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
		result["image"] = base64.StdEncoding.EncodeToString(picture(s.office.verifyURL(name)))
	}
	return answer{body: map[string]any{"statusCode": codeOK, "message": "success", "result": result}}
}

// sell issues a serial to an account.
func (f *Office) sell(ctx context.Context, account, file string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.issue(ctx, entry{Is: entryTaken, Account: account, File: file})
}

// find returns a serial of an account.
func (f *Office) find(account, name string) (emeterai.Serial, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.serials[name]
	if !ok || s.account != account {
		return emeterai.Serial{}, false
	}
	return s.line(name), true
}

// line is a serial as the protocol shows it.
type line struct {
	Serial  string `json:"serialnumber"`
	Status  string `json:"status"`
	File    string `json:"file"`
	Updated string `json:"tglupdate"`
}

func newLine(s emeterai.Serial) line {
	status := "NOTSTAMP"
	if s.Status == emeterai.Affixed {
		status = "STAMP"
	}
	return line{s.Serial, status, s.File, s.At.Format(time.RFC3339)}
}

func lines(all []line) answer {
	return answer{body: map[string]any{"statusCode": codeOK, "message": "success", "result": map[string]any{"total": len(all), "data": all}}}
}

func (s *Server) status(_ context.Context, r *http.Request, _ Fault) answer {
	user, ok := s.user(bearer(r))
	if !ok {
		return unauthorised(CallStatus)
	}
	all := []line{}
	if found, ok := s.office.find(user, r.FormValue("filter")); ok {
		all = append(all, newLine(found))
	}
	return lines(all)
}

func (s *Server) serials(_ context.Context, r *http.Request, _ Fault) answer {
	user, ok := s.user(bearer(r))
	if !ok {
		return unauthorised(CallSerials)
	}
	if r.PathValue("user") != user {
		return refuseWith(http.StatusOK, codeError, "that is not your account")
	}
	all := []line{}
	for _, found := range s.office.list(user) {
		all = append(all, newLine(found))
	}
	return lines(all)
}

func (s *Server) saldo(_ context.Context, r *http.Request, _ Fault) answer {
	user, ok := s.user(bearer(r))
	if !ok {
		return unauthorised(CallSaldo)
	}
	b := s.office.balance(user)
	return answer{body: map[string]any{"result": map[string]any{"status": codeOK, "message": "success", "saldo": b.Left, "notstamp": b.Unused}}}
}

// picture sends a serial's picture again.
func (s *Server) picture(_ context.Context, r *http.Request, _ Fault) answer {
	user, ok := s.user(bearer(r))
	if !ok {
		return unauthorised(CallPicture)
	}
	found, ok := s.office.find(user, r.FormValue("sn"))
	if !ok {
		return refuseWith(http.StatusOK, codeError, "the serial is not known")
	}
	image := base64.StdEncoding.EncodeToString(picture(s.office.verifyURL(found.Serial)))
	return answer{body: map[string]any{"statusCode": codeOK, "message": "success", "result": map[string]string{"sn": found.Serial, "image": image}}}
}
